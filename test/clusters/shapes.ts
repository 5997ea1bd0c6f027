import { type Matrix, matrixOf } from '../../src/clusters/matrix.ts';

/** A small seeded generator, so that a failing shape can be looked at again. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** A normal deviate by Box and Muller. */
export function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Points with the shape each was made for. */
export interface Shape {
  readonly points: Matrix;
  readonly made: number[];
}

export interface Blob {
  readonly at: readonly number[];
  readonly spread: number;
  readonly points: number;
}

export function blobs(given: readonly Blob[], seed = 1): Shape {
  const random = seeded(seed);
  const rows: number[][] = [];
  const made: number[] = [];
  given.forEach(({ at, spread, points }, label) => {
    for (let i = 0; i < points; i++) {
      rows.push(at.map(middle => middle + spread * normal(random)));
      made.push(label);
    }
  });
  return { points: matrixOf(rows), made };
}

/** Two half circles that reach into each other. */
export function moons(each: number, noise: number, seed = 1): Shape {
  const random = seeded(seed);
  const rows: number[][] = [];
  const made: number[] = [];
  for (let i = 0; i < 2 * each; i++) {
    const upper = i < each;
    const angle = Math.PI * random();
    const [x, y] = upper ? [Math.cos(angle), Math.sin(angle)] : [1 - Math.cos(angle), 0.5 - Math.sin(angle)];
    rows.push([x + noise * normal(random), y + noise * normal(random)]);
    made.push(upper ? 0 : 1);
  }
  return { points: matrixOf(rows), made };
}

export function scattered(points: number, dims: number, width: number, seed = 1): number[][] {
  const random = seeded(seed);
  return Array.from({ length: points }, () => Array.from({ length: dims }, () => width * random()));
}
