import type { Side } from '../profile/diff.ts';
import { type Change, type DiffTree, frameChanges } from '../profile/diff-tree.ts';
import { notesOf, nothingToShow } from './diff-words.ts';
import { type Sink, TextChunks } from './sink.ts';

export const DIFF_SCHEMA = 'agentpprof.diff/1';

/**
 * Writes the whole comparison as one JSON object, with its keys in this order:
 *
 * ```
 * {"schema":"agentpprof.diff/1",
 *  "view":"tokens","measure":"tokens",              what is looked at; intervals are of this measure
 *  "measures":[{"name":"tokens","unit":"count"}],
 *  "a":{"name":"October","sessions":17,             null where sessions are not told apart
 *       "given":{"tokens":12},                      totals before pairing and normalising
 *       "totals":{"tokens":12}},                    totals as compared
 *  "b":{...},
 *  "change":{"tokens":3},                           b.totals - a.totals = the sum of b - a over the nodes
 *  "normalized":false,"not_normalized":[],          measures without shares, left unchanged
 *  "paired":null,                                   or {"field","tasks","only_a","only_b"}: values are sums over
 *                                                   the tasks of the mean of a task; divide by tasks for the mean
 *  "noise":0.001,
 *  "intervals":null,                                or {"level","resamples","seed","over"}
 *  "no_interval":null,                              or {"reason":"bare|few|empty","of","least"}
 *  "nothing":null,                                  or the sentence that says why there is nothing to see
 *  "notes":["..."],"comments":["..."],
 *  "frames":[{"kind","value","a","b","change",      wherever they stand, in the measure
 *             "low","high","noise","fate"}],        interval or null; fate: stayed, appeared, vanished
 *  "nodes":[{"parent":0,"frame":0,                  numbers of a node before it and of a frame; node 0 is the whole
 *            "a":12,"b":15,"change":3,"low","high","noise","fate",   with all that is below it, in the measure
 *            "self_a":[1],"self_b":[2]}]}           what ended there, one a measure
 * ```
 *
 * Integers beyond 2^53 - 1 in magnitude are strings of their digits. Readers should ignore keys they do not know.
 */
export function writeDiffJson(tree: DiffTree, sink: Sink): void {
  const { comparison } = tree;
  const { measures, nodes, intervals, noInterval, paired } = comparison;
  const out = new TextChunks(sink);
  const text = JSON.stringify;
  const byMeasure = (values: readonly bigint[]) =>
    `{${measures.map(({ name }, m) => `${text(name)}:${integer(values[m] as bigint)}`).join(',')}}`;
  const totals = ({ self }: Side) => self.map(column => column.reduce((sum, value) => sum + value, 0n));
  const side = (each: Side) =>
    `{"name":${text(each.name)},"sessions":${each.sessions ?? null},"given":${byMeasure(each.given)},"totals":${byMeasure(totals(each))}}`;
  const [before, after] = [totals(comparison.a), totals(comparison.b)];

  out.add(
    `{"schema":${text(DIFF_SCHEMA)},\n"view":${text(comparison.view)},\n"measure":${text(comparison.measure.name)},\n`,
  );
  out.add(`"measures":${text(measures.map(({ name, unit }) => ({ name, unit })))},\n`);
  out.add(`"a":${side(comparison.a)},\n"b":${side(comparison.b)},\n`);
  out.add(`"change":${byMeasure(after.map((value, m) => value - (before[m] as bigint)))},\n`);
  out.add(`"normalized":${comparison.normalized},\n"not_normalized":${text(comparison.notNormalized)},\n`);
  out.add(
    `"paired":${text(
      paired === undefined
        ? null
        : { field: paired.field, tasks: paired.tasks, only_a: paired.onlyA, only_b: paired.onlyB },
    )},\n"noise":${comparison.noise},\n`,
  );
  const { level, resamples, seed, over } = intervals ?? {};
  out.add(`"intervals":${text(intervals === undefined ? null : { level, resamples, seed, over })},\n`);
  out.add(`"no_interval":${text(noInterval ?? null)},\n"nothing":${text(nothingToShow(tree) ?? null)},\n`);
  out.add(`"notes":${text(notesOf(tree))},\n"comments":${text(comparison.comments)},\n`);
  const frames = frameChanges(tree);
  list(out, 'frames', frames.length, i => {
    const { frame, ...change } = frames[i]!;
    return `{"kind":${text(frame.kind)},"value":${text(frame.value)},${changeText(change)}}`;
  });
  out.add(',\n');
  const selves = (each: Side, n: number) => each.self.map(column => integer(column[n] as bigint)).join(',');
  list(out, 'nodes', nodes.parent.length, n => {
    const place = `"parent":${n === 0 ? null : nodes.parent[n]},"frame":${n === 0 ? null : nodes.frame[n]}`;
    return `{${place},${changeText(tree.change(n))},"self_a":[${selves(comparison.a, n)}],"self_b":[${selves(comparison.b, n)}]}`;
  });
  out.add('}\n');
  out.flush();
}

function changeText({ a, b, change, low, high, noise, fate }: Change): string {
  const end = (value: bigint | undefined) => (value === undefined ? 'null' : integer(value));
  return `"a":${integer(a)},"b":${integer(b)},"change":${integer(change)},"low":${end(low)},"high":${end(high)},"noise":${noise},"fate":"${fate}"`;
}

/** One item a line, as in writeJson. */
function list(out: TextChunks, key: string, length: number, item: (index: number) => string): void {
  out.add(`"${key}":[`);
  for (let i = 0; i < length; i++) out.add(`${i === 0 ? '\n' : ',\n'}${item(i)}`);
  out.add(length === 0 ? ']' : '\n]');
}

function integer(value: bigint): string {
  const exact = value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER);
  return exact ? value.toString() : `"${value}"`;
}
