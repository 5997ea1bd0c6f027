import { spawn } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { chatReply, scriptedServer } from '../llm/server.ts';
import { agentpprof, scratch } from './program.ts';

const place = scratch('segment');
afterAll(() => place.remove());
const ROOT = resolve(import.meta.dirname, '../..');

let homes = 0;
/** A home with three sessions of an operation file, and the commands on it. */
function world() {
  const home = join(place.path, `home-${homes++}`);
  const file = join(home, 'runs.jsonl');
  const data = join(home, 'data');
  const marks = join(data, 'agentpprof/marks.json');
  const workspace = join(home, 'work');
  const fields = (session: string, rows: readonly Readonly<Record<string, unknown>>[]) =>
    rows.map(row => `${JSON.stringify({ value: 1, fields: { session, tool: 'Bash', ...row } })}\n`).join('');
  cpSync(join(ROOT, 'test/fixtures/LICENSES.md'), join(home, 'LICENSES.md'));
  writeFileSync(file, ['one', 'two', 'three'].map(session => fields(session, WORK)).join(''));
  const run = (...args: string[]) =>
    agentpprof(args, { home, env: { XDG_DATA_HOME: data, XDG_CACHE_HOME: join(home, 'cache') } });
  const json = (...args: string[]) => JSON.parse(run(...args, '--json').out);
  const tasks = (...more: string[]) =>
    run('--operation-file', file, '--view', 'operations', '--stack', 'task', '-o', '-', ...more)
      .out.trim()
      .split('\n');
  return { home, file, marks, workspace, fields, run, json, tasks, input: ['--operation-file', file] };
}

const WORK = [
  { tool: 'Read', path: 'src/login.ts', text: 'Let me look.' },
  { tool: 'Edit', path: 'src/login.ts' },
  { command: 'npm test', status: 'error' },
  { tool: 'Edit', path: 'src/login.ts' },
  { command: 'npm test' },
  { tool: 'Write', path: 'docs/deploy.md', text: 'Great, that works. Now the guide.' },
  { tool: 'Edit', path: 'docs/deploy.md' },
];

describe('segment run', () => {
  test('marks become task frames of every view, also after the cache is gone', () => {
    const { home, run, tasks, input } = world();
    expect(tasks()).toEqual(['(no frame) 21']);
    expect(run('segment', 'run', ...input).code).toBe(0);
    const marked = tasks();
    expect(marked.join()).toContain('task:edit login');
    expect(marked.join()).toContain('deploy');
    expect(marked.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)).toBe(21);
    rmSync(join(home, 'cache'), { recursive: true, force: true });
    expect(tasks()).toEqual(marked);
    expect(tasks('--no-cache')).toEqual(marked);
    expect(tasks('--no-marks')).toEqual(['(no frame) 21']);
  });

  test('equal work in different sessions gets equal names', () => {
    const { json, run, workspace, input } = world();
    run('segment', 'run', ...input, '--workspace', workspace);
    const { facts } = json('segment', 'status', '--workspace', workspace);
    const reused = facts.filter((fact: { kind: string }) => fact.kind === 'reused');
    expect(reused.map((fact: { says: string }) => fact.says)).toContainEqual(
      expect.stringMatching(/^edit login: \d+ segments in 3 sessions$/),
    );
    expect(json('segment', 'status', ...input).facts).toEqual(facts);
  });

  test('what has not changed is not marked again, and a grown session only from where it was open', () => {
    const { file, fields, json, marks, input } = world();
    const more = Array.from({ length: 4 }, () => WORK).flat();
    writeFileSync(file, fields('long', more) + fields('other', WORK));
    expect(json('segment', 'run', ...input)).toMatchObject({ sessions: 2, marked: 2, unchanged: 0, steps_read: 35 });
    expect(json('segment', 'run', ...input)).toMatchObject({ marked: 0, unchanged: 2, steps_read: 0 });
    const before = JSON.parse(readFileSync(marks, 'utf8')).sessions;
    appendFileSync(file, fields('long', [{ tool: 'Write', path: 'other/new.md', text: 'Done. Next the other.' }]));
    const grown = json('segment', 'run', ...input);
    expect(grown).toMatchObject({ marked: 1, unchanged: 1 });
    expect(grown.steps_read).toBeLessThan(29);
    const after = JSON.parse(readFileSync(marks, 'utf8')).sessions;
    const [key] = Object.keys(before).filter(each => before[each].nodes === 28) as [string];
    const kept = Object.keys(before[key].marks).filter(node => node in after[key].marks);
    expect(kept.length).toBeGreaterThanOrEqual(Object.keys(before[key].marks).length - 2);
    expect(Object.keys(after[key].marks).every(node => node.startsWith(`${key}.`))).toBe(true);
  });

  test('the file of marks is its owner’s alone and holds no text of a session', () => {
    const { run, marks, input } = world();
    run('segment', 'run', ...input);
    expect(readFileSync(marks, 'utf8')).not.toMatch(/Let me look|that works/);
  });
});

describe('the workspace', () => {
  test('export writes nodes whose ids stay when the transcript grows', () => {
    const { file, fields, run, workspace, input } = world();
    const ids = () =>
      readFileSync(join(workspace, 'trace.jsonl'), 'utf8')
        .trim()
        .split('\n')
        .map(line => JSON.parse(line).id as string);
    run('segment', 'export', ...input, '--workspace', workspace);
    const before = ids();
    appendFileSync(file, fields('two', WORK));
    run('segment', 'export', ...input, '--workspace', workspace);
    expect(ids().filter(id => before.includes(id))).toEqual(before);
    const [node] = readFileSync(join(workspace, 'trace.jsonl'), 'utf8').split('\n');
    expect(JSON.parse(node as string)).toEqual({
      id: before[0],
      parent: null,
      kind: 'tool',
      data: { action: 'Read', said: 'Let me look.', tool: 'Read', objects: ['src/login.ts'], status: undefined },
      metrics: { operations: 1 },
      path: ['operations', expect.stringMatching(/^s-/), 'turn 0'],
    });
  });

  test('marks of anybody are applied, or change nothing and the fault is named', () => {
    const { run, workspace, tasks, marks, input } = world();
    run('segment', 'export', ...input, '--workspace', workspace);
    const lines = readFileSync(join(workspace, 'trace.jsonl'), 'utf8').trim().split('\n');
    const first = lines.map(line => JSON.parse(line).id as string).filter(id => id.endsWith('.t0'));
    const annotation = Object.fromEntries(first.map(id => [id, { tag: 'build login', parent: null, next: null }]));
    const write = (value: unknown) => writeFileSync(join(workspace, 'annotation.json'), JSON.stringify(value));
    write({ ...annotation, [first[0] as string]: { tag: 'build login', parent: null, next: 'nowhere' } });
    const refused = run('segment', 'apply', '--workspace', workspace);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain('next is "nowhere", which is no node of the trace. Nothing was changed');
    expect(existsSync(marks)).toBe(false);
    write(annotation);
    expect(run('segment', 'apply', '--workspace', workspace, '--rename', 'build login=make login').code).toBe(0);
    expect(tasks()).toEqual(['task:make login 21']);
    expect(readFileSync(join(workspace, 'stacks.folded'), 'utf8')).toContain('task:make login;tool:Bash 6\n');
    // A segmenter does not overwrite what a person applied.
    run('segment', 'run', ...input);
    expect(tasks()).toEqual(['task:make login 21']);
  });

  test('a later status tells only what changed', () => {
    const { home, run, json, workspace, input } = world();
    run('segment', 'run', ...input, '--workspace', workspace);
    const earlier = join(home, 'status.json');
    writeFileSync(earlier, run('segment', 'status', '--workspace', workspace, '--json').out);
    expect(json('segment', 'status', '--workspace', workspace, '--known', earlier).facts).toEqual([]);
  });
});

describe('segmenters from outside', () => {
  const PROGRAM = `
    const fs = require('fs');
    const ids = fs.readFileSync('trace.jsonl', 'utf8').trim().split('\\n').map(line => JSON.parse(line).id);
    const marks = {};
    for (const id of ids) if (id.endsWith('.t0')) marks[id] = { tag: 'mark it', parent: null, next: process.argv[2] || null };
    fs.writeFileSync('annotation.json', JSON.stringify(marks));`;

  test('a program reads the trace and writes the marks; wrong marks change nothing', () => {
    const { home, run, tasks, input } = world();
    const program = join(home, 'mark.cjs');
    writeFileSync(program, PROGRAM);
    const exec = (args: string) =>
      run('segment', 'run', ...input, '--backend', 'exec', '--exec', `${process.execPath} ${program} ${args}`);
    expect(exec('elsewhere')).toMatchObject({
      code: 1,
      err: expect.stringContaining('wrote marks that cannot be used'),
    });
    expect(tasks()).toEqual(['(no frame) 21']);
    expect(exec('').code).toBe(0);
    expect(tasks()).toEqual(['task:mark it 21']);
  });

  test('a program that fails is told of', () => {
    const { run, input } = world();
    const failed = run('segment', 'run', ...input, '--backend', 'exec', '--exec', 'exit 3');
    expect(failed).toMatchObject({ code: 1, err: expect.stringContaining('ended with 3; nothing was changed') });
  });

  /** The program while a server of this process answers. */
  const beside = (home: string, args: readonly string[]) =>
    new Promise<{ code: number; err: string }>(done => {
      const env = {
        ...process.env,
        HOME: home,
        XDG_DATA_HOME: join(home, 'data'),
        XDG_CACHE_HOME: join(home, 'cache'),
        AGENTPPROF_ID_KEY: '00'.repeat(32),
      };
      const child = spawn(process.execPath, [join(ROOT, 'dist/agentpprof.js'), ...args], { env });
      let err = '';
      child.stderr.on('data', chunk => (err += chunk));
      child.stdout.resume();
      child.on('close', code => done({ code: code ?? -1, err }));
    });

  test('a model marks in one pass; sessions of which nothing can be used are marked by auto, and asked once', async () => {
    const { home, tasks, input } = world();
    const good = { segments: [{ first: 1, last: 7, verb: 'build', object: 'Login Page' }] };
    const server = await scriptedServer(() => chatReply(good));
    try {
      const args = ['segment', 'run', ...input, '--backend', 'llm', '--llm-url', server.url];
      expect(await beside(home, args)).toMatchObject({ code: 0 });
      expect(tasks()).toEqual(['task:build login page 21']);
      const asked = server.asked('/v1/chat/completions').length;
      await beside(home, [...args, '--all']);
      expect(server.asked('/v1/chat/completions')).toHaveLength(asked);
    } finally {
      await server.close();
    }
  });

  test('a model that never answers well leaves the session to auto', async () => {
    const { home, tasks, input } = world();
    const server = await scriptedServer(() => chatReply({ segments: [] }));
    try {
      const { code, err } = await beside(home, [
        'segment',
        'run',
        ...input,
        '--backend',
        'llm',
        '--llm-url',
        server.url,
      ]);
      expect(code).toBe(0);
      expect(err).toContain('there is no segment');
      expect(tasks().join()).toContain('task:edit login');
    } finally {
      await server.close();
    }
  });

  test('--dry-run tells tokens and sends nothing', () => {
    const { run, input } = world();
    const { code, out } = run('segment', 'run', ...input, '--backend', 'llm', '--llm-model', 'tiny', '--dry-run');
    expect(code).toBe(0);
    expect(out).toContain('nothing was sent');
    expect(out).toContain('src/login.ts');
  });
});

describe('learning and reviewing', () => {
  test('a trained model marks sessions', () => {
    const { home, file, fields, run, json, input } = world();
    writeFileSync(
      file,
      Array.from({ length: 8 }, (_, at) =>
        fields(
          `s${at}`,
          WORK.map((row, step) => ({ ...row, stage: step < 5 ? 'a' : 'b' })),
        ),
      ).join(''),
    );
    const model = join(home, 'model.json');
    expect(run('segment', 'train', ...input, '--gold', 'stage', '-o', model).code).toBe(0);
    expect(
      json('segment', 'run', ...input, '--backend', 'learned', '--model-file', model, '--hide', 'stage'),
    ).toMatchObject({ marks: 16 });
    const scores = run(
      'evaluate',
      'segments',
      ...input,
      '--gold',
      'stage',
      '--backend',
      'marks',
      '--draws',
      '5',
      '--json',
    );
    expect(JSON.parse(scores.out).results[0]).toMatchObject({ backend: 'marks', boundary: { f1: 1 } });
  });

  test('cuts are shown beside their evidence, and verdicts count in an evaluation', () => {
    const { home, run, json, input } = world();
    run('segment', 'run', ...input);
    const verdicts = join(home, 'verdicts.jsonl');
    const { cuts } = json('segment', 'review', ...input, '--sample', '2', '--verdicts', verdicts);
    expect(cuts).toHaveLength(2);
    expect(cuts[0].evidence.length).toBeGreaterThan(0);
    run(
      'segment',
      'review',
      ...input,
      '--verdict',
      `${cuts[0].node}=yes`,
      '--verdict',
      `${cuts[1].node}=no`,
      '--verdicts',
      verdicts,
    );
    const { results } = json('evaluate', 'segments', ...input, '--verdicts', verdicts, '--backend', 'auto,native');
    expect(results).toEqual([
      { backend: 'auto', judged: 2, p: 0.5, r: 1, f1: expect.closeTo(2 / 3) },
      { backend: 'native', judged: 2, p: 0, r: 0, f1: 0 },
    ]);
    const again = json('segment', 'review', ...input, '--sample', '9', '--verdicts', verdicts);
    expect(again.cuts.map((cut: { node: string }) => cut.node)).not.toContain(cuts[0].node);
  });
});
