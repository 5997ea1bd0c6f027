/**
 * How far predicted groups of a session's operations agree with gold ones. All amounts are sums, so that sessions pool
 * by adding and a resampled set of sessions costs one addition a session.
 */
export interface Agreement {
  readonly operations: number;
  /** Sums over operations of B-cubed precision and recall. */
  readonly precision: number;
  readonly recall: number;
  /** Boundaries: in both, predicted, gold. */
  readonly hits: number;
  readonly predicted: number;
  readonly gold: number;
  /** Predicted boundaries that pair with a gold one at most one position away, each used once. */
  readonly nearHits: number;
}

/** Precision, recall and their harmonic mean, each 0 where nothing stands below the line. */
export interface Score {
  readonly p: number;
  readonly r: number;
  readonly f1: number;
}

export interface Scores {
  readonly b3: Score;
  readonly boundary: Score;
  readonly near: Score;
}

/**
 * One session. `gold` has one code an operation: operations of equal code are one group, wherever they stand. A
 * predicted group is a stretch: `cuts` is 1 for each operation that begins one (the first always does).
 */
export function agreementOf(cuts: ArrayLike<number>, gold: ArrayLike<number>): Agreement {
  const operations = gold.length;
  const sizes = new Map<number, number>();
  for (let at = 0; at < operations; at++) sizes.set(gold[at] as number, (sizes.get(gold[at] as number) ?? 0) + 1);
  let precision = 0;
  let recall = 0;
  for (let begin = 0; begin < operations; ) {
    let end = begin + 1;
    while (end < operations && cuts[end] !== 1) end++;
    const together = new Map<number, number>();
    for (let at = begin; at < end; at++) together.set(gold[at] as number, (together.get(gold[at] as number) ?? 0) + 1);
    for (const [code, count] of together) {
      precision += (count * count) / (end - begin);
      recall += (count * count) / (sizes.get(code) as number);
    }
    begin = end;
  }
  return { operations, precision, recall, ...boundaries(cuts, gold) };
}

function boundaries(cuts: ArrayLike<number>, gold: ArrayLike<number>) {
  let hits = 0;
  let predicted = 0;
  let actual = 0;
  let nearHits = 0;
  /** Gold boundaries may be taken from here on: pairs never cross, so the leftmost free one is always right to take. */
  let free = 1;
  for (let at = 1; at < gold.length; at++) {
    const isGold = gold[at] !== gold[at - 1];
    if (isGold) actual++;
    if (cuts[at] !== 1) continue;
    predicted++;
    if (isGold) hits++;
    for (let near = Math.max(free, at - 1); near <= at + 1 && near < gold.length; near++) {
      if (gold[near] === gold[near - 1]) continue;
      nearHits++;
      free = near + 1;
      break;
    }
  }
  return { hits, predicted, gold: actual, nearHits };
}

/** The scores of sessions pooled; `weights` counts each session that often (all once if absent). */
export function scoresOf(sessions: readonly Agreement[], weights?: ArrayLike<number>): Scores {
  let [operations, precision, recall, hits, predicted, gold, nearHits] = [0, 0, 0, 0, 0, 0, 0];
  for (let at = 0; at < sessions.length; at++) {
    const weight = weights === undefined ? 1 : (weights[at] as number);
    if (weight === 0) continue;
    const session = sessions[at] as Agreement;
    operations += weight * session.operations;
    precision += weight * session.precision;
    recall += weight * session.recall;
    hits += weight * session.hits;
    predicted += weight * session.predicted;
    gold += weight * session.gold;
    nearHits += weight * session.nearHits;
  }
  return {
    b3: score(precision, operations, recall, operations),
    boundary: score(hits, predicted, hits, gold),
    near: score(nearHits, predicted, nearHits, gold),
  };
}

function score(a: number, of: number, b: number, among: number): Score {
  const p = of === 0 ? 0 : a / of;
  const r = among === 0 ? 0 : b / among;
  return { p, r, f1: p + r === 0 ? 0 : (2 * p * r) / (p + r) };
}
