import type { Profile } from '../profile/profile.ts';
import { stackOf } from '../profile/tree.ts';
import type { Measure } from '../trace/measures.ts';
import { frameName, oneLine } from './names.ts';
import { type Sink, TextChunks } from './sink.ts';

const SCHEMA = 'https://www.speedscope.app/file-format-schema.json';

/** speedscope knows no counts and no money; `none` shows plain numbers. */
const UNITS: Readonly<Record<Measure['unit'], 'none' | 'nanoseconds'>> = {
  count: 'none',
  nanoseconds: 'nanoseconds',
  microusd: 'none',
};

interface Part {
  readonly name: string;
  readonly measure: number;
  /** Which samples belong to it, and the factor that makes their values positive. */
  readonly sign: 1n | -1n;
}

/**
 * Writes a file for https://www.speedscope.app (its file format schema): one sampled profile a measure, and the
 * view's opened first. Measures that are zero everywhere are left out, except the view's. speedscope refuses a
 * negative weight, so a measure of a difference becomes two profiles, `(more)` and `(less)`. Weights are written in
 * all their digits; a reader that keeps them as doubles rounds beyond 2^53. Labels have no place in this format.
 */
export function writeSpeedscope(profile: Profile, sink: Sink): void {
  const out = new TextChunks(sink);
  const parts = partsOf(profile);
  const active = Math.max(
    parts.findIndex(part => profile.measures[part.measure]!.name === profile.measure),
    0,
  );
  out.add(`{"$schema":${JSON.stringify(SCHEMA)},"exporter":"agentpprof","name":${JSON.stringify(profile.view)},\n`);
  out.add(`"activeProfileIndex":${active},\n"shared":{"frames":[`);
  profile.frames.forEach((frame, i) => {
    out.add(`${i === 0 ? '' : ','}\n${JSON.stringify({ name: oneLine(frameName(frame)) })}`);
  });
  out.add('\n]},\n"profiles":[');
  parts.forEach((part, i) => {
    if (i > 0) out.add(',');
    writePart(profile, part, out);
  });
  out.add('\n]}\n');
  out.flush();
}

function partsOf(profile: Profile): Part[] {
  const parts: Part[] = [];
  profile.measures.forEach(({ name }, measure) => {
    const values = profile.samples.values[measure]!;
    const less = values.some(value => value < 0n);
    const more = values.some(value => value > 0n);
    if (less) {
      if (more) parts.push({ name: `${name} (more)`, measure, sign: 1n });
      parts.push({ name: `${name} (less)`, measure, sign: -1n });
    } else if (more || name === profile.measure) {
      parts.push({ name, measure, sign: 1n });
    }
  });
  return parts;
}

function writePart(profile: Profile, part: Part, out: TextChunks): void {
  const { samples } = profile;
  const values = samples.values[part.measure]!;
  const weights: string[] = [];
  let end = 0n;
  const unit = UNITS[profile.measures[part.measure]!.unit];
  out.add(`\n{"type":"sampled","name":${JSON.stringify(part.name)},"unit":"${unit}","samples":[`);
  for (let i = 0; i < samples.length; i++) {
    const weight = values[i]! * part.sign;
    if (weight <= 0n) continue;
    out.add(`${weights.length === 0 ? '' : ','}[${stackOf(profile, samples.node[i]!)}]`);
    weights.push(weight.toString());
    end += weight;
  }
  out.add(`],\n"weights":[${weights.join(',')}],"startValue":0,"endValue":${end}}`);
}
