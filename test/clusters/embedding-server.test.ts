import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { scratch } from '../cli/program.ts';
import { type Scripted, scriptedServer } from '../llm/server.ts';
import { writeHistory } from './histories.ts';

vi.setConfig({ testTimeout: 600_000 });
const place = scratch('embedding');
afterAll(() => place.remove());
const PROGRAM = resolve(import.meta.dirname, '../../dist/agentpprof.js');
const ops = writeHistory(join(place.path, 'ops.jsonl'), { each: 40 });
let homes = 0;

/** Runs the program beside a server of this process, which must go on answering meanwhile. */
function run(home: string, url: string): Promise<{ code: number | null; err: string; out: string }> {
  const args = ['cluster', '--operation-file', ops, '--embed-url', url, '--repeats', '0', '--json'];
  const env = { PATH: process.env.PATH, HOME: home, TZ: 'UTC', AGENTPPROF_ID_KEY: '00'.repeat(32) };
  const child = spawn(process.execPath, [PROGRAM, ...args], { env });
  let [out, err] = ['', ''];
  child.stdout.on('data', chunk => (out += chunk));
  child.stderr.on('data', chunk => (err += chunk));
  return new Promise(done => child.on('close', code => done({ code, out, err })));
}

/** A vector by the words of a text, in as many dimensions as asked for. */
function vector(text: string, dims: number): number[] {
  const cells = new Array<number>(dims).fill(0);
  for (const [at, word] of ['pytest', 'kubectl', 'handbook'].entries()) if (text.includes(word)) cells[at] = 1;
  for (let i = 0; i < text.length; i++) cells[3 + (text.charCodeAt(i) % (dims - 3))]! += 0.002;
  return cells;
}

const answering =
  (dims: (post: number) => number, last = Number.POSITIVE_INFINITY): Scripted =>
  (asked, post, response) => {
    if (post > last) {
      response.statusCode = 400;
      return { error: { message: 'the model is gone' } };
    }
    const input = asked.body.input as string[];
    return { data: input.map((text, index) => ({ index, embedding: vector(text, dims(post)) })) };
  };

describe('a server of embeddings', () => {
  it('that dies half-way loses nothing: the next run asks only for the rest', async () => {
    const home = join(place.path, `home-${homes++}`);
    const dying = await scriptedServer(answering(() => 16, 1));
    const first = await run(home, dying.url);
    await dying.close();
    expect(first.code).toBe(1);
    expect(first.err).toContain('the same command goes on from there');
    const healthy = await scriptedServer(answering(() => 16));
    const second = await run(home, healthy.url);
    expect([second.code, second.err]).toEqual([0, '']);
    const texts = healthy.asked('/v1/embeddings').reduce((sum, { body }) => sum + body.input.length, 0);
    expect(texts).toBeLessThan(120);
    const report = JSON.parse(second.out);
    expect(report.embedding).toContain('--embed-url');
    // Three kinds; that a kind may fall into parts is not what is asked here.
    expect(report.clusters.filter((each: { id: number }) => each.id > 0).length).toBeGreaterThanOrEqual(3);
    await healthy.close();
  });

  it('whose vectors change their length half-way is told so, and no picture is drawn', async () => {
    const server = await scriptedServer(answering(post => (post === 1 ? 16 : 24)));
    const ran = await run(join(place.path, `home-${homes++}`), server.url);
    expect(ran.code).toBe(1);
    expect(ran.out).toBe('');
    expect(ran.err).toMatch(/embeddings of \d+ and then of \d+ numbers/);
    await server.close();
  });
});
