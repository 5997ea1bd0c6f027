import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { agentpprof, PROGRAM, scratch } from './program.ts';

const place = scratch('mistakes');
afterAll(() => place.remove());
const FIXTURE = join(import.meta.dirname, '../fixtures/gemini-cli');

test('a format that the ending of the file contradicts is wrong usage, and writes nothing', () => {
  const svg = join(place.path, 'x.svg');
  const ran = agentpprof(['--session-dir', FIXTURE, '-o', svg, '--format', 'json'], { home: place.path });
  expect([ran.code, ran.out, existsSync(svg)]).toEqual([2, '', false]);
  expect(ran.err).toMatch(/--format: json does not fit the ending of .*x\.svg, which is that of svg/);
  expect(agentpprof(['--session-dir', FIXTURE, '-o', svg, '--format', 'svg'], { home: place.path }).code).toBe(0);
  const other = join(place.path, 'x.out');
  expect(agentpprof(['--session-dir', FIXTURE, '-o', other, '--format', 'json'], { home: place.path }).code).toBe(0);
});

test('calls of which no usage was recorded are told wherever they show as 0', () => {
  const file = join(import.meta.dirname, '../fixtures/streams/codex.jsonl');
  const cut = join(place.path, 'cut.jsonl');
  expect(agentpprof(['--session-file', file], { home: place.path }).out).not.toContain('usage unknown');
  cutFile(file, cut);
  for (const command of [[], ['sessions'], ['reconcile']])
    expect(agentpprof([...command, '--session-file', cut], { home: place.path }).out).toContain(
      'usage unknown for 1 of 1 call:',
    );
  const { rows } = JSON.parse(agentpprof(['sessions', '--session-file', cut, '--json'], { home: place.path }).out);
  expect(rows).toEqual([expect.objectContaining({ calls: 1, unknown_usage_calls: 1, tokens: 0 })]);
});

/** The first turn without its end. */
function cutFile(from: string, to: string): void {
  const lines = readFileSync(from, 'utf8').split('\n');
  writeFileSync(to, `${lines.slice(0, 5).join('\n')}\n`);
}

test('amounts of an operation file that cannot be counted are told in the ledger', () => {
  const file = join(place.path, 'amounts.jsonl');
  const amounts = ['{"value":"abc"', '{"value":-5', '{"value":1e400', '{"value":0.5', '{"value":3'];
  writeFileSync(file, amounts.map(start => `${start},"fields":{"op":"x"}}\n`).join(''));
  const ran = agentpprof(['reconcile', '--operation-file', file, '--json', '--no-cache'], { home: place.path });
  const [operations] = JSON.parse(ran.out).agents;
  expect(operations.unknown_records).toEqual({
    'value: not a number from 0 on, counted 0': 3,
    'value: a fraction, rounded': 1,
  });
});

test('a file of marks that is not there is wrong usage, not a view without marks', () => {
  const file = join(place.path, 'no-marks.json');
  for (const command of [[], ['segment', 'review'], ['evaluate', 'segments', '--gold', 'x', '--backend', 'marks']]) {
    const ran = agentpprof([...command, '--session-dir', FIXTURE, '--marks', file], { home: place.path });
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining(`--marks: there is no file ${file}`)]);
  }
});

test('the help tells no default that is only an empty list', () => {
  const { code, out } = agentpprof(['explain', '--help'], { home: place.path });
  expect([code, out.includes('(repeatable)'), out.includes('[])')]).toEqual([0, true, false]);
});

test('a rule file that somebody may have worked on is never written over', () => {
  const file = join(place.path, 'rules.yaml');
  writeFileSync(file, '# mine\n');
  const ran = agentpprof(['tags', 'init', '--session-dir', FIXTURE, '-o', file], { home: place.path });
  expect([ran.code, readFileSync(file, 'utf8')]).toEqual([2, '# mine\n']);
  expect(ran.err).toContain(`-o: ${file} is there already`);
});

test('a name of a history that a message quotes cannot speak to the terminal', () => {
  const file = join(place.path, 'escapes.jsonl');
  const line = (project: string) => `${JSON.stringify({ value: 1, fields: { project } })}\n`;
  writeFileSync(file, line('\u001b[31mred') + line('\u0000nul') + line('plain'));
  const ran = agentpprof(['diff', '--operation-file', file, '--by', 'project', '--a', 'nope', '--b', 'plain'], {
    home: place.path,
  });
  expect(ran.code).toBe(2);
  expect(ran.err).toContain('red');
  expect(ran.err).not.toMatch(/\p{Cc}(?<!\n)/u);
});

test.each([
  ['profle', /^agentpprof: there is no command "profle"; did you mean profile\?$/m],
  ['bogus', /^agentpprof: there is no command "bogus"; the commands are profile, /],
])('%s is no command', (name, message) => {
  const ran = agentpprof([name, '--since', '30d'], { home: place.path });
  expect([ran.code, ran.out, ran.err]).toEqual([2, '', expect.stringMatching(message)]);
});

test.each([[['tags', 'status']], [['tags', 'suggest']], [['rank']], [['segment', 'run']], [['segment', 'status']]])(
  '%j of an empty home says where it looked',
  command => {
    const empty = join(place.path, 'nobody');
    expect(agentpprof(command, { home: empty }).err).toMatch(/^No operations selected\. Looked at:\n {2}~\/\.claude/m);
  },
);

test('an evaluation that would never end is wrong usage', () => {
  const args = ['evaluate', 'segments', '--gold', 'x', '--draws', '99999999999'];
  const ran = agentpprof(args, { home: place.path });
  expect([ran.code, ran.err]).toEqual([
    2,
    'agentpprof: --draws: 99999999999 is more than the 1000000 that make sense.\n',
  ]);
});

test('a name that a terminal would obey is kept in files, and shown harmless on a terminal', () => {
  const file = join(place.path, 'names.jsonl');
  writeFileSync(file, `${JSON.stringify({ value: 1, fields: { op: 'a\u001b]0;owned\u0007b' } })}\n`);
  const args = [
    '--operation-file',
    file,
    '--view',
    'operations',
    '--stack',
    'op',
    '-q',
    '--format',
    'folded',
    '-o',
    '-',
  ];
  expect(agentpprof(args, { home: place.path }).out).toContain('a\u001b]0,owned\u0007b');
  const typed = [process.execPath, PROGRAM, ...args].join(' ');
  const shown = execFileSync('script', ['-qec', typed, '/dev/null'], {
    env: { PATH: process.env.PATH ?? '', HOME: place.path, TERM: 'xterm' },
    encoding: 'utf8',
  });
  expect(shown).toContain('op:a\ufffd]0,owned\ufffdb 1');
});

test.each([
  [['segment', 'run', '--protocol', 'nope'], '--protocol: is pass or recursive, not "nope"'],
  [['segment', 'run', '--protocol', 'recursive'], '--protocol recursive: only --backend llm uses it'],
  [['segment', 'run', '--exec', './mark.py'], '--exec: only --backend exec uses it'],
  [['segment', 'run', '--model-file', 'm.json'], '--model-file: only --backend learned uses it'],
  [['--llm-url', 'notaurl'], '--llm-url: a lone word is no address'],
  [['--tagger', 'llm', '--llm-url', 'notaurl'], '--llm-url: a lone word is no address'],
  [['cluster', '--embed-url', 'ftp://x'], '--embed-url: ftp: is not http or https'],
  [['--llm-budget', 'much'], '--llm-budget: "much" is no positive number'],
  [['--llm-timeout', '0'], '--llm-timeout: "0" is no positive number'],
])('%j is wrong usage also where this run has no use for it', (args, said) => {
  const ran = agentpprof([...args, '--session-dir', FIXTURE, '--no-cache'], { home: place.path });
  expect([ran.code, ran.out, ran.err]).toEqual([2, '', expect.stringContaining(said)]);
});

test('output that cannot be written is told, and is no success', () => {
  for (const [args, name] of [
    [['sessions', '--json', '--session-dir', FIXTURE], 'agentpprof'],
    [['--session-dir', FIXTURE], 'agentpprof'],
    [['top', '--once'], 'agentsight'],
  ] as const) {
    const out = openSync('/dev/full', 'w');
    const program = PROGRAM.replace('agentpprof.js', `${name}.js`);
    const env = { ...process.env, HOME: place.path };
    const ran = spawnSync(process.execPath, [program, ...args], { stdio: ['ignore', out, 'pipe'], env });
    closeSync(out);
    expect([ran.status, String(ran.stderr)]).toEqual([1, `${name}: cannot write to standard output: ENOSPC\n`]);
  }
});

test('a working directory that was removed is said to be gone', () => {
  for (const args of [
    [PROGRAM, 'top'],
    [PROGRAM.replace('agentpprof.js', 'agentsight.js'), 'record', '--', 'true'],
  ]) {
    const gone = join(place.path, 'gone');
    mkdirSync(gone);
    const script = 'cd "$1" && rmdir "$1" && shift && exec "$@"';
    const env = { ...process.env, HOME: place.path };
    const ran = spawnSync('sh', ['-c', script, 'sh', gone, process.execPath, ...args], { env });
    expect(String(ran.stderr)).toMatch(
      /^agent(pprof|sight): the working directory is there no more; change to another one\.$/m,
    );
    expect(ran.status).toBe(1);
  }
});

// Root may read everything, so there the program runs as nobody.
test('files that this user may not read: named ones are wrong usage, own marks a warning', () => {
  const open = mkdtempSync('/tmp/agentpprof-nobody-');
  try {
    const file = join(open, 'secret.jsonl');
    const marks = join(open, '.local/share/agentpprof/marks.json');
    mkdirSync(dirname(marks), { recursive: true });
    for (const path of [file, marks]) writeFileSync(path, '{"value":1,"fields":{"op":"x"}}\n', { mode: 0 });
    for (const path of [open, join(open, '.local'), join(open, '.local/share'), dirname(marks)]) chmodSync(path, 0o755);
    const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
    const run = (...args: string[]) => {
      const env = { ...process.env, HOME: open, XDG_CACHE_HOME: join(open, 'none'), XDG_DATA_HOME: '' };
      const ran = spawnSync(process.execPath, [PROGRAM, ...args], { env, cwd: '/', ...user });
      return [ran.status, String(ran.stderr)] as const;
    };
    for (const flag of ['--session-file', '--operation-file'])
      expect(run(flag, file)).toEqual([2, expect.stringContaining(`${flag}: ${file} cannot be read: EACCES.`)]);
    const [code, said] = run('--session-dir', FIXTURE, '--no-cache');
    expect([code, said]).toEqual([0, expect.stringContaining('the marks of this user cannot be read (EACCES)')]);
  } finally {
    rmSync(open, { recursive: true, force: true });
  }
});
