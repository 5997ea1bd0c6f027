import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstSight, nothingSeen, wasSeen } from '../../../src/sources/claude-code/seen.ts';

describe('identifiers of a file', () => {
  it('are new once, as in a Set, also behind a clone', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.uuid(), fc.string({ minLength: 1 }), fc.constantFrom('a', 'b', 'row-1', 'row-2')), {
          maxLength: 400,
        }),
        ids => {
          let seen = nothingSeen();
          const known = new Set<string>();
          for (const id of ids) {
            expect(wasSeen(seen, id)).toBe(known.has(id));
            expect(firstSight(seen, id)).toBe(!known.has(id));
            known.add(id);
            if (known.size % 50 === 0) seen = structuredClone(seen);
          }
          expect(seen.size).toBe(known.size);
        },
      ),
    );
  });

  it('do not collide in a hundred thousand', () => {
    const seen = nothingSeen();
    let count = 0;
    for (let i = 0; i < 50_000; i++) {
      if (firstSight(seen, randomUUID())) count++;
      if (firstSight(seen, `row-${i}`)) count++;
    }
    expect(count).toBe(100_000);
  });

  it('an empty one tells nothing', () => {
    const seen = nothingSeen();
    expect([firstSight(seen, ''), firstSight(seen, '')]).toEqual([true, true]);
  });
});
