import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { discover } from '../../src/sources/discover.ts';
import { READERS } from '../../src/sources/registry.ts';
import { type Archived, archive } from '../../src/store/archive.ts';
import { Flag } from '../../src/trace/flags.ts';
import { FIXED, type History, recordedRuns } from './histories.ts';
import { type Dump, differences, planOf, read, type World, world } from './world.ts';

const ALWAYS = Number.POSITIVE_INFINITY;

function keep(from: World, before = ALWAYS, dryRun = false): Archived[] {
  return archive(discover(planOf(from), READERS).files, { archive: from.archive, before, dryRun });
}

/** How often each fate befell a file, and reasons. */
function fates(done: readonly Archived[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { fate, reason } of done) {
    const name = reason === undefined ? fate : `${fate}: ${reason}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** Every file of a directory with its bytes, inode and time. */
function snapshot(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .sort()
    .map(name => ({ name, stat: statSync(join(directory, name)) }))
    .filter(({ stat }) => stat.isFile())
    .map(({ name, stat }) => `${name} ${stat.ino} ${stat.size} ${stat.mtimeMs}`);
}

/** What a history tells, but for where its bytes were read. */
function told(dump: Dump): Dump {
  const withoutPath = ({ path: _, ...ledger }: { path?: string }) => ledger;
  return { ...dump, ledgers: (dump.ledgers ?? []).map(ledger => withoutPath(ledger as object)) };
}

function worldOf(history: History): World {
  const made = world('archive');
  for (const [name, bytes] of history) made.write(name, bytes);
  return made;
}

function within<T>(history: History, test: (made: World) => Promise<T>): Promise<T> {
  const made = worldOf(history);
  return test(made).finally(() => made.remove());
}

const line = (id: string, text: string, session = 's1') =>
  `${JSON.stringify({ type: 'user', uuid: id, timestamp: '2026-11-01T10:00:00.000Z', sessionId: session, cwd: '/srv/web', version: '2.1.0', message: { role: 'user', content: text } })}\n`;
const ONE = '.claude/projects/-srv-web/aaaa1111-0000-4000-8000-000000000001.jsonl';
const small = (content: string): History => new Map([[ONE, Buffer.from(content)]]);
const prompts = async (from: World) => {
  const { trace } = (await read(from)).stored;
  return [...trace.ops.texts.kinds()].flatMap(() =>
    Array.from({ length: trace.ops.length }, (_, row) => trace.ops.texts.get('prompt', row)).filter(
      text => text !== undefined,
    ),
  );
};

/** A file that was written a moment ago is read once more, as it may still be written to; later no more. */
async function openedWhenSettled(made: World): Promise<number> {
  for (let turn = 0; ; turn++) {
    const { opened } = await read(made, { cache: true });
    if (opened === 0 || turn === 5) return opened;
    await new Promise(done => setTimeout(done, 200));
  }
}

describe('histories that only the archive has are what they were', () => {
  const runs: (readonly [string, History])[] = [['our own histories', FIXED], ...recordedRuns()];
  it.each(runs)('%s', (name, history) =>
    within(history, async made => {
      const before = await read(made);
      const done = fates(keep(made));
      if (name.startsWith('opencode')) {
        expect(done).toEqual({ 'unfit: a database holds all sessions': 1 });
        return;
      }
      expect(Object.keys(done)).toEqual(['new']);
      for (const entry of readdirSync(made.home)) rmSync(join(made.home, entry), { recursive: true });
      const after = await read(made, { cache: true });
      expect(differences(told(before.dump), told(after.dump))).toEqual([]);
      expect(await openedWhenSettled(made)).toBe(0);
    }),
  );
});

describe('a second run', () => {
  it('writes nothing', () =>
    within(FIXED, async made => {
      const first = keep(made);
      const there = snapshot(made.archive);
      expect(there.length).toBeGreaterThanOrEqual(first.length);
      expect(fates(keep(made))).toEqual({ same: first.length });
      expect(snapshot(made.archive)).toEqual(there);
    }));

  it('copies again what has grown, and nothing else', () =>
    within(FIXED, async made => {
      const files = keep(made).length;
      const there = snapshot(made.archive);
      const grown = [...FIXED.keys()].find(name => /projects\/[^/]+\/[0-9a-f-]{36}\.jsonl$/.test(name)) as string;
      appendFileSync(join(made.home, grown), line('new', 'one more'));
      expect(fates(keep(made))).toEqual({ again: 1, same: files - 1 });
      const changed = snapshot(made.archive).filter(each => !there.includes(each));
      expect(changed.map(each => each.includes(grown))).toEqual([true]);
    }));

  it('copies what came to lie beside a transcript that is as it was', () => {
    const agent = '.claude/projects/-srv-web/agent-0a1b2c3d.jsonl';
    const meta = agent.replace('.jsonl', '.meta.json');
    const row = line('a', 'look').replace('{', '{"isSidechain":true,"agentId":"0a1b2c3d",');
    return within(new Map([[agent, Buffer.from(row)]]), async made => {
      keep(made);
      made.write(meta, '{"agentType":"Explore"}');
      expect(fates(keep(made))).toEqual({ same: 1 });
      expect(snapshot(made.archive).some(each => each.includes(`${meta}.gz`))).toBe(true);
      const before = (await read(made)).dump;
      rmSync(join(made.home, '.claude'), { recursive: true });
      expect(differences(told(before), told((await read(made)).dump))).toEqual([]);
    });
  });

  it('leaves files alone that are younger than asked for, unless they were asked for before', () =>
    within(small(line('a', 'one')), async made => {
      const path = join(made.home, ONE);
      utimesSync(path, new Date(5000), new Date(5000));
      expect(fates(keep(made, 5000))).toEqual({ young: 1 });
      expect(fates(keep(made, 5001, true))).toEqual({ new: 1 });
      expect(fates(keep(made, 5001))).toEqual({ new: 1 });
      expect(fates(keep(made, 5000))).toEqual({ same: 1 });
    }));
});

describe('a copy', () => {
  it('is a gzip file that any tool unpacks, for its owner alone', () =>
    within(small(line('a', '为啥')), async made => {
      keep(made);
      const files = snapshot(made.archive);
      expect(files.length).toBe(1);
      const copy = join(made.archive, (files[0] as string).split(' ')[0] as string);
      expect(gunzipSync(readFileSync(copy)).toString()).toBe(line('a', '为啥'));
      expect(statSync(copy).mode & 0o777).toBe(0o600);
      for (let at = dirname(copy); at.length >= made.archive.length; at = dirname(at))
        expect([at, statSync(at).mode & 0o777]).toEqual([at, 0o700]);
    }));

  it('of several gzip members reads as one text, a record over their border too', () => {
    const lines = Array.from({ length: 30 }, (_, at) => line(`u${at}`, `${at} ${'x'.repeat(300_000)}`)).join('');
    return within(small(`\ufeff${lines}`), async made => {
      const before = told((await read(made)).dump);
      keep(made);
      rmSync(join(made.home, ONE));
      expect(differences(before, told((await read(made)).dump))).toEqual([]);
    });
  });

  it('of a file that is compressed already is that file', () => {
    const name = ONE;
    return within(new Map([[name, gzipSync(line('a', 'packed'))]]), async made => {
      keep(made);
      expect(snapshot(made.archive).map(each => each.includes('.jsonl.copy '))).toEqual([true]);
      expect(fates(keep(made))).toEqual({ same: 1 });
      rmSync(join(made.home, name));
      expect(await prompts(made)).toEqual(['packed']);
    });
  });

  it('that is damaged is made again while the file is there', () =>
    within(small(line('a', 'one')), async made => {
      keep(made);
      const copy = join(made.archive, (snapshot(made.archive)[0] as string).split(' ')[0] as string);
      writeFileSync(copy, 'no gzip');
      expect(fates(keep(made))).toEqual({ new: 1 });
      rmSync(join(made.home, ONE));
      expect(await prompts(made)).toEqual(['one']);
    }));

  it('is not replaced by a file that was emptied', () =>
    within(small(line('a', 'one')), async made => {
      keep(made);
      writeFileSync(join(made.home, ONE), '');
      expect(fates(keep(made))).toEqual({ same: 1 });
      rmSync(join(made.home, ONE));
      expect(await prompts(made)).toEqual(['one']);
    }));

  it('is set aside where the file was written anew, and the file of today counts', () =>
    within(small(line('a', 'one')), async made => {
      keep(made);
      writeFileSync(join(made.home, ONE), line('b', 'two') + line('c', 'three'));
      expect(fates(keep(made))).toEqual({ again: 1 });
      rmSync(join(made.home, ONE));
      expect(await prompts(made)).toEqual(['two', 'three']);
      const aside = snapshot(join(made.archive, 'earlier'));
      expect(aside.length).toBe(1);
      const path = join(made.archive, 'earlier', (aside[0] as string).split(' ')[0] as string);
      expect(gunzipSync(readFileSync(path)).toString()).toBe(line('a', 'one'));
    }));

  it('counts once where the file was moved to another folder', () =>
    within(small(line('a', 'one')), async made => {
      keep(made);
      const other = join(made.home, ONE).replace('-srv-web', '-srv-site');
      mkdirSync(dirname(other), { recursive: true });
      renameSync(join(made.home, ONE), other);
      const { ops } = (await read(made)).stored.trace;
      const counted = Array.from({ length: ops.length }, (_, row) => ops.flags.get(row) & Flag.copy);
      expect(counted.filter(copied => copied === 0).length).toBe(1);
    }));
});

/** One thing that happens to a home with an archive. */
const STEPS = ['grow', 'rewrite', 'remove', 'restore', 'archive', 'archive', 'remove all'] as const;
const steps = fc.array(fc.record({ what: fc.constantFrom(...STEPS), at: fc.nat(1000), by: fc.nat(100_000) }), {
  minLength: 2,
  maxLength: 8,
});

/** A home, and what of it should be seen: each live file as it is, each that is gone as it was when it was last archived. */
class Kept {
  readonly world: World;
  private readonly live = new Map<string, Buffer>();
  private readonly copies = new Map<string, Buffer>();
  private readonly names: string[];
  private readonly history: History;

  constructor(history: History) {
    this.world = world('kept');
    this.history = history;
    this.names = [...history.keys()].filter(name => name.endsWith('.jsonl'));
    for (const [name, bytes] of history) {
      if (name.endsWith('.jsonl')) this.put(name, bytes.subarray(0, bytes.length >> 1));
      else this.world.write(name, bytes);
    }
  }

  private put(name: string, bytes: Buffer): void {
    this.live.set(name, bytes);
    this.world.write(name, bytes);
  }

  apply(what: (typeof STEPS)[number], at: number, by: number): void {
    const name = this.names[at % this.names.length] as string;
    const whole = this.history.get(name) as Buffer;
    const now = this.live.get(name);
    if (what === 'archive') {
      expect(fates(keep(this.world)).failed).toBeUndefined();
      for (const [each, bytes] of this.live)
        if (bytes.length > 0 || !this.copies.has(each)) this.copies.set(each, bytes);
    } else if (what === 'remove all') for (const each of [...this.live.keys()]) this.remove(each);
    else if (what === 'restore' || !now) this.put(name, whole.subarray(0, by % (whole.length + 1)));
    else if (what === 'grow') this.put(name, whole.subarray(0, now.length + (by % (whole.length - now.length + 1))));
    else if (what === 'rewrite') this.put(name, Buffer.concat([whole.subarray(by % whole.length), Buffer.from('\n')]));
    else this.remove(name);
  }

  private remove(name: string): void {
    rmSync(join(this.world.home, name));
    this.live.delete(name);
  }

  /** What reading gives where all that should be seen is live. */
  async expected(): Promise<Dump> {
    const gone = [...this.copies].filter(([name]) => !this.live.has(name));
    for (const [name, bytes] of gone) this.world.write(name, bytes);
    const { dump } = await read({ ...this.world, archive: join(this.world.path, 'none') });
    for (const [name] of gone) rmSync(join(this.world.home, name));
    return told(dump);
  }
}

describe('with an archive, a total is that of the live files and of the last copies of those that are gone', () => {
  it('whatever was grown, rewritten, removed, brought back and archived, in any order', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async all => {
        const kept = new Kept(FIXED);
        const done: string[] = [];
        try {
          for (const { what, at, by } of all) {
            kept.apply(what, at, by);
            done.push(`${what} ${at} ${by}`);
            const expected = await kept.expected();
            const anew = told((await read(kept.world)).dump);
            const cached = told((await read(kept.world, { cache: true })).dump);
            expect({ done, anew: differences(expected, anew), cached: differences(expected, cached) }).toEqual({
              done,
              anew: [],
              cached: [],
            });
          }
        } finally {
          kept.world.remove();
        }
      }),
      { numRuns: Number(process.env.RUNS ?? 6) },
    );
  });
});

it('what was archived of one home is no part of another one', () =>
  within(small(line('a', 'one')), async made => {
    keep(made);
    const other = join(made.path, 'other');
    cpSync(made.home, other, { recursive: true });
    rmSync(join(made.home, '.claude'), { recursive: true });
    rmSync(join(other, '.claude'), { recursive: true });
    expect(await prompts({ ...made, home: other })).toEqual([]);
    expect(await prompts(made)).toEqual(['one']);
  }));
