import { ByteReader, ByteWriter } from '../formats/bytes.ts';
import type { PageContent, PageFacts } from '../formats/cells-code.ts';
import type { Frame } from '../profile/profile.ts';
import type { Measure } from '../trace/measures.ts';
import type { Flame } from './flame.ts';
import { type Model, modelOf } from './model.ts';
import { periodsOf, type Timebars } from './periods.ts';
import { filterMask, NO_FILTER, project } from './project.ts';
import { FILTERED } from './state.ts';
import { sumsOf } from './under.ts';

/**
 * What a page shows before it has read its cells: the numbers and the flame graph it starts with, laid out when the
 * file was written. Every number in it is the one that the cells give; only boxes too narrow to be seen are missing.
 */
export interface FirstView {
  readonly facts: Omit<PageFacts, 'previews'>;
  readonly outline: Outline;
  /** The exact sum of each measure, in digits. */
  readonly sums: readonly string[];
  readonly bars: Timebars;
  /** Not there where a double cannot hold the whole. */
  readonly boxes?: PackedBoxes;
}

/** What there is to choose from. */
export interface Outline {
  readonly measures: readonly Measure[];
  /** Nothing was selected. */
  readonly empty: boolean;
  /** Frames that a stack may name, sorted. */
  readonly kinds: readonly string[];
  /** First and last day, '' where no cell has one. */
  readonly days: readonly [first: string, last: string];
  /** Dimensions with more than one value to filter by. */
  readonly filtered: readonly string[];
}

interface PackedBoxes {
  /** Levels of the whole flame, of which the first are here. */
  readonly levels: number;
  /** Kinds and values in turn. A long value of a narrow box is '': nothing of it could be read. */
  readonly frames: readonly string[];
  readonly count: number;
  /** For each node but the root, as base64 of varints: frame, steps back to its parent, gap before it, total, self. */
  readonly nodes: string;
}

/** Boxes of a level that share one of this many places are drawn as one, as the painter would. */
const PLACES = 1600;
/** A tall screen shows no more at once. */
const LEVELS = 64;
const SHORT_NAME = 24;
const READABLE = 1 / 120;

export function outlineOf(model: Model): Outline {
  const days = model.dimensions.get('day')?.values.filter(day => day !== '') ?? [];
  return {
    measures: model.cells.measures,
    empty: model.cells.length === 0,
    kinds: model.kinds,
    days: [days[0] ?? '', days.at(-1) ?? ''],
    filtered: FILTERED.filter(name => (model.dimensions.get(name)?.values.length ?? 0) > 1),
  };
}

/** The frames of a view that a history knows; the first frame of all where it knows none. */
export function knownStack(stack: readonly string[], outline: Outline): readonly string[] {
  const known = stack.filter(name => outline.kinds.includes(name));
  return known.length > 0 ? known : outline.kinds.slice(0, 1);
}

export function firstViewOf({ facts, cells }: PageContent): FirstView {
  const model = modelOf(cells);
  const outline = outlineOf(model);
  const stack = knownStack(facts.stack, outline);
  const mask = filterMask(model, NO_FILTER);
  const flame = project(model, stack, facts.measure, mask);
  const { previews: _, ...rest } = facts;
  const fits = (flame.total[0] as number) < Number.MAX_SAFE_INTEGER / 2;
  return {
    facts: rest,
    outline,
    sums: sumsOf(model, () => true).map(String),
    bars: periodsOf(model, stack, facts.measure, 'day', mask),
    ...(fits ? { boxes: packed(flame) } : {}),
  };
}

function packed(flame: Flame): PackedBoxes {
  const kept = seen(flame);
  const widest = new Map<number, number>();
  for (const node of kept.slice(1)) {
    const frame = flame.frame[node] as number;
    widest.set(frame, Math.max(widest.get(frame) ?? 0, flame.total[node] as number));
  }
  const readable = (flame.total[0] as number) * READABLE;
  const code = new Map<number, number>();
  const frames: string[] = [];
  for (const [frame, width] of widest) {
    const { kind, value } = flame.frames[frame] as Frame;
    code.set(frame, code.size);
    frames.push(kind, width < readable && value.length > SHORT_NAME ? '' : value);
  }
  const out = new ByteWriter();
  const place = new Map(kept.map((node, at) => [node, at]));
  const filled = new Float64Array(kept.length);
  kept.forEach((node, at) => {
    const total = flame.total[node] as number;
    const self = flame.self[node] as number;
    const start = flame.start[node] as number;
    filled[at] = start;
    if (at === 0) {
      out.varint(total);
      out.varint(self);
      return;
    }
    const up = place.get(flame.parent[node] as number) as number;
    out.varint(code.get(flame.frame[node] as number) as number);
    out.varint(at - up - 1);
    out.varint(start - (filled[up] as number));
    out.varint(total);
    out.varint(self === total ? 0 : self + 1);
    filled[up] = start + total;
  });
  return { levels: flame.levels.length, frames, count: kept.length, nodes: base64(out.finish()) };
}

/** The nodes that a screen can show: each with a place of its own, below nodes that are shown, in the flame's order. */
function seen(flame: Flame): number[] {
  const whole = flame.total[0] as number;
  const last = new Int32Array(LEVELS).fill(-1);
  const kept = [0];
  const shown = new Uint8Array(flame.length);
  shown[0] = 1;
  if (whole === 0) return kept;
  for (let node = 1; node < flame.length; node++) {
    const depth = flame.depth[node] as number;
    if (depth >= LEVELS || shown[flame.parent[node] as number] === 0) continue;
    const start = flame.start[node] as number;
    const place = Math.floor(((start + (flame.total[node] as number)) / whole) * PLACES);
    if (place === last[depth]) continue;
    last[depth] = place;
    shown[node] = 1;
    kept.push(node);
  }
  return kept;
}

/** The boxes as a flame. Levels that were left out are empty. */
export function flameOf(boxes: PackedBoxes): Flame {
  const { count } = boxes;
  const frames: Frame[] = [];
  for (let at = 0; at < boxes.frames.length; at += 2)
    frames.push({ kind: boxes.frames[at] as string, value: boxes.frames[at + 1] as string });
  const from = new ByteReader(bytesOf(boxes.nodes));
  const column = () => new Uint32Array(count);
  const [frame, parent, depth, end] = [column(), column(), column(), column()];
  const [self, total, start, filled] = [0, 1, 2, 3].map(() => new Float64Array(count)) as [
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  const levels: number[][] = Array.from({ length: boxes.levels }, () => []);
  levels[0]?.push(0);
  total[0] = from.varint();
  self[0] = from.varint();
  for (let node = 1; node < count; node++) {
    frame[node] = from.varint();
    const up = node - from.varint() - 1;
    parent[node] = up;
    depth[node] = (depth[up] as number) + 1;
    start[node] = filled[node] = (filled[up] as number) + from.varint();
    total[node] = from.varint();
    const said = from.varint();
    self[node] = said === 0 ? (total[node] as number) : said - 1;
    filled[up] = (start[node] as number) + (total[node] as number);
    levels[depth[node] as number]?.push(node);
  }
  for (let node = count - 1; node >= 0; node--) {
    end[node] = Math.max(end[node] as number, node + 1);
    const up = parent[node] as number;
    if (node > 0) end[up] = Math.max(end[up] as number, end[node] as number);
  }
  const empty = new Uint32Array(0);
  return {
    length: count,
    frames,
    frame,
    parent,
    depth,
    end,
    self,
    total,
    start,
    levels: levels.map(nodes => (nodes.length === 0 ? empty : Uint32Array.from(nodes))),
    exactSelf: node => BigInt(self[node] as number),
    exactTotal: node => BigInt(total[node] as number),
  };
}

function base64(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

/** Bytes of base64 text. */
export function bytesOf(text: string): Uint8Array {
  const fast = (Uint8Array as { fromBase64?: (text: string) => Uint8Array }).fromBase64;
  if (fast) return fast.call(Uint8Array, text);
  const latin = atob(text);
  const bytes = new Uint8Array(latin.length);
  for (let at = 0; at < latin.length; at++) bytes[at] = latin.charCodeAt(at);
  return bytes;
}
