import { Flag } from '../../src/trace/flags.ts';
import { Kind, NO_ROW } from '../../src/trace/kinds.ts';
import { Operations } from '../../src/trace/operations.ts';

/** A call as the tests write it; token counts default to 0, the time to 1 October 2025. */
export interface Call {
  model?: string;
  provider?: string;
  at?: string;
  input?: number;
  read?: number;
  write5m?: number;
  write1h?: number;
  output?: number;
  reasoning?: number;
  /** Nano-dollars an operation file gave. */
  given?: number;
  flags?: number;
  kind?: Kind;
}

export function operationsOf(...calls: Call[]): Operations {
  const ops = new Operations();
  const session = ops.sessions.of('claude-code', 's1', 0);
  for (const call of calls) {
    const start = call.at === '' ? 0 : Date.parse(call.at ?? '2025-10-01T12:00:00Z') * 1000;
    const row = ops.add(call.kind ?? Kind.call, session, NO_ROW, start, 0, 0, 10);
    ops.field.model.set(row, call.model ?? '');
    if (call.provider !== undefined) ops.freeField('provider').set(row, call.provider);
    ops.tokens.input_tokens.set(row, call.input ?? 0);
    ops.tokens.cache_read_tokens.set(row, call.read ?? 0);
    ops.tokens.cache_write_5m_tokens.set(row, call.write5m ?? 0);
    ops.tokens.cache_write_1h_tokens.set(row, call.write1h ?? 0);
    ops.tokens.output_tokens.set(row, call.output ?? 0);
    ops.tokens.reasoning_tokens.set(row, call.reasoning ?? 0);
    if (call.given !== undefined) ops.givenMeasure('cost').set(row, call.given);
    if (call.flags !== undefined) ops.flags.set(row, call.flags);
  }
  return ops;
}

export { Flag, Kind };
