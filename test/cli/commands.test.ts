import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Profile } from 'pprof-format';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentpprof, scratch } from './program.ts';

const place = scratch('commands');
const at = (name: string) => join(place.path, name);
afterAll(() => place.remove());

const user = (uuid: string, time: string, content: unknown) => ({
  type: 'user',
  uuid,
  timestamp: `2026-11-01T10:${time}Z`,
  sessionId: 'aaaa1111-0000-4000-8000-000000000001',
  cwd: '/srv/web',
  version: '2.1.0',
  message: { role: 'user', content },
});
const assistant = (uuid: string, time: string, id: string, content: unknown[], output: number) => ({
  type: 'assistant',
  uuid,
  timestamp: `2026-11-01T10:${time}Z`,
  sessionId: 'aaaa1111-0000-4000-8000-000000000001',
  cwd: '/srv/web',
  version: '2.1.0',
  message: {
    id,
    role: 'assistant',
    model: 'claude-sonnet-4-5-20250929',
    stop_reason: 'end_turn',
    content,
    usage: { input_tokens: 10, cache_read_input_tokens: 100, cache_creation_input_tokens: 5, output_tokens: output },
  },
});
const SESSION = [
  user('u1', '00:00.000', 'Why does the login test fail?'),
  assistant(
    'a1',
    '00:05.000',
    'msg_1',
    [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'npm test' } }],
    20,
  ),
  user('u2', '00:09.000', [{ type: 'tool_result', tool_use_id: 't1', is_error: true, content: 'Exit code 1\nfailed' }]),
  assistant('a2', '00:12.000', 'msg_2', [{ type: 'text', text: 'It is the clock.' }], 30),
];

beforeAll(() => {
  const folder = at('home/.claude/projects/-srv-web');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'aaaa1111-0000-4000-8000-000000000001.jsonl'),
    `${SESSION.map(row => JSON.stringify(row)).join('\n')}\n`,
  );
  mkdirSync(at('empty'));
});

const home = ['--home', at('home')];

describe('the commands of the literature', () => {
  test('a token flame graph with the preset', () => {
    const ran = agentpprof([...home, '--view', 'tokens', '--tagger', 'regex', '--preset', '-o', at('tokens.svg')]);
    expect([ran.code, ran.err]).toEqual([0, expect.stringContaining('280 tokens')]);
    expect(readFileSync(at('tokens.svg'), 'utf8')).toMatch(/^<\?xml|^<svg/);
  });

  test("a rule of one's own, with Chinese in it", () => {
    const ran = agentpprof([
      ...home,
      '--tag-rule',
      'prompt:debug=(?i)fix|error|bug|broken|为啥|login',
      '-o',
      '-',
      '--format',
      'folded',
    ]);
    expect(ran.out).toContain(
      'agent:claude-code;prompt:debug;call:llm/test;model:claude-sonnet-4-5-20250929;token:output 20\n',
    );
  });

  test('a project and the files view as pprof', () => {
    const ran = agentpprof([...home, '--project-root', '/srv/web', '--view', 'files', '-o', at('files.pb.gz')]);
    expect(ran.code).toBe(0);
    const profile = Profile.decode(gunzipSync(readFileSync(at('files.pb.gz'))));
    expect(profile.sampleType.map(type => profile.stringTable.strings[Number(type.type)])).toEqual([
      'operations',
      'files',
      'network',
      'errors',
      'input_tokens',
      'cache_read_tokens',
      'cache_write_tokens',
      'output_tokens',
      'reasoning_tokens',
      'time',
      'cost',
      'tokens',
    ]);
  });

  test('operations of a file with frames of its own', () => {
    writeFileSync(
      at('operations.jsonl'),
      '{"value":1,"fields":{"project":"web","agent":"a","task":"login","phase":"debug","op":["read","grep"]}}\n{"measures":{"tokens":5,"time":7},"fields":{"project":"web","agent":"a","task":"login","phase":"debug","op":"edit"}}\n',
    );
    const ran = agentpprof([
      '--operation-file',
      at('operations.jsonl'),
      '--view',
      'operations',
      '--stack',
      'project,agent,task,phase,op',
      '-o',
      at('x.folded'),
    ]);
    expect(ran.code).toBe(0);
    expect(readFileSync(at('x.folded'), 'utf8')).toBe(
      'project:web;agent:a;task:login;phase:debug;op:edit 1\nproject:web;agent:a;task:login;phase:debug;op:read;op:grep 1\n',
    );
  });

  test('without -o a summary in words', () => {
    const ran = agentpprof(home);
    expect(ran.out).toContain('280 tokens');
    expect(ran.out).toContain('debug');
    expect(ran.out).toContain('preset');
  });
});

describe('stacks and rules', () => {
  test('--op-map derives a field, --stack-rule overrides a frame', () => {
    const ran = agentpprof([
      ...home,
      '--view',
      'operations',
      '--op-map',
      'phase:verify=command=npm',
      '--stack-rule',
      'tool:Terminal=tool=Bash',
      '--stack',
      'phase,tool',
      '-o',
      '-',
    ]);
    expect(ran.out).toContain('phase:verify;tool:Terminal 1');
  });

  test('--op-map-file holds such rules, one a line', () => {
    writeFileSync(at('map.txt'), '# phases\nphase:verify=command=npm\n');
    const ran = agentpprof([
      ...home,
      '--view',
      'operations',
      '--op-map-file',
      at('map.txt'),
      '--where',
      'phase=verify',
      '--stack',
      'phase,tool',
      '-o',
      '-',
    ]);
    expect(ran.out).toBe('phase:verify;tool:Bash 1\n');
  });

  test('--mask hides a name behind a pseudonym that stays the same', () => {
    const masked = agentpprof([...home, '--stack', 'project,model', '--mask', 'project', '-o', '-']);
    expect(masked.out).toMatch(/^project:project-[0-9a-f]{8};/);
    expect(masked.out).not.toContain('web');
  });

  test('ids leave as pseudonyms, which --session-id takes back', () => {
    const all = agentpprof([...home, '--stack', 'session', '-o', '-']);
    const id = /session:(s-[0-9a-f]{10}) 280/.exec(all.out)?.[1];
    expect(agentpprof([...home, '--stack', 'session', '--session-id', id!, '-o', '-']).out).toBe(all.out);
    expect(agentpprof([...home, '--session-id', 'aaaa1111', '--json']).out).toContain('"tokens": 280');
  });
});

describe('lists and ledgers', () => {
  test('sessions, by day, by tool with its failure rate', () => {
    expect(agentpprof(['sessions', ...home]).out).toMatch(/s-[0-9a-f]{10}\s+claude-code\s+web/);
    expect(agentpprof(['sessions', ...home, '--by', 'day']).out).toContain('2026-11-01');
    expect(agentpprof(['sessions', ...home, '--by', 'tool']).out).toMatch(/Bash\s+1\s+1\s+100\.0 %\s+4\.0 s/);
    expect(JSON.parse(agentpprof(['sessions', ...home, '--by', 'model', '--json']).out).rows[0]).toMatchObject({
      name: 'claude-sonnet-4-5-20250929',
      calls: 2,
      tokens: 280,
    });
  });

  test('reconcile --json keeps its contract', () => {
    expect(JSON.parse(agentpprof(['reconcile', ...home, '--json']).out)).toEqual({
      schema: 'agentpprof.reconcile/1',
      agents: [
        expect.objectContaining({
          agent: 'claude-code',
          files: 1,
          sessions: 1,
          subagents: 0,
          prompts: 1,
          calls: 2,
          tool_calls: 1,
        }),
      ],
      total: {
        files: 1,
        sessions: 1,
        subagents: 0,
        prompts: 1,
        calls: 2,
        tool_calls: 1,
        tokens: { input: 20, cache_read: 200, cache_write: 10, output: 50, reasoning: 0, total: 280 },
        models: {
          'claude-sonnet-4-5-20250929': {
            calls: 2,
            input: 20,
            cache_read: 200,
            cache_write: 10,
            output: 50,
            reasoning: 0,
            total: 280,
          },
        },
        cost_microusd: 908,
        unpriced_calls: 0,
        dropped: { repeated_rows: 0, copied_history: 0, repeated_counters: 0 },
        unknown_records: {},
        bad_lines: 0,
        lower_bound_calls: 0,
      },
    });
  });

  test('explain leads from a frame to the bytes of a file', () => {
    const ran = agentpprof(['explain', 'prompt:debug;tool:Bash', ...home, '--json', '--full-paths']);
    const { shown } = JSON.parse(ran.out);
    expect(shown).toHaveLength(1);
    const { file, offset, bytes } = shown[0];
    const record = JSON.parse(
      readFileSync(file)
        .subarray(offset, offset + bytes)
        .toString(),
    );
    expect(record.message.content[0].name).toBe('Bash');
  });

  test('doctor says where it looked', () => {
    const ran = agentpprof(['doctor', ...home, '--json']);
    const { places } = JSON.parse(ran.out);
    expect(places).toContainEqual(expect.objectContaining({ agent: 'claude-code', state: 'searched', taken: 1 }));
    expect(places).toContainEqual(expect.objectContaining({ agent: 'codex', state: 'missing' }));
  });
});

describe('an empty result is a success that explains itself', () => {
  test('no history at all', () => {
    const ran = agentpprof(['--home', at('empty'), '-o', at('empty.pb.gz')]);
    expect(ran.code).toBe(0);
    expect(ran.err).toMatch(/No operations selected\. Looked at:\n.*missing/);
    const profile = Profile.decode(gunzipSync(readFileSync(at('empty.pb.gz'))));
    expect([profile.sample.length, profile.sampleType.length]).toEqual([0, 12]);
  });

  test('a selection that keeps nothing names what was narrowed and which projects there are', () => {
    const ran = agentpprof([...home, '--project-root', '/nowhere', '-o', at('none.svg')]);
    expect(ran.code).toBe(0);
    expect(ran.err).toContain('project nowhere');
    expect(ran.err).toContain('/srv/web');
    expect(readFileSync(at('none.svg'), 'utf8')).toContain('<svg');
  });
});

describe('wrong usage ends with 2, one line, and the way out', () => {
  test.each<[string, string[], RegExp]>([
    ['an unknown view', ['--view', 'token'], /^agentpprof: --view: .* Views: operations, tokens/],
    [
      'an unknown frame',
      ['--stack', 'agent,tol'],
      /^agentpprof: --stack: there is no frame "tol"\. Known frames: agent, /,
    ],
    ['an empty stack', ['--stack', ','], /--stack: the stack is empty/],
    ['an unknown extension', ['-o', at('x.xyz')], /^agentpprof: -o: .*\.pb\.gz/],
    ['a folder that is not there', ['-o', at('no/x.svg')], /^agentpprof: -o: there is no directory/],
    ['a folder as output', ['-o', at('empty')], /^agentpprof: -o: .* is a directory|must end in/],
    ['a bad pattern', ['--tag-rule', 'debug=('], /^agentpprof: --tag-rule/],
    ['a lookahead', ['--where', 'tool~(?=B)'], /^agentpprof: --where: .*lookaround/],
    ['a bad date', ['--since', 'soon'], /^agentpprof: --since: cannot read "soon"/],
    ['since after until', ['--since', 'today', '--until', '2020-01-01'], /--since: is later than --until/],
    ['an unknown agent', ['--agent', 'clippy'], /--agent: there is no agent "clippy"\. Known agents: claude-code/],
    ['an unknown tagger', ['--tagger', 'magic'], /--tagger: there is no tagger/],
    ['a missing file', ['--session-file', '/nowhere/x.jsonl'], /--session-file: there is no file/],
    ['a directory as a file', ['--session-file', at('empty')], /use --session-dir/],
    [
      'a file as a directory',
      ['--session-dir', at('home/.claude/projects/-srv-web/aaaa1111-0000-4000-8000-000000000001.jsonl')],
      /use --session-file/,
    ],
    [
      'a rule for a frame outside the stack',
      ['--stack-rule', 'file:x=tool=y'],
      /--stack-rule: the frame "file" is not in the stack/,
    ],
    ['a mask of nothing known', ['--mask', 'projct'], /--mask: there is no frame/],
    ['an unknown flag', ['--frobnicate'], /unknown option/],
    ['labels that are none', ['--labels', at('home')], /--labels: cannot read/],
  ])('%s', (_, args, message) => {
    const ran = agentpprof([...(args.some(arg => arg.startsWith('--session')) ? [] : home), ...args]);
    expect(ran.err).toMatch(message);
    expect(ran.code).toBe(2);
    expect(ran.err).not.toMatch(/\n\s+at /);
  });

  test('an output that cannot be written fails before anything is read', () => {
    const ran = agentpprof(['--session-dir', at('home'), '-o', '/proc/nope/x.svg']);
    expect([ran.code, ran.out]).toEqual([2, '']);
  });
});

describe('bad files cost themselves alone', () => {
  test('binary, empty, half a line, unknown rows and a line that is no JSON', () => {
    const folder = at('bad');
    mkdirSync(folder);
    const rows = SESSION.map(row => JSON.stringify(row));
    writeFileSync(join(folder, 'good.jsonl'), `${rows.join('\n')}\n`);
    writeFileSync(join(folder, 'binary.jsonl'), Buffer.from([0, 1, 2, 255, 254, 10, 0, 7]));
    writeFileSync(join(folder, 'empty.jsonl'), '');
    const other = rows.map(row =>
      row
        .replaceAll('msg_', 'msg_b')
        .replaceAll('aaaa1111', 'bbbb2222')
        .replaceAll(/"uuid":"(\w+)"/g, '"uuid":"b$1"')
        .replaceAll('"t1"', '"bt1"'),
    );
    writeFileSync(
      join(folder, 'torn.jsonl'),
      [...other.slice(0, 2), other[2]!.slice(0, 40), ...other.slice(2), '{"type":"assis'].join('\n'),
    );
    writeFileSync(
      join(folder, 'odd.jsonl'),
      `${rows[0]!.replaceAll('aaaa1111', 'cccc3333').replace('"u1"', '"c1"')}\n${'{"type":"frobnicate","sessionId":"cccc3333-0000-4000-8000-000000000001"}\n'.repeat(200)}`,
    );
    const ran = agentpprof(['reconcile', '--session-dir', folder, '--json']);
    expect(ran.code).toBe(0);
    const { total } = JSON.parse(ran.out);
    expect(total).toMatchObject({ calls: 4, prompts: 3, bad_lines: 1, unknown_records: { frobnicate: 200 } });
    expect(total.tokens.total).toBe(560);
  });

  test.skipIf(process.getuid?.() === 0)('a file that may not be read is named, the others are profiled', () => {
    const folder = at('locked');
    mkdirSync(folder);
    writeFileSync(join(folder, 'good.jsonl'), `${SESSION.map(row => JSON.stringify(row)).join('\n')}\n`);
    writeFileSync(join(folder, 'locked.jsonl'), 'x');
    chmodSync(join(folder, 'locked.jsonl'), 0);
    const ran = agentpprof(['reconcile', '--session-dir', folder, '--json']);
    expect(ran.err).toContain('locked.jsonl');
    expect(JSON.parse(ran.out).total.calls).toBe(2);
  });
});

describe('writing', () => {
  test('the same input gives the same bytes in every format', () => {
    for (const extension of ['pb.gz', 'pb', 'folded', 'svg', 'json', 'speedscope.json', 'txt']) {
      agentpprof([...home, '-o', at(`one.${extension}`)]);
      agentpprof([...home, '-o', at(`two.${extension}`)]);
      expect(readFileSync(at(`one.${extension}`)).equals(readFileSync(at(`two.${extension}`)))).toBe(true);
    }
  });

  test('leaves no temporary file behind, and several writers never leave half a file', () => {
    agentpprof([...home, '-o', at('final.svg')]);
    expect(readdirSync(place.path).filter(name => name.endsWith('.tmp'))).toEqual([]);
  });

  test('--help of every command shows its flags', () => {
    for (const command of ['', 'profile', 'sessions', 'reconcile', 'explain', 'doctor']) {
      const ran = agentpprof([...(command === '' ? [] : [command]), '--help']);
      expect([ran.code, ran.out]).toEqual([0, expect.stringContaining('Usage: agentpprof')]);
    }
  });
});
