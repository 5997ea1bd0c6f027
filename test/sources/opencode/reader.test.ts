import { chmodSync, copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { accepts, companion, roots } from '../../../src/sources/opencode/paths.ts';
import { opencode } from '../../../src/sources/opencode/reader.ts';
import { mutated } from '../mutations.ts';
import { drawn, readAll, tokensByModel, touched } from '../reading.ts';
import { contentsOf, inFolder, leftBehind, readPaths, type Told, Writer } from './databases.ts';

const T = 1_795_970_000_000;
const counts = (input: number, read: number, write: number, output: number, reasoning: number, total?: number) => ({
  input,
  output,
  reasoning,
  cache: { read, write },
  total: total ?? input + read + write + output + reasoning,
});
const says = (at: number, text: string, more: object = {}): Message => [
  { id: `msg_${at}`, sessionID: 's', role: 'user', time: { created: T + at * 1000 } },
  [{ type: 'text', text, ...more }],
];
const answers = (at: number, tokens: object | undefined, parts: object[] = [], more: object = {}): Message => [
  {
    id: `msg_${at}`,
    sessionID: 's',
    role: 'assistant',
    modelID: 'm',
    path: { cwd: '/w/repo', root: '/w/repo' },
    time: { created: T + at * 1000, completed: T + at * 1000 + 900 },
    ...(tokens ? { tokens } : {}),
    ...more,
  },
  parts,
];
const ran = (id: string, tool: string, input: object, more: object = {}) => ({
  id,
  type: 'tool',
  tool,
  callID: id,
  state: { status: 'completed', input, output: 'ok', metadata: {}, time: { start: T + 5000, end: T + 6000 }, ...more },
});
type Message = [info: Record<string, unknown>, parts: object[]];
const exported = (messages: Message[], info: object = {}) => ({
  info: { id: 's', directory: '/w/repo', version: '1.18.0', ...info },
  messages: messages.map(([each, parts]) => ({ info: each, parts })),
});
const read = (...messages: Message[]) => readAll(opencode, { '/x/s.json': [exported(messages)] });
const told = (session: string, messages: Message[], more: Partial<Told> = {}): Told => ({
  session,
  messages: messages.map(([info, parts]) => [
    `${session}_${info.id}`,
    { ...info, sessionID: session, id: undefined },
    parts,
  ]),
  ...more,
});

describe('usage keeps its kinds apart', () => {
  test('cache and reasoning stand beside input and output', () => {
    expect(drawn(read(says(0, 'Go'), answers(1, counts(10063, 5000, 7, 88, 144))))).toEqual([
      'prompt "Go"',
      '  call m 10063+5000+7+88+144',
    ]);
  });

  test('a total that shows reasoning inside the output is believed', () => {
    expect(drawn(read(answers(1, counts(100, 0, 0, 50, 20, 150))))).toEqual(['call m 100+0+0+30+20']);
  });

  test('a total that fits neither is told, and so are steps that do not sum', () => {
    const step = { type: 'step-finish', tokens: counts(1, 0, 0, 1, 0) };
    const { ledgers } = read(answers(1, counts(100, 0, 0, 50, 20, 999), [step]));
    expect(ledgers[0]?.notes).toEqual([
      'usage that contradicts itself at byte 0: a total of 999 where the kinds sum to 170',
      'steps of a message do not sum to its counts',
    ]);
  });

  test('an answer that was cut off is unknown and not nothing', () => {
    expect(drawn(read(answers(1, counts(0, 0, 0, 0, 0), [{ type: 'text', text: 'x' }])))).toEqual(['call m ?']);
  });
});

describe('who says what', () => {
  test('prompts of the command line lose the quotation marks that nobody typed', () => {
    expect(drawn(read(says(0, '"Say \\"hi\\" twice"'), says(1, 'hi'), says(2, '"a" or "b"')))).toEqual([
      'prompt "Say \\"hi\\" twice"',
      'prompt "hi"',
      'prompt "\\"a\\" or \\"b\\""',
    ]);
  });

  test('a compaction is an event, its answer is marked, and what the client says then is no prompt', () => {
    const asked: Message = [says(2, '')[0], [{ type: 'compaction', auto: true }]];
    const rows = drawn(
      read(
        says(0, 'Go'),
        asked,
        answers(3, counts(9, 0, 0, 1, 0), [], { summary: true, mode: 'compaction' }),
        says(4, 'Continue', { synthetic: true }),
      ),
    );
    expect(rows).toEqual([
      'prompt "Go"',
      '  event compaction',
      '  call m 9+0+0+1+0 +compaction',
      'event continuation +opensTurn',
    ]);
  });

  test.each<[object, string[]]>([
    [{ name: 'APIError', data: { statusCode: 429, message: 'me@x.y' } }, ['event api-error error http-429']],
    [{ name: 'UnknownError', data: { message: 'private' } }, ['event api-error error api-error']],
    [{ name: 'MessageAbortedError' }, ['event interruption interrupted interrupted']],
  ])('a refusal before the first word costs nothing: %j', (error, expected) => {
    expect(drawn(read(answers(1, counts(0, 0, 0, 0, 0), [], { error })))).toEqual(expected);
  });

  test('unknown parts and roles are counted', () => {
    const odd: Message = [{ ...says(1, '')[0], role: 'frob' }, []];
    expect([...(read(says(0, 'Go', { type: 'frob' }), odd).ledgers[0]?.unknown ?? [])]).toEqual([
      ['part frob', 1],
      ['role frob', 1],
    ]);
  });
});

describe('tool calls', () => {
  test.each<[object, string[]]>([
    [{ metadata: { exit: 0 } }, ['', '']],
    [{ metadata: { exit: 3 } }, ['error', 'exit-3']],
    [{ status: 'error', error: 'File not found: /secret' }, ['error', 'not-found']],
    [{ status: 'error', error: 'The user rejected permission to use this' }, ['denied', 'denied']],
    [{ status: 'error', error: 'Tool execution aborted' }, ['interrupted', 'interrupted']],
    [{ status: 'running' }, ['unanswered', '']],
  ])('%j', (state, expected) => {
    const { ops } = read(answers(4, counts(1, 0, 0, 1, 0), [ran('t', 'bash', { command: 'x' }, state)]));
    expect([ops.field.status.get(1), ops.field.error.get(1)]).toEqual(expected);
  });

  test('a call ends when its first tool begins, and each tool has its own times', () => {
    const parts = [ran('a', 'read', { filePath: '/w/a' }), ran('b', 'bash', { command: 'ls' })];
    const message = answers(4, counts(1, 0, 0, 1, 0), parts, { time: { created: T + 4000, completed: T + 7000 } });
    expect(drawn(read(message), { times: true })).toEqual([
      'call m 1+0+0+1+0 0..1',
      '  tool read 1..2',
      '  tool bash 1..2',
    ]);
  });

  test('what ran has touched its places', () => {
    const patch = '*** Begin Patch\n*** Add File: n.ts\n+x\n*** Delete File: o.ts\n*** End Patch';
    const parts = [
      ran('1', 'read', { filePath: '/w/a' }),
      ran('2', 'write', { filePath: '/w/b' }, { metadata: { exists: false } }),
      ran('3', 'edit', { filePath: '/w/c' }),
      ran('4', 'edit', { filePath: '/w/d' }, { status: 'error', error: 'oldString not found in content' }),
      ran('5', 'bash', { command: 'ls', workdir: '/w/sub' }),
      ran('6', 'webfetch', { url: 'https://a.example/x' }),
      ran('7', 'apply_patch', { patchText: patch }),
    ];
    expect(touched(read(answers(4, counts(1, 0, 0, 1, 0), parts)))).toEqual([
      'read /w/a',
      'create /w/b',
      'write /w/c',
      'shell ls (/w/sub)',
      'url https://a.example/x',
      'create n.ts',
      'delete o.ts',
    ]);
  });
});

describe('databases', () => {
  const turn = [
    says(0, 'Go'),
    answers(1, counts(9, 0, 0, 1, 0), [ran('t', 'bash', { command: 'ls' })]),
    answers(7, counts(5, 0, 0, 2, 0)),
  ];
  const drawnTurn = ['prompt "Go"', '  call m 9+0+0+1+0', '    tool bash', '  call m 5+0+0+2+0'];

  test('everything may lie in the log of a client that is running; nothing is left beside it', () => {
    inFolder(folder => {
      const writer = new Writer(join(folder, 'opencode.db'));
      writer.tell(told('s', turn));
      const before = contentsOf(folder);
      expect(existsSync(`${writer.path}-wal`)).toBe(true);
      expect(opencode.sniffWhole?.(writer.path)).toBe(true);
      expect(drawn(readPaths([writer.path]))).toEqual(drawnTurn);
      expect(contentsOf(folder)).toEqual(before);
      expect(leftBehind()).toEqual([]);
      writer.close();
      expect(drawn(readPaths([writer.path]))).toEqual(drawnTurn);
    });
  });

  test('a database without a log, through a link, in a folder that may not be written', () => {
    inFolder(folder => {
      const writer = new Writer(join(folder, 'opencode.db'), 'delete');
      writer.tell(told('s', turn));
      writer.close();
      chmodSync(folder, 0o500);
      expect(drawn(readPaths([writer.path]))).toEqual(drawnTurn);
      chmodSync(folder, 0o700);
    });
  });

  test('a fork copies messages under new ids: they count once', () => {
    inFolder(folder => {
      const writer = new Writer(join(folder, 'opencode.db'));
      writer.tell(told('s1', turn));
      writer.tell(told('s2', [...turn, says(20, 'More'), answers(21, counts(3, 0, 0, 1, 0))]));
      writer.close();
      const both = readPaths([writer.path]);
      expect(drawn(both)).toEqual([...drawnTurn, 'prompt "More"', '  call m 3+0+0+1+0']);
      expect(tokensByModel(both).get('all')?.calls).toBe(3);
    });
  });

  test('the JSON storage from before a migration, and an export, repeat the database: all count once', () => {
    inFolder(folder => {
      const writer = new Writer(join(folder, 'opencode.db'));
      writer.tell(told('s', turn));
      writer.close();
      const paths = [writer.path];
      for (const [info, parts] of turn) {
        const at = join(folder, 'storage', 'message', 's', `${info.id}.json`);
        put(at, info);
        for (const [n, part] of parts.entries()) {
          put(join(folder, 'storage', 'part', String(info.id), `prt_${n}.json`), part);
        }
        paths.push(at);
      }
      put(join(folder, 'storage', 'session', 'p', 's.json'), { id: 's', directory: '/w/repo', version: '1.1.0' });
      const at = join(folder, 'export.json');
      put(at, exported(turn));
      paths.push(at);
      expect(drawn(readPaths(paths))).toEqual(drawnTurn);
    });
  });

  test('a subagent is told its task, by the call that names its session', () => {
    inFolder(folder => {
      const writer = new Writer(join(folder, 'opencode.db'));
      const task = ran('t', 'task', { subagent_type: 'general', prompt: 'Look' }, { metadata: { sessionId: 'child' } });
      writer.tell(told('s', [says(0, 'Go'), answers(1, counts(9, 0, 0, 1, 0), [task])]));
      writer.tell(told('child', [says(3, 'Look'), answers(4, counts(5, 0, 0, 2, 0))], { parent: 's' }));
      writer.close();
      const { ops, links } = readPaths([writer.path]);
      const child = ops.sessions.find('opencode', 'child') as number;
      expect(ops.sessions.all[child]).toMatchObject({ parent: 's', subagent: 'general', cwd: '/w/repo' });
      expect(ops.field.tool.get(links.spawn[child] as number)).toBe('task');
    });
  });

  test('a row that is no JSON costs itself; a database of somebody else is none', () => {
    inFolder(folder => {
      const writer = new Writer(join(folder, 'opencode.db'));
      writer.tell({
        session: 's',
        messages: [
          ['a', '{broken'],
          ['b', '[1]'],
          ['c', answers(1, counts(9, 0, 0, 1, 0))[0]],
          ['d', '['.repeat(100_000)],
        ],
      });
      writer.close();
      const damaged = readPaths([writer.path]);
      expect(drawn(damaged)).toEqual(['call m 9+0+0+1+0']);
      expect(damaged.ledgers[0]).toMatchObject({ lines: 4, badLines: 3 });
      const other = new Writer(join(folder, 'other.db'));
      other.exec('drop table message');
      other.close();
      expect(opencode.sniffWhole?.(other.path)).toBe(false);
      const empty = readPaths([other.path]);
      expect(empty.ops.length).toBe(0);
      expect(empty.ledgers[0]?.notes).toEqual(['the database has no tables of messages']);
    });
  });

  test('what is missing, no database or half of one is an error with its path and never a crash', () => {
    inFolder(folder => {
      const text = join(folder, 'text.db');
      writeFileSync(text, 'hello');
      const torn = join(folder, 'torn.db');
      const writer = new Writer(join(folder, 'opencode.db'), 'delete');
      writer.tell(told('s', turn));
      writer.close();
      copyFileSync(writer.path, torn);
      writeFileSync(torn, Buffer.alloc(4096, 7), { flag: 'r+' });
      for (const path of [join(folder, 'none.db'), text, torn]) {
        expect(opencode.sniffWhole?.(path)).toBe(false);
        expect(() => readPaths([path])).toThrow(path);
      }
      expect(leftBehind()).toEqual([]);
    });
  });
});

test('damaged messages never make it throw, never a call twice', () => {
  const [a, b] = [
    says(0, 'Go'),
    answers(1, counts(9, 1, 1, 1, 1), [
      ran('t', 'bash', { command: 'ls' }),
      { type: 'step-finish', tokens: counts(9, 1, 1, 1, 1) },
    ]),
  ];
  const records = [exported([a, b]), a[0], b[0]];
  fc.assert(
    fc.property(mutated(records, records), made => {
      const { ops } = readAll(opencode, { '/x/s.json': made });
      for (const column of Object.values(ops.tokens)) {
        for (let row = 0; row < ops.length; row++) if (!Number.isSafeInteger(column.get(row))) return false;
      }
      return true;
    }),
    { numRuns: 50 },
  );
});

test.each([
  undefined,
  null,
  1,
  'x',
  [],
  {},
  { id: 1, role: 'user' },
  { info: {}, messages: [null] },
  JSON.parse('{"__proto__":1}'),
])('a record like %j costs nothing but itself', value => {
  expect(() => readAll(opencode, { '/h/a.json': [value, value] })).not.toThrow();
  expect(opencode.sniff({ path: '/h/a.json', records: [value] })).toBe(false);
  expect(opencode.sniff({ path: '/h/a.json', records: [], document: value })).toBe(false);
});

test('places', () => {
  const paths = (env: NodeJS.ProcessEnv) => roots('/h', env).map(root => root.path);
  expect(paths({})).toEqual(['/h/.local/share/opencode']);
  expect(paths({ XDG_DATA_HOME: '/d' })).toEqual(['/d/opencode']);
  expect(paths({ XDG_DATA_HOME: '/d', OPENCODE_DATA_DIR: '/a,/b' })).toEqual(['/a', '/b']);
  const names = [
    'opencode.db',
    'opencode-dev.db',
    'opencode.db-wal',
    'storage/message/s/m.json',
    'storage/part/m/p.json',
    'log/x.db',
  ];
  expect(names.filter(accepts)).toEqual(['opencode.db', 'opencode-dev.db', 'storage/message/s/m.json']);
  expect(['/h/opencode/storage/part/m/p.json', '/h/opencode/opencode.db-wal', '/h/x.json'].map(companion)).toEqual([
    true,
    true,
    false,
  ]);
  expect(opencode.dependsOn?.('/h/opencode.db')).toEqual(['/h/opencode.db-wal']);
});

function put(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(value));
}
