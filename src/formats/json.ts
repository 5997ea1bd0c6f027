import type { Evidence, Label, Profile } from '../profile/profile.ts';
import { stackOf, totalOf } from '../profile/tree.ts';
import { type Sink, TextChunks } from './sink.ts';

export const PROFILE_SCHEMA = 'agentpprof.profile/1';

/**
 * Writes the whole profile as one JSON object, with its keys in this order:
 *
 * ```
 * {"schema":"agentpprof.profile/1",
 *  "view":"tokens",                                 name of the view
 *  "measure":"tokens",                              the measure that is its width
 *  "measures":[{"name":"tokens","unit":"count"}],   units: count, nanoseconds, microusd
 *  "totals":{"tokens":12},                          each measure over all samples
 *  "time_nanos":0,                                  last operation, ns since the epoch; 0 where there is none
 *  "duration_nanos":0,                              union of the sessions' wall time
 *  "comments":["..."],                              versions, selection, coverage, time zone
 *  "frames":[{"kind":"prompt","value":"debug"}],
 *  "label_sets":[[],[{"key":"session","text":"s1"},{"key":"turn","number":3,"unit":"count"}]],
 *  "samples":[{"stack":[0],                         numbers of frames, root first; [] belongs to no frame
 *              "labels":1,                          number of a label set
 *              "values":[12],                       one a measure, in their order
 *              "evidence":[{"session":"s1","file":0,"offset":120,"bytes":80}]}]}
 * ```
 *
 * An integer (totals, values, times) is a JSON number while it is exact as a double, at most 2^53 - 1 in magnitude,
 * and a string of its digits beyond. `evidence` says where the operations behind a sample stand: pseudonymous
 * session, number of the file in it, byte range; it is absent where the profile has none, and capped a sample.
 * Two samples may have one stack where their labels differ. Readers should ignore keys they do not know: a change
 * that breaks this description gets another number in `schema`.
 */
export function writeJson(profile: Profile, sink: Sink): void {
  const out = new TextChunks(sink);
  const { samples } = profile;
  const totals = profile.measures.map(m => `${text(m.name)}:${integer(totalOf(profile, m.name))}`);

  out.add(`{"schema":${text(PROFILE_SCHEMA)},\n"view":${text(profile.view)},\n"measure":${text(profile.measure)},\n`);
  out.add(`"measures":${JSON.stringify(profile.measures.map(({ name, unit }) => ({ name, unit })))},\n`);
  out.add(`"totals":{${totals.join(',')}},\n`);
  out.add(`"time_nanos":${integer(profile.timeNanos)},\n"duration_nanos":${integer(profile.durationNanos)},\n`);
  out.add(`"comments":${JSON.stringify(profile.comments)},\n`);
  list(out, 'frames', profile.frames.length, i => {
    const { kind, value } = profile.frames[i]!;
    return JSON.stringify({ kind, value });
  });
  out.add(',\n');
  list(out, 'label_sets', profile.labelSets.length, i => JSON.stringify(profile.labelSets.at(i)!.map(ordered)));
  out.add(',\n');
  list(out, 'samples', samples.length, i => {
    const values = samples.values.map(column => integer(column[i]!)).join(',');
    const evidence = evidenceOf(profile, i);
    const tail = evidence === undefined ? '' : `,"evidence":${JSON.stringify(evidence)}`;
    return `{"stack":[${stackOf(profile, samples.node[i]!)}],"labels":${samples.labels[i]!},"values":[${values}]${tail}}`;
  });
  out.add('}\n');
  out.flush();
}

/** One item a line: such a file can be compared and searched line by line. */
function list(out: TextChunks, key: string, length: number, item: (index: number) => string): void {
  out.add(`${text(key)}:[`);
  for (let i = 0; i < length; i++) out.add(`${i === 0 ? '\n' : ',\n'}${item(i)}`);
  out.add(length === 0 ? ']' : '\n]');
}

function text(value: string): string {
  return JSON.stringify(value);
}

function integer(value: bigint): string {
  const exact = value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER);
  return exact ? value.toString() : `"${value}"`;
}

function ordered(label: Label): Label {
  return 'text' in label
    ? { key: label.key, text: label.text }
    : { key: label.key, number: label.number, unit: label.unit };
}

function evidenceOf(profile: Profile, sample: number): Evidence[] | undefined {
  const { evidence, evidenceFirst } = profile.samples;
  if (evidence === undefined || evidenceFirst === undefined) return undefined;
  return evidence
    .slice(evidenceFirst[sample]!, evidenceFirst[sample + 1]!)
    .map(({ session, file, offset, bytes }) => ({ session, file, offset, bytes }));
}
