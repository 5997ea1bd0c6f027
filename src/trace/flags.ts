/** Facts about a row that are yes or no, as bits of `Operations.flags`. */
export const Flag = {
  /** A copy of an operation recorded elsewhere (resume, fork, replay): weight 0 in every measure. Set by link. */
  copy: 1,
  /** Output tokens are a lower bound: the final usage row is missing. */
  lowerBound: 2,
  /** The call is inferred from a cumulative record, no row shows it (a compaction request). */
  inferred: 4,
  /** Waits for the person (questions, plan approval): its interval is not activity. */
  waits: 8,
  /** A compaction request: gets call kind `compact`. */
  compaction: 16,
  /** An event row that opens a turn of its own (notification, continuation, hook output, slash command). */
  opensTurn: 32,
  /** Usage is not known at all (never the same as 0). */
  unknownUsage: 64,
  /** The tool call runs in the background: its result row does not end it. */
  background: 128,
  /** Replayed history at the head of a forked file, as the reader judged from the file alone. */
  replayed: 256,
  /** A row of an operation file: its measures are those the file gives, nothing is derived. */
  given: 512,
  /** A usage record alone: nothing of what the call said or asked for was recorded. */
  usageOnly: 1024,
  /** From a stream that a client printed: where the session's own file is there too, that one counts. */
  streamed: 2048,
} as const;
