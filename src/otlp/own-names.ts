/**
 * Attributes of our own that the export writes and the reader of traces takes back, where the conventions have no name: what
 * is left out here (`agentpprof.call`, `agentpprof.cost_nano_usd`, ...) follows from the rest and is for others to read.
 */
export const OWN = {
  /** The name of our scope: these attributes are looked for in its spans alone. */
  scope: 'agentpprof',
  /** Of a turn's span, what opened it: `prompt`, an event's name, or `other` where that was not selected. */
  turn: 'agentpprof.turn',
  /** Of the input written to a cache, the tokens that are kept for an hour; the others are kept for five minutes. */
  hourWrites: 'agentpprof.usage.cache_creation_1h.input_tokens',
} as const;

/** Fields that go out under this prefix and come back; `status` and `error.type` do so by themselves. */
export const OWN_PREFIX = 'agentpprof.';
export const OWN_FIELDS = ['command', 'unsafe', 'skill', 'branch', 'agent_version', 'domain'] as const;

/** Facts of a row that are yes or no, by the name of their flag. */
export const OWN_FLAGS = {
  inferred: 'agentpprof.inferred',
  lowerBound: 'agentpprof.lower_bound',
  usageOnly: 'agentpprof.usage_only',
  compaction: 'agentpprof.compaction',
  opensTurn: 'agentpprof.opens_turn',
  /** Its interval is not activity: it waits for a person, or its time is that of a copy. */
  waits: 'agentpprof.not_active',
} as const;
