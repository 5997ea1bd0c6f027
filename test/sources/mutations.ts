import fc from 'fast-check';

/** Records as a damaged or hostile file holds them: cut, doubled, moved, spliced, with values of the wrong shape. */
export function mutated(records: readonly unknown[], others: readonly unknown[]): fc.Arbitrary<unknown[]> {
  const step = fc.record({
    what: fc.constantFrom('cut', 'double', 'swap', 'splice', 'spoil'),
    at: fc.nat(),
    to: fc.nat(),
    value: fc.jsonValue({ maxDepth: 2 }),
  });
  return fc.array(step, { minLength: 1, maxLength: 8 }).map(steps => {
    const made = [...records];
    for (const { what, at, to, value } of steps) {
      const i = at % Math.max(1, made.length);
      const j = to % Math.max(1, made.length);
      if (what === 'cut') made.splice(i, 1 + (to % 3));
      else if (what === 'double') made.splice(j, 0, made[i]);
      else if (what === 'splice') made.splice(i, 0, others[to % Math.max(1, others.length)]);
      else if (what === 'swap') [made[i], made[j]] = [made[j], made[i]];
      else made[i] = spoiled(made[i], to, value);
    }
    return made;
  });
}

/** The value with one of its members, at any depth, replaced. */
function spoiled(value: unknown, at: number, by: unknown): unknown {
  if (typeof value !== 'object' || value === null || at % 7 === 0) return by;
  const copy = structuredClone(value) as Record<string, unknown>;
  const keys = Object.keys(copy);
  const key = keys[at % Math.max(1, keys.length)];
  if (key === undefined) return by;
  Object.defineProperty(copy, key, {
    value: spoiled(copy[key], Math.floor(at / 3), by),
    enumerable: true,
    configurable: true,
    writable: true,
  });
  return copy;
}
