import { Flag } from '../../trace/flags.ts';
import { NO_ROW } from '../../trace/kinds.ts';
import { microsOf } from '../instants.ts';
import type { Scribe } from '../scribe.ts';
import { countOf, isObject, type Obj, textOf } from '../shapes.ts';
import type { Strand } from '../strand.ts';
import { type Reported, totalOf, USAGE_RULES } from '../usage.ts';
import type { Half, Lane } from './state.ts';

/** Halves that may wait for the other record, which mostly stands next. */
const MOST_HALVES = 255;

const RULE = USAGE_RULES['qwen-code'];

export function newLane(strand: Strand): Lane {
  return { strand, measured: [], answered: [], last: NO_ROW, answer: -1, seen: new Map() };
}

function countsOf(used: Reported): string {
  return [used.input, used.cacheRead, used.output, used.reasoning].join();
}

/** Counts of an answer: `usageMetadata`. Undefined where it has none. */
function answerUsage(value: unknown): Reported | undefined {
  if (!isObject(value)) return undefined;
  return reported(
    value.promptTokenCount,
    value.cachedContentTokenCount,
    value.candidatesTokenCount,
    value.thoughtsTokenCount,
    value.totalTokenCount,
  );
}

function reported(input: unknown, cached: unknown, output: unknown, thoughts: unknown, total: unknown): Reported {
  return {
    input: countOf(input),
    cacheRead: countOf(cached),
    cacheWrite: 0,
    output: countOf(output),
    reasoning: countOf(thoughts),
    extra: 0,
    total: totalOf(total),
  };
}

/** Equal calls of one subagent stand in two files, in the same order: the n-th of equal counts is one call. */
function keyOf(lane: Lane, isSubagent: boolean, counts: string, uuid: string): string {
  if (!isSubagent) return uuid;
  // A row that was written again is no further one.
  const again = uuid === '' ? undefined : lane.seen.get(`row ${uuid}`);
  const nth = again ?? (lane.seen.get(counts) ?? 0) + 1;
  if (again === undefined) lane.seen.set(counts, nth);
  if (uuid !== '') lane.seen.set(`row ${uuid}`, nth);
  return `${lane.strand.id} ${counts} ${nth}`;
}

/**
 * `api_response`: every request that was answered, those of compactions and subagents too. `elsewhere` for the calls of
 * a subagent that has a file of its own: their answers stand there.
 */
export function measuredCall(
  scribe: Scribe,
  lane: Lane,
  event: Obj,
  isSubagent: boolean,
  elsewhere: boolean,
  uuid: string,
  time: number,
): void {
  const used = reported(
    event.input_token_count,
    event.cached_content_token_count,
    event.output_token_count,
    event.thoughts_token_count,
    event.total_token_count,
  );
  const counts = countsOf(used);
  const at = lane.answered.findIndex(half => half.counts === counts);
  if (at >= 0) {
    lane.answered.splice(at, 1);
    scribe.ledger.repeatedRows++;
    return;
  }
  const end = microsOf(event['event.timestamp']) || time;
  const millis =
    typeof event.duration_ms === 'number' && event.duration_ms > 0 && event.duration_ms < 1e8 ? event.duration_ms : 0;
  const key = keyOf(lane, isSubagent, counts, uuid);
  const row = scribe.call(lane.strand, key, textOf(event.model), end, millis);
  scribe.usage(row, used, RULE);
  scribe.out.flag(row, Flag.usageOnly);
  if (!elsewhere) lane.measured = [...lane.measured.slice(-MOST_HALVES), { row, counts }];
}

/**
 * The call of an answer: the one that the telemetry told with these counts, or the call of the row before where this
 * one has no counts (subagents write counts and tool calls in two rows), or a new one.
 */
export function answeredCall(
  scribe: Scribe,
  lane: Lane,
  record: Obj,
  isSubagent: boolean,
  uuid: string,
  time: number,
): number {
  const used = answerUsage(record.usageMetadata);
  if (used === undefined && lane.last !== NO_ROW) return lane.last;
  const half = used === undefined ? lane.measured.at(-1) : lane.measured.find(each => each.counts === countsOf(used));
  if (half !== undefined) {
    lane.measured = lane.measured.filter(each => each !== half);
    claim(scribe, half);
    scribe.ledger.repeatedRows++;
    return half.row;
  }
  const counts = used === undefined ? '' : countsOf(used);
  const key = used === undefined ? uuid : keyOf(lane, isSubagent, counts, uuid);
  const row = scribe.call(lane.strand, key, textOf(record.model), time);
  if (used !== undefined) {
    scribe.usage(row, used, RULE);
    lane.answered = [...lane.answered.slice(-MOST_HALVES), { row, counts }];
  }
  return row;
}

function claim({ out }: Scribe, { row }: Half): void {
  out.flags.set(row, out.flags.get(row) & ~Flag.usageOnly);
}

/** What was measured since the last answer, and not answered, when a history was compressed were the requests that compressed it. */
export function compressed(scribe: Scribe, lane: Lane): void {
  const since = lane.measured.filter(half => half.row > lane.answer);
  for (const { row } of since) scribe.out.flag(row, Flag.compaction);
  lane.measured = lane.measured.filter(half => half.row <= lane.answer);
}
