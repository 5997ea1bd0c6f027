import type { Whereabouts } from '../reader.ts';
import { type TraceSettings, variantOf } from '../spans/boundaries.ts';
import { roots } from './paths.ts';

export function whereabouts(settings: TraceSettings): Whereabouts {
  return { agent: 'otel', version: 2, ...variantOf(settings), roots };
}
