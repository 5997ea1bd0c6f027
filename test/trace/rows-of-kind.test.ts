import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Kind, NO_ROW } from '../../src/trace/kinds.ts';
import { Operations } from '../../src/trace/operations.ts';
import { rowsOf } from '../../src/trace/rows-of-kind.ts';

test('property: rows of one kind, or of two, are those that a look at each row finds, in their order', () => {
  const kind = fc.constantFrom(Kind.prompt, Kind.call, Kind.tool, Kind.event);
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...Object.values(Kind))), kind, kind, (kinds, one, other) => {
      const ops = new Operations();
      const session = ops.sessions.of('agent', 's', 0);
      for (const each of kinds) ops.add(each, session, NO_ROW, 0, 0, 0, 0);
      const found = (wanted: readonly Kind[]) => kinds.flatMap((each, row) => (wanted.includes(each) ? row : []));
      expect([...rowsOf(ops, one)]).toEqual(found([one]));
      expect([...rowsOf(ops, one, other)]).toEqual(found([one, other]));
    }),
  );
});
