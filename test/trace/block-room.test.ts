import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BlockRoom, copyRows } from '../../src/trace/blocks.ts';
import { hashKey } from '../../src/trace/keys.ts';
import { Kind, NO_ROW } from '../../src/trace/kinds.ts';
import { Operations } from '../../src/trace/operations.ts';
import { Texts } from '../../src/trace/texts.ts';

/** One row of a block, as a reader writes it; what is 0 or '' is not written. */
const row = fc.record({
  bytes: fc.constantFrom<number[]>(0, 1, 255, 256, 65_536),
  parent: fc.boolean(),
  time: fc.constantFrom<number[]>(0, 7, 2 ** 32, 2 ** 50),
  tokens: fc.constantFrom<number[]>(0, 300, 70_000),
  key: fc.constantFrom<string[]>('', 'a', 'b'),
  tool: fc.oneof(fc.constantFrom('', 'Bash', 'Read'), fc.nat(700).map(String)),
  prompt: fc.constantFrom<string[]>('', 'fix it', '修好它'),
  path: fc.constantFrom<string[]>('', 'a.ts'),
  free: fc.constantFrom<string[]>('', '', '', '', 'x', 'y'),
});
type Row = typeof row extends fc.Arbitrary<infer T> ? T : never;

test('a block in the memory of those before it gives what a block of its own gives, whatever these held', () => {
  const session = fc.constantFrom('s', 't', 'u');
  const file = fc.record({ session, rows: fc.array(row, { maxLength: 90 }) });
  fc.assert(
    fc.property(fc.array(file, { maxLength: 7 }), files => {
      const whole = new Operations(new Texts(['prompt']));
      const room = new BlockRoom(whole, ['prompt']);
      const blocks: Operations[] = [];
      const expected: (Row & { file: number; session: string })[] = [];
      files.forEach(({ session, rows }, at) => {
        const block = room.take();
        blocks.push(block);
        // A block is as new: nothing of the last one is seen before anything is written.
        expect([block.length, block.sessions.all.length, block.touches.length]).toEqual([0, 0, 0]);
        const number = block.sessions.of('agent', session, at);
        for (const each of rows) {
          write(block, number, at, each);
          expected.push({ ...each, parent: each.parent && block.length > 1, file: at, session });
        }
        const sessions = block.sessions.all.map(facts => whole.sessions.join(facts, at));
        const first = copyRows(whole, block, 0, block.length);
        for (let own = first; own < whole.length; own++)
          whole.session.set(own, sessions[whole.session.get(own)] as number);
        whole.texts.take(block.texts, first);
        whole.touches.take(block.touches, first);
        room.giveBack(block);
      });
      expect(whole.length).toBe(expected.length);
      expect(expected.map((_, at) => read(whole, at))).toEqual(expected);
      // The memory is indeed used again, unless a block had fields of its own.
      const plain = files.every(({ rows }) => rows.every(({ free }) => free === ''));
      if (plain) expect(new Set(blocks).size).toBe(Math.min(1, files.length));
    }),
  );
});

function write(block: Operations, session: number, file: number, row: Row): void {
  const at = block.add(
    Kind.tool,
    session,
    row.parent && block.length > 0 ? block.length - 1 : NO_ROW,
    row.time,
    file,
    0,
    row.bytes,
  );
  block.tokens.input_tokens.set(at, row.tokens);
  if (row.key !== '') block.setKey(at, row.key);
  block.field.tool.set(at, row.tool);
  block.texts.put('prompt', at, row.prompt);
  block.touches.add(at, 'read', row.path);
  if (row.free !== '') block.freeField('phase').set(at, row.free);
}

function read(ops: Operations, at: number): Row & { file: number; session: string } {
  const key = ['a', 'b'].find(name => {
    const { high, low } = hashKey(name);
    return ops.key.high[at] === high && ops.key.low[at] === low;
  });
  return {
    bytes: ops.bytes.get(at),
    parent: ops.parent.get(at) !== 0,
    time: ops.start.get(at),
    tokens: ops.tokens.input_tokens.get(at),
    key: key ?? (ops.key.has(at) ? 'another' : ''),
    tool: ops.field.tool.get(at),
    prompt: ops.texts.get('prompt', at),
    path: ops.touches.values[ops.touches.rows.indexOf(at)] ?? '',
    free: ops.free.get('phase')?.get(at) ?? '',
    file: ops.file.get(at),
    session: ops.sessions.all[ops.session.get(at)]?.id ?? '',
  };
}
