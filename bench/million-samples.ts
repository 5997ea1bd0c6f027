// Encodes a profile of a million samples: 100,000 stacks of depth 8, eight labels a sample, three measures that are not
// zero. Prints the CPU time of the encoding and the compression alone, in seconds, and the bytes written.
import { writePprof } from '../src/formats/pprof.ts';
import type { Label, Profile } from '../src/profile/profile.ts';
import { MEASURES } from '../src/trace/measures.ts';

const SAMPLES = 1_000_000;
const STACKS = 100_000;
const DEPTH = 8;
const LABEL_SETS = 50_000;

function profile(): Profile {
  const frames = Array.from({ length: 2_000 }, (_, at) => ({ kind: 'tool', value: `frame ${at}` }));
  const nodes = 1 + STACKS * DEPTH;
  const parent = new Uint32Array(nodes);
  const frame = new Uint32Array(nodes);
  for (let node = 1; node < nodes; node++) {
    parent[node] = (node - 1) % DEPTH === 0 ? 0 : node - 1;
    frame[node] = (Math.imul(node, 0x9e3779b1) % frames.length) >>> 0;
  }
  const labelSets: Label[][] = [[]];
  for (let at = 1; at < LABEL_SETS; at++) {
    const text = (key: string, of: number): Label => ({ key, text: `${key} ${at % of}` });
    const texts = [text('session', 3_000), text('agent', 2), text('project', 24), text('model', 5), text('branch', 40)];
    labelSets.push([
      ...texts,
      text('subagent', 300),
      text('prompt_id', LABEL_SETS),
      { key: 'turn', number: at, unit: 'count' },
    ]);
  }
  const node = new Uint32Array(SAMPLES);
  const labels = new Uint32Array(SAMPLES);
  const values = MEASURES.map(() => new BigInt64Array(SAMPLES));
  for (let sample = 0; sample < SAMPLES; sample++) {
    node[sample] = 1 + (sample % STACKS) * DEPTH + DEPTH - 1;
    labels[sample] = 1 + (sample % (LABEL_SETS - 1));
    for (const measure of [0, 9, 11]) (values[measure] as BigInt64Array)[sample] = BigInt((sample * 7919) % 100_000);
  }
  return {
    view: 'tokens',
    measure: 'tokens',
    measures: MEASURES,
    frames,
    nodes: { parent, frame },
    samples: { length: SAMPLES, node, labels, values },
    labelSets,
    comments: [],
    timeNanos: 0n,
    durationNanos: 0n,
  };
}

const made = profile();
const before = process.cpuUsage();
let bytes = 0;
writePprof(made, chunk => {
  bytes += chunk.length;
});
const { user, system } = process.cpuUsage(before);
console.log(JSON.stringify({ cpu: (user + system) / 1e6, bytes }));
