import type { Profile } from '../../profile/profile.ts';
import { blocksOf } from '../../profile/value-columns.ts';
import { type WasmMemory, WasmModule } from '../../trace/webassembly.ts';
import { MAX_VARINT } from '../protobuf.ts';
import { KERNEL } from './wasm.ts';

/** What assembly/kernel.ts exports; addresses and lengths are bytes of its memory. */
interface Exports {
  readonly memory: WasmMemory;
  freeAt(): number;
  samples(
    ...of: [
      ...[nodes: number, sets: number, values: number, stride: number, measures: number, from: number, count: number],
      ...[parents: number, frames: number, labelFirst: number, labels: number],
      ...[deepest: number, scratch: number, out: number, room: number],
    ]
  ): number;
}

const MODULE = new WasmModule<Exports>(KERNEL);
const PAGE = 1 << 16;
/** Samples that are handed to the kernel at once. */
const BLOCK = 8192;
/** Bytes of output that are handed over at once; more where one sample takes more. */
const ROOM = 1 << 20;
/** Bytes of a sample besides its parts: tags and lengths. */
const FRAMING = 32;

/** Whether this runtime runs the kernel. */
export function encoderRuns(): boolean {
  return MODULE.runs();
}

/** The encoded labels of every set, one behind the other; set i lies in [first[i], first[i + 1]). */
export interface LabelBytes {
  readonly bytes: Uint8Array;
  readonly first: Uint32Array;
}

/**
 * Encodes the samples of a profile, in WebAssembly: the loop is hot from its first sample on there, and most profiles are
 * written before plain JavaScript is. What `sink` gets is good until it returns.
 */
export function encodeSamples(
  { samples, nodes }: Profile,
  labels: LabelBytes,
  sink: (chunk: Uint8Array) => void,
): void {
  const kernel = MODULE.instance();
  const measures = samples.values.length;
  const values = blocksOf(samples.values);
  const deepest = depthOf(nodes.parent);
  const longest = FRAMING + 5 * deepest + MAX_VARINT * measures + longestOf(labels);
  const room = Math.max(ROOM, longest);

  let top = kernel.freeAt();
  const place = (bytes: number): number => {
    const at = top;
    top = Math.ceil((top + bytes) / 8) * 8;
    return at;
  };
  const block = Math.min(BLOCK, samples.length);
  const [nodesAt, setsAt, valuesAt] = [place(4 * block), place(4 * block), place(8 * block * measures)];
  const [parentsAt, framesAt] = [place(4 * nodes.parent.length), place(4 * nodes.parent.length)];
  const [firstAt, labelsAt] = [place(4 * labels.first.length), place(labels.bytes.length)];
  const [scratch, out] = [place(16 + 5 * deepest + MAX_VARINT * measures), place(room)];
  kernel.memory.grow(Math.max(0, Math.ceil((top - kernel.memory.buffer.byteLength) / PAGE)));

  const bytes = new Uint8Array(kernel.memory.buffer);
  const words = new Uint32Array(kernel.memory.buffer, 0, kernel.memory.buffer.byteLength >>> 2);
  const wide = new BigInt64Array(kernel.memory.buffer, 0, kernel.memory.buffer.byteLength >>> 3);
  words.set(nodes.parent, parentsAt >>> 2);
  words.set(nodes.frame, framesAt >>> 2);
  words.set(labels.first, firstAt >>> 2);
  bytes.set(labels.bytes, labelsAt);

  for (let start = 0; start < samples.length; start += block) {
    const count = Math.min(block, samples.length - start);
    words.set(samples.node.subarray(start, start + count), nodesAt >>> 2);
    words.set(samples.labels.subarray(start, start + count), setsAt >>> 2);
    values(start, count, wide.subarray(valuesAt >>> 3), block);
    for (let from = 0; from < count; ) {
      from += kernel.samples(
        ...([nodesAt, setsAt, valuesAt, 8 * block, measures, from, count] as const),
        ...([parentsAt, framesAt, firstAt, labelsAt, deepest, scratch, out, room] as const),
      );
      sink(bytes.subarray(out, out + (words[scratch >>> 2] as number)));
    }
  }
}

/** Frames of the deepest stack. A parent stands before its children. */
function depthOf(parent: Uint32Array): number {
  const depth = new Uint32Array(parent.length);
  let deepest = 0;
  for (let n = 1; n < parent.length; n++) {
    const own = (depth[parent[n] as number] as number) + 1;
    depth[n] = own;
    if (own > deepest) deepest = own;
  }
  return deepest;
}

function longestOf({ first }: LabelBytes): number {
  let longest = 0;
  for (let set = 1; set < first.length; set++) {
    const own = (first[set] as number) - (first[set - 1] as number);
    if (own > longest) longest = own;
  }
  return longest;
}
