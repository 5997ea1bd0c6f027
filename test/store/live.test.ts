import { appendFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { discover } from '../../src/sources/discover.ts';
import { load } from '../../src/sources/load.ts';
import { READERS } from '../../src/sources/registry.ts';
import { LiveHistory, type LiveOptions } from '../../src/store/live.ts';
import { Flag } from '../../src/trace/flags.ts';
import { Trace } from '../../src/trace/trace.ts';
import { FIXED } from './histories.ts';
import { dumpOf, planOf, type World, world } from './world.ts';

const worlds: World[] = [];
afterEach(() => {
  for (const each of worlds.splice(0)) each.remove();
});
function made(): World {
  const one = world('live');
  worlds.push(one);
  return one;
}

/** What reading everything from its start gives. */
function fresh(from: World) {
  const discovery = discover(planOf(from), READERS);
  return dumpOf(new Trace(load(discovery, { texts: ['prompt'] }).ops));
}

function live(from: World, more: Partial<LiveOptions> = {}): LiveHistory {
  return new LiveHistory({
    directory: from.cache,
    plan: planOf(from),
    readers: READERS,
    texts: ['prompt'],
    window: Number.MAX_SAFE_INTEGER,
    ...more,
  });
}

const edit = fc.record({
  what: fc.constantFrom('grow', 'grow', 'grow', 'grow', 'finish', 'rewrite', 'replace', 'remove', 'nothing'),
  file: fc.nat({ max: FIXED.size - 1 }),
  bytes: fc.nat({ max: 20_000 }),
});

describe('sessions that grow', () => {
  it('are at each look what reading everything gives, whatever happens to their files', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 100 }), fc.array(edit, { minLength: 1, maxLength: 6 }), async (share, edits) => {
        const home = made();
        const names = [...FIXED.keys()];
        const length = new Map<string, number>();
        const put = (name: string, bytes: number) => {
          length.set(name, bytes);
          home.write(name, (FIXED.get(name) as Buffer).subarray(0, bytes));
        };
        for (const name of names) put(name, Math.floor(((FIXED.get(name) as Buffer).length * share) / 100));
        const history = live(home);
        expect(dumpOf((await history.refresh()).trace)).toEqual(fresh(home));
        for (const { what, file, bytes } of edits) {
          const name = names[file] as string;
          const whole = FIXED.get(name) as Buffer;
          const path = join(home.home, name);
          const now = length.get(name) as number;
          const to = what === 'finish' ? whole.length : Math.min(whole.length, now + bytes);
          if (what === 'remove') rmSync(path, { force: true });
          else if (now < 0 || what === 'rewrite') put(name, bytes % (whole.length + 1));
          else if (what === 'replace') {
            writeFileSync(`${path}.new`, whole.subarray(0, to));
            renameSync(`${path}.new`, path);
          } else if (what !== 'nothing') appendFileSync(path, whole.subarray(now, to));
          if (what === 'remove') length.set(name, -1);
          else if (now >= 0 && what !== 'rewrite' && what !== 'nothing') length.set(name, to);
          expect(dumpOf((await history.refresh()).trace)).toEqual(fresh(home));
        }
      }),
      { numRuns: 25 },
    );
  }, 300_000);

  it('are the same object while nothing changes', async () => {
    const home = made();
    for (const [name, bytes] of FIXED) home.write(name, bytes);
    const history = live(home);
    const first = await history.refresh();
    expect(await history.refresh()).toBe(first);
  });
});

const row = (id: string, more: object) =>
  `${JSON.stringify({ uuid: id, timestamp: '2026-11-01T00:00:00Z', ...more })}\n`;
const answer = (session: string, id: string) =>
  row(`${session}${id}`, {
    type: 'assistant',
    sessionId: session,
    cwd: '/w',
    message: {
      id,
      model: 'opus',
      role: 'assistant',
      content: [{ type: 'text', text: 'x' }],
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  });
const at = (session: string) => `.claude/projects/-w/${session}.jsonl`;
const A = '11111111-1111-4111-8111-111111111111';
const B = '22222222-2222-4222-8222-222222222222';
const C = '33333333-3333-4333-8333-333333333333';

describe('of a long history', () => {
  const old = (path: string) => utimesSync(path, 1_000_000, 1_000_000);
  const calls = ({ trace: { ops } }: { trace: Trace }) =>
    Array.from({ length: ops.length }, (_, r) => r).filter(r => !ops.has(r, Flag.copy) && ops.field.model.get(r) !== '')
      .length;

  it('only what changed of late is held, and what shares rows with it, so that copies count once', async () => {
    const home = made();
    old(home.write(at(A), answer(A, 'm1')));
    old(home.write(at(B), answer(B, 'm9')));
    home.write(at(C), answer(C, 'm1') + answer(C, 'm2'));
    const seen: number[][] = [];
    const history = live(home, { window: 3_600_000, whole: async (_, live) => void seen.push([...live].sort()) });
    const first = await history.refresh();
    expect(first.files.map(file => file.path.split('/').at(-1))).toEqual([`${A}.jsonl`, `${C}.jsonl`]);
    expect(calls(first)).toBe(2);
    expect(seen).toEqual([[0, 2]]);
  });

  it('is looked at again when an old file grows, at once, and for new files once a minute', async () => {
    const home = made();
    let now = Date.now();
    let looks = 0;
    const file = home.write(at(A), answer(A, 'm1'));
    old(file);
    home.write(at(B), answer(B, 'm2'));
    const history = live(home, { window: 3_600_000, now: () => now, whole: async () => void looks++ });
    expect(calls(await history.refresh())).toBe(1);
    appendFileSync(file, answer(A, 'm3'));
    expect([calls(await history.refresh()), looks]).toEqual([3, 2]);
    home.write(at(C), answer(C, 'm1'));
    expect([calls(await history.refresh()), looks]).toEqual([3, 2]);
    now += 61_000;
    home.write('.claude/projects/-w/44444444-4444-4444-8444-444444444444.jsonl', answer('4', 'm5'));
    expect([calls(await history.refresh()), looks]).toEqual([4, 3]);
  });
});
