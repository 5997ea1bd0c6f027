import { appendFileSync, renameSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FIXED, type History, recordedRuns, SHARED } from './histories.ts';
import { differences, read, type World, world } from './world.ts';

/** One thing that happens to the files of a home between two runs. `at` and `by` are taken modulo what there is. */
type Edit = { readonly what: (typeof EDITS)[number]; readonly at: number; readonly by: number };

const EDITS = [
  'grow',
  'grow',
  'grow',
  'grow',
  'finish',
  'truncate',
  'rewrite',
  'replace',
  'remove',
  'rename',
  'touch',
  'restore',
] as const;

/** A home whose files come into being as they were recorded, and meet what files meet. */
class Home {
  readonly world: World;
  private readonly names: string[];
  private readonly history: History;
  /** How much of each file there is; -1 where it is gone. */
  private readonly length = new Map<string, number>();

  constructor(history: History, share: number) {
    this.world = world('equal');
    this.history = history;
    this.names = [...history.keys()];
    for (const name of this.names) this.put(name, Math.floor((this.whole(name).length * share) / 100));
  }

  private whole(name: string): Buffer {
    return this.history.get(name) as Buffer;
  }

  private put(name: string, length: number): void {
    this.length.set(name, length);
    this.world.write(name, this.whole(name).subarray(0, length));
  }

  /** Does it, and says what was done. */
  apply({ what, at, by }: Edit): string {
    const name = this.names[at % this.names.length] as string;
    const path = join(this.world.home, name);
    const whole = this.whole(name);
    const now = this.length.get(name) ?? -1;
    if (now < 0 || what === 'restore') {
      this.put(name, now < 0 ? by % (whole.length + 1) : now);
      return `${name} is there with ${this.length.get(name)} bytes`;
    }
    switch (what) {
      case 'grow':
      case 'finish': {
        const more = what === 'finish' ? whole.length - now : Math.min(by % 20_000, whole.length - now);
        appendFileSync(path, whole.subarray(now, now + more));
        this.length.set(name, now + more);
        return `${name} grows by ${more} bytes`;
      }
      case 'truncate':
        this.length.set(name, by % (now + 1));
        truncateSync(path, by % (now + 1));
        return `${name} is cut to ${by % (now + 1)} bytes`;
      case 'rewrite':
        writeFileSync(path, whole.subarray(0, by % (whole.length + 1)));
        this.length.set(name, by % (whole.length + 1));
        return `${name} is written again with ${by % (whole.length + 1)} bytes`;
      case 'replace': {
        const length = Math.min(whole.length, now + (by % 5000));
        writeFileSync(`${path}.new`, whole.subarray(0, length));
        renameSync(`${path}.new`, path);
        this.length.set(name, length);
        return `${name} is replaced by another file of ${length} bytes`;
      }
      case 'remove':
        rmSync(path);
        this.length.set(name, -1);
        return `${name} is gone`;
      case 'rename': {
        const other = path.replace(/([0-9a-f])(\.[a-z.]+)$/, `${(by % 16).toString(16)}$2`);
        renameSync(path, other);
        this.length.set(name, -1);
        return `${name} is called ${other}`;
      }
      default:
        utimesSync(path, new Date(), new Date(statSync(path).mtimeMs - 1000 - (by % 5000)));
        return `${name} is touched`;
    }
  }
}

const edits = fc.array(fc.record({ what: fc.constantFrom(...EDITS), at: fc.nat(1000), by: fc.nat(1_000_000) }), {
  minLength: 1,
  maxLength: 7,
});

/** Reads with the cache after every edit, or after some; what it gives must be what reading everything gives. */
async function holds(history: History, share: number, steps: readonly (readonly Edit[])[]): Promise<void> {
  const home = new Home(history, share);
  const done: string[] = [`all files begin with ${share} %`];
  try {
    for (const step of [[], ...steps]) {
      for (const edit of step) done.push(home.apply(edit));
      // A file that was changed a moment ago is looked into once more: its time tells nothing yet.
      await new Promise(resolve => setTimeout(resolve, 25));
      const cached = await read(home.world, { cache: true });
      // What could not be read is tried once more.
      if (cached.problems > 0) await read(home.world, { cache: true });
      const again = await read(home.world, { cache: true });
      const anew = await read(home.world);
      done.push('---');
      expect({ after: done, differ: differences(anew.dump, cached.dump), notices: cached.store.notices }).toEqual({
        after: done,
        differ: [],
        notices: [],
      });
      expect({ after: done, differ: differences(anew.dump, again.dump), opened: again.opened }).toEqual({
        after: done,
        differ: [],
        opened: 0,
      });
    }
  } finally {
    home.world.remove();
  }
}

const steps = fc.array(edits, { minLength: 1, maxLength: 3 });

describe('a stored history is the history, whatever happened to its files since', () => {
  it('over our own histories', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(100), steps, (share, all) => holds(FIXED, share, all)),
      { numRuns: Number(process.env.RUNS ?? 6) },
    );
  });

  // Families that have nothing to do with each other: a change in one must not be seen in another.
  it.skipIf(!SHARED)('over all recorded runs of one agent in one home', async () => {
    const agents = new Map<string, History>();
    for (const [run, files] of recordedRuns()) {
      const agent = run.slice(0, run.indexOf('/'));
      agents.set(agent, new Map([...(agents.get(agent) ?? []), ...files]));
    }
    await fc.assert(
      fc.asyncProperty(fc.nat(100), steps, fc.constantFrom(...agents.keys()), (share, all, agent) =>
        holds(agents.get(agent) as History, share, all),
      ),
      { numRuns: Number(process.env.RUNS ?? 4) },
    );
  });

  const runs = [...recordedRuns()].filter(([, files]) => files.size > 1);
  it.skipIf(!SHARED).each(runs)('over %s', async (_, history) => {
    await fc.assert(
      fc.asyncProperty(fc.nat(100), steps, (share, all) => holds(history, share, all)),
      { numRuns: Number(process.env.RUNS ?? 2) },
    );
  });
});
