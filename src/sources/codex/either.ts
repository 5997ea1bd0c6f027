import type { Operations } from '../../trace/operations.ts';
import type { FileLedger } from '../ledger.ts';
import type { RecordSink, SourceFile } from '../reader.ts';
import { RolloutSink } from './read.ts';
import { freshStream, isStreamEvent, StreamSink, type StreamState } from './stream.ts';

/** The state of a file's reading: of its rollout rows and of its stream events, where it has any. */
interface State {
  rollout?: unknown;
  stream?: StreamState;
}

/** Reads rollouts and saved streams: each record goes to the sink of its grammar. */
export class EitherSink implements RecordSink {
  private rollout: RolloutSink | undefined;
  private stream: StreamSink | undefined;
  private readonly make: { rollout(): RolloutSink; stream(): StreamSink };

  constructor(file: SourceFile, out: Operations, ledger: FileLedger, given?: unknown) {
    const { rollout, stream } = (given ?? {}) as State;
    this.make = {
      rollout: () => new RolloutSink(file, out, ledger, rollout),
      stream: () => new StreamSink(file, out, ledger, stream ?? freshStream()),
    };
    if (rollout !== undefined) this.rollout = this.make.rollout();
    if (stream !== undefined) this.stream = this.make.stream();
  }

  record(value: unknown, offset: number, bytes: number): void {
    if (isStreamEvent(value) || (this.stream && isStreamError(value))) {
      this.stream ??= this.make.stream();
      this.stream.record(value, offset, bytes);
    } else {
      this.rollout ??= this.make.rollout();
      this.rollout.record(value, offset, bytes);
    }
  }

  end(): State {
    return {
      ...(this.rollout ? { rollout: this.rollout.end() } : {}),
      ...(this.stream ? { stream: this.stream.end() } : {}),
    };
  }
}

/** `{type: "error", message}` stands before a `turn.failed` that says the same. */
function isStreamError(value: unknown): boolean {
  return typeof value === 'object' && value !== null && (value as { type?: unknown }).type === 'error';
}
