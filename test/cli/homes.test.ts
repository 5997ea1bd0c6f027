import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentpprof, scratch } from './program.ts';

const place = scratch('homes');
const at = (name: string) => join(place.path, name);
afterAll(() => place.remove());

interface Session {
  readonly id: string;
  readonly cwd: string;
  /** Output tokens by answer. */
  readonly answers: Readonly<Record<string, number>>;
}

const SHARED: Session = { id: '5ca1ab1e-0000-4000-8000-000000000001', cwd: '/home/ada/shop', answers: { m1: 50 } };
const ADA: Session = { id: '5ca1ab1e-0000-4000-8000-000000000002', cwd: '/home/ada/shop', answers: { m2: 7, m3: 11 } };
const BOB: Session = { id: '5ca1ab1e-0000-4000-8000-000000000003', cwd: '/home/bob/api', answers: { m4: 70 } };

function write(home: string, { id, cwd, answers }: Session): void {
  const about = { sessionId: id, cwd, version: '2.1.100' };
  const rows = [
    { type: 'user', uuid: `u-${id}`, timestamp: '2026-05-01T10:00:00Z', message: { role: 'user', content: 'Fix it' } },
    ...Object.entries(answers).map(([message, output_tokens], n) => ({
      type: 'assistant',
      uuid: `a-${message}`,
      timestamp: `2026-05-01T10:00:0${n + 1}Z`,
      message: {
        id: message,
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        stop_reason: 'end_turn',
        content: [{ type: 'tool_use', id: `t-${message}`, name: 'Read', input: { file_path: `${cwd}/src/a.ts` } }],
        usage: { input_tokens: 0, output_tokens },
      },
    })),
  ];
  const folder = join(home, '.claude/projects', cwd.replaceAll('/', '-'));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${id}.jsonl`), rows.map(row => `${JSON.stringify({ ...row, ...about })}\n`).join(''));
}

beforeAll(() => {
  for (const session of [SHARED, ADA]) write(at('copy-of-ada'), session);
  for (const session of [SHARED, BOB]) write(at('copy-of-bob'), session);
});

const ADAS = () => ['--home', at('copy-of-ada')];
const BOBS = () => ['--home', at('copy-of-bob')];
const total = (...homes: string[]) => JSON.parse(agentpprof(['reconcile', ...homes, '--json']).out).total;
const folded = (stack: string, ...homes: string[]) => agentpprof([...homes, '--stack', stack, '-o', '-']).out;

describe('several homes at once', () => {
  test('add up, and a session that lies in two of them counts once', () => {
    expect([total(...ADAS()).tokens.total, total(...BOBS()).tokens.total]).toEqual([68, 120]);
    expect(total(...ADAS(), ...BOBS())).toMatchObject({
      files: 4,
      sessions: 3,
      prompts: 3,
      calls: 4,
      tool_calls: 4,
      tokens: { total: 138 },
      dropped: { copied_history: 1 },
    });
  });

  test('the order in which they are named changes no total, only their numbers', () => {
    expect(total(...BOBS(), ...ADAS())).toEqual(total(...ADAS(), ...BOBS()));
    expect(folded('host,project', ...ADAS(), ...BOBS())).toBe(
      'host:home-1;project:shop 68\nhost:home-2;project:api 70\n',
    );
    expect(folded('host,project', ...BOBS(), ...ADAS())).toContain('host:home-1;project:api 70\n');
  });

  test('the same home named twice is read once', () => {
    expect(total(...ADAS(), ...ADAS())).toEqual(total(...ADAS()));
  });

  test('one alone has no host', () => {
    expect(folded('host,project', ...ADAS())).toBe('project:shop 68\n');
  });

  test('are selected and listed by host', () => {
    const where = ['--where', 'host=home-2'];
    expect(agentpprof([...ADAS(), ...BOBS(), ...where, '--stack', 'host', '-o', '-']).out).toBe('host:home-2 70\n');
    const { rows } = JSON.parse(agentpprof(['sessions', '--by', 'host', ...ADAS(), ...BOBS(), '--json']).out);
    expect(rows.map((row: { name: string; tokens: number }) => [row.name, row.tokens])).toEqual([
      ['home-2', 70],
      ['home-1', 68],
    ]);
  });

  test.each(['pb.gz', 'folded', 'svg', 'json', 'speedscope.json', 'html', 'txt'])(
    'no path and no name of any of them is in the output as %s',
    extension => {
      const path = at(`out.${extension}`);
      const stack = 'host,project,session,cwd,file';
      expect(agentpprof([...ADAS(), ...BOBS(), '--stack', stack, '-o', path]).code).toBe(0);
      const bytes = readFileSync(path);
      const text = (extension === 'pb.gz' ? gunzipSync(bytes) : bytes).toString('latin1');
      expect(text).toContain('home-2');
      for (const name of [place.path, 'copy-of-', 'ada', 'bob'])
        expect(text).not.toMatch(new RegExp(`${name}\\b`, 'i'));
    },
  );

  test('doctor tells which place is of which home; of one alone it tells no host', () => {
    interface Place {
      host?: string;
      agent: string;
      path: string;
      taken: number;
    }
    const places = (...homes: string[]): Place[] =>
      JSON.parse(agentpprof(['doctor', ...homes, '--json']).out).places.filter(({ taken }: Place) => taken > 0);
    expect(places(...ADAS(), ...BOBS()).map(({ host, path, taken }) => [host, path, taken])).toEqual([
      ['home-1', at('copy-of-ada/.claude/projects'), 2],
      ['home-2', at('copy-of-bob/.claude/projects'), 2],
    ]);
    expect(places(...ADAS())).toEqual([expect.not.objectContaining({ host: expect.anything() })]);
    expect(agentpprof(['doctor', ...ADAS(), ...BOBS()]).out).toMatch(/^host +agent .*\nhome-1 +claude-code /m);
    expect(agentpprof(['doctor', ...ADAS()]).out).toMatch(/^agent +place /m);
  });
});
