import { hash32 } from '../text/hash.ts';
import { words } from '../text/words.ts';
import type { Step } from './steps.ts';

/** How alike the words left and right of a gap are, and how deep the dip is, as levels of the evidence. */
export interface Cohesion {
  readonly level: number;
  readonly dip: number;
}

/** Steps on each side whose words are compared. */
const WINDOW = 4;
const MOST_TEXT = 600;
const MOST_COMMAND = 400;
const UNKNOWN = -1;

/** One entry a step (that of step 0 is unknown). Steps without words make gaps unknown. Linear in the words. */
export function cohesionOf(steps: readonly Step[]): Cohesion[] {
  const vocabulary = new Map<number, number>();
  const bags = steps.map(step => Uint32Array.from(bagOf(step), word => numbered(vocabulary, word)));
  const weight = weightsOf(bags, vocabulary.size);
  const windows = new Windows(weight);
  const alike = new Float64Array(steps.length).fill(UNKNOWN);
  for (let at = 0; at < Math.min(WINDOW, bags.length); at++) windows.right(bags[at] as Uint32Array, 1);
  for (let at = 1; at < steps.length; at++) {
    const passed = bags[at - 1] as Uint32Array;
    windows.right(passed, -1);
    windows.left(passed, 1);
    if (at > WINDOW) windows.left(bags[at - 1 - WINDOW] as Uint32Array, -1);
    if (at + WINDOW - 1 < bags.length) windows.right(bags[at + WINDOW - 1] as Uint32Array, 1);
    alike[at] = windows.cosine();
  }
  const dips = dipsOf(alike);
  return Array.from(alike, (value, at) => ({ level: levelOf(value, value), dip: levelOf(value, dips[at] as number) }));
}

function numbered(vocabulary: Map<number, number>, word: number): number {
  let number = vocabulary.get(word);
  if (number === undefined) vocabulary.set(word, (number = vocabulary.size));
  return number;
}

/** The square of how rare each word is among the steps; a word of every step weighs next to nothing. */
function weightsOf(bags: readonly Uint32Array[], words: number): Float64Array {
  const frequency = new Uint32Array(words);
  for (const bag of bags) for (const word of bag) frequency[word] = (frequency[word] as number) + 1;
  return Float64Array.from(frequency, count => Math.log((bags.length + 1) / count) ** 2);
}

/**
 * Words of a few steps left and right of a gap that moves: how many of the steps have each. What one step adds or takes
 * changes sums by what its words weigh, so moving on by a step costs its words alone.
 */
class Windows {
  private readonly weight: Float64Array;
  private readonly counts: readonly [Uint8Array, Uint8Array];
  private readonly squares: [number, number] = [0, 0];
  private readonly steps: [number, number] = [0, 0];
  private dot = 0;

  constructor(weight: Float64Array) {
    this.weight = weight;
    this.counts = [new Uint8Array(weight.length), new Uint8Array(weight.length)];
  }

  left(bag: Uint32Array, by: 1 | -1): void {
    this.change(0, bag, by);
  }

  right(bag: Uint32Array, by: 1 | -1): void {
    this.change(1, bag, by);
  }

  private change(side: 0 | 1, bag: Uint32Array, by: 1 | -1): void {
    const [own, other] = [this.counts[side], this.counts[1 - side] as Uint8Array];
    if (bag.length > 0) this.steps[side] += by;
    for (const word of bag) {
      const before = own[word] as number;
      const weight = this.weight[word] as number;
      own[word] = before + by;
      this.squares[side] += weight * (2 * before * by + 1);
      this.dot += weight * by * (other[word] as number);
    }
  }

  /** UNKNOWN where one side has no words. */
  cosine(): number {
    const [left, right] = this.squares;
    if (this.steps[0] === 0 || this.steps[1] === 0 || left < 1e-9 || right < 1e-9) return UNKNOWN;
    return Math.max(0, this.dot) / Math.sqrt(left * right);
  }
}

/** Words of a step: what was said, the command, the parts of paths; each once. Values of free fields are objects only. */
function bagOf(step: Step): ReadonlySet<number> {
  const bag = new Set<number>();
  const take = (text: string) => {
    for (const word of words(text)) if (word.length > 2 || word.charCodeAt(0) > 0x7f) bag.add(hash32(word));
  };
  take(step.said.slice(0, MOST_TEXT));
  take(step.command.slice(0, MOST_COMMAND));
  for (const object of step.objects) if (!object.includes('=')) take(object);
  return bag;
}

/** Depth of each value below the nearest peaks to its left and right. */
function dipsOf(values: Float64Array): Float64Array {
  const n = values.length;
  const left = new Float64Array(n);
  const right = new Float64Array(n);
  for (let at = 1; at < n; at++) left[at] = peak(values, left, at, at - 1, 1);
  for (let at = n - 1; at >= 1; at--) right[at] = peak(values, right, at, at + 1, 1);
  return values.map((value, at) => (left[at] as number) + (right[at] as number) - 2 * value);
}

/** The peak on the way uphill from `at` through `next`: that of `next` where it is not lower. */
function peak(values: Float64Array, peaks: Float64Array, at: number, next: number, first: number): number {
  const value = values[at] as number;
  if (next < first || next >= values.length || (values[next] as number) < value) return value;
  return peaks[next] as number;
}

function levelOf(known: number, value: number): number {
  if (known === UNKNOWN) return 0;
  return value < 0.05 ? 1 : value < 0.15 ? 2 : value < 0.3 ? 3 : value < 0.5 ? 4 : 5;
}
