import { Flag } from '../../trace/flags.ts';
import { NO_ROW } from '../../trace/kinds.ts';
import type { Scribe } from '../scribe.ts';
import type { Strand } from '../strand.ts';
import type { Own, Span, Told } from './span.ts';

/** Opens a turn as it was opened when it went out. What was left out of the export is no prompt, but its turn goes on being one. */
export function openOwnTurn(scribe: Scribe, strand: Strand, key: string, span: Span, own: Own): number {
  if (own.turn === 'prompt') scribe.prompt(strand, key, span.asked, span.start);
  else if (own.turn === 'task') scribe.task(strand, key, span.asked, span.start);
  else scribe.wakes(strand, own.turn === 'other' ? 'trace' : own.turn, span.start, key);
  const opening = own.happened.find(({ flags }) => (flags & Flag.opensTurn) !== 0);
  if (opening !== undefined) tell(scribe, strand.turn, opening);
  return strand.turn;
}

/** Gives the row of a span what it had, and writes what happened in it. */
export function tellOwn(scribe: Scribe, strand: Strand, row: number, own: Own): void {
  if (row !== NO_ROW) {
    tell(scribe, row, own);
    const { cache_write_5m_tokens: five, cache_write_1h_tokens: hour } = scribe.out.tokens;
    const written = five.get(row);
    const long = Math.min(written, own.hourWrites);
    if (long > 0) {
      five.set(row, written - long);
      hour.set(row, long);
    }
  }
  writeHappened(scribe, strand, row, own);
}

/** Effects under the row, events in the open turn. The one that opened the turn is there already. */
export function writeHappened(scribe: Scribe, strand: Strand, row: number, { happened }: Own): void {
  for (const each of happened) {
    if ((each.flags & Flag.opensTurn) !== 0) continue;
    // What else is told of an effect is its tool call's.
    if (each.file !== '' || each.domain !== '') scribe.effect(strand, row, each, each.time);
    else tell(scribe, scribe.event(strand, each.name, each.time), each);
  }
}

function tell({ out }: Scribe, row: number, { status, error, fields, flags }: Told): void {
  out.field.status.set(row, status);
  out.field.error.set(row, error);
  for (const [name, value] of fields) out.field[name].set(row, value);
  if (flags !== 0) out.flag(row, flags);
}
