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
  'copy',
  'copy',
  'repeat',
] as const;

/** A home whose files come into being as they were recorded, and meet what files meet. */
class Home {
  readonly world: World;
  private readonly names: string[];
  /** What each file is growing into. */
  private readonly wholes: Map<string, Buffer>;
  /** How much of each file there is; -1 where it is gone. */
  private readonly length = new Map<string, number>();

  constructor(history: History, share: number) {
    this.world = world('equal');
    this.wholes = new Map(history);
    this.names = [...history.keys()];
    for (const name of this.names) this.put(name, Math.floor((this.whole(name).length * share) / 100));
  }

  private whole(name: string): Buffer {
    return this.wholes.get(name) as Buffer;
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
      case 'copy': {
        const other = this.names[by % this.names.length] as string;
        this.wholes.set(name, this.whole(other));
        const length = by % 3 === 0 ? by % (this.whole(other).length + 1) : this.whole(other).length;
        writeFileSync(`${path}.new`, this.whole(other).subarray(0, length));
        renameSync(`${path}.new`, path);
        this.length.set(name, length);
        return `${name} is replaced by a copy of ${other} of ${length} bytes`;
      }
      case 'repeat': {
        const from = Math.max(0, now - 1 - (by % 3000));
        const again = whole.subarray(from, now);
        appendFileSync(path, again);
        this.wholes.set(name, Buffer.concat([whole.subarray(0, now), again, whole.subarray(now)]));
        this.length.set(name, now + again.length);
        return `${name} ends in its last ${again.length} bytes once more`;
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

/** Little sessions of one project, each a prompt, a call that runs a command, its result and an answer. */
function littleSessions(count: number): History {
  return new Map(
    Array.from({ length: count }, (_, n) => {
      const sessionId = `5e551011-0000-4000-8000-${String(n).padStart(12, '0')}`;
      const row = (at: number, type: string, message: object, more: object = {}) => ({
        ...{
          type,
          sessionId,
          uuid: `${n}-${at}`,
          parentUuid: at === 0 ? null : `${n}-${at - 1}`,
          cwd: '/home/dev/shop',
        },
        ...{ timestamp: new Date(Date.UTC(2026, 4, 4, n, at)).toISOString(), version: '2.1.197', message, ...more },
      });
      const call = (at: number, content: object[]) =>
        row(
          at,
          'assistant',
          { ...{ id: `m${n}-${at}`, role: 'assistant', model: 'claude-sonnet-4-5', content }, usage: USAGE },
          { requestId: `r${n}-${at}` },
        );
      const command = `cp in${n}.txt out${n}.txt && curl https://${n}.example.com/`;
      const rows = [
        row(0, 'user', { role: 'user', content: `copy file ${n}` }),
        call(1, [{ type: 'tool_use', id: `t${n}`, name: 'Bash', input: { command } }]),
        row(2, 'user', { role: 'user', content: [{ type: 'tool_result', tool_use_id: `t${n}`, content: 'ok' }] }),
        call(3, [{ type: 'text', text: 'Done.' }]),
      ];
      const text = rows.map(each => `${JSON.stringify(each)}\n`).join('');
      return [`.claude/projects/shop/${sessionId}.jsonl`, Buffer.from(text)] as const;
    }),
  );
}
const USAGE = { input_tokens: 10, output_tokens: 20, cache_read_input_tokens: 30, cache_creation_input_tokens: 5 };

describe('a stored history is the history, whatever happened to its files since', () => {
  it('over our own histories', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(100), steps, (share, all) => holds(FIXED, share, all)),
      { numRuns: Number(process.env.RUNS ?? 6) },
    );
  });

  // Copies make families of files, and which of two equal rows counts changes with every file that comes or goes.
  it('over many little sessions, copied over each other', async () => {
    const history = littleSessions(8);
    const copies = fc.array(
      fc.record({
        what: fc.constantFrom(
          'copy' as const,
          'copy' as const,
          'grow' as const,
          'repeat' as const,
          'truncate' as const,
        ),
        at: fc.nat(1000),
        by: fc.nat(1_000_000),
      }),
      { minLength: 1, maxLength: 5 },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(copies, { minLength: 2, maxLength: 5 }), all => holds(history, 100, all)),
      { numRuns: Number(process.env.RUNS ?? 12) },
    );
  });

  it.each([0, 1, 2, 3])(
    'over two pairs of copies, of which first one and then the other is gone on with (%d)',
    async last => {
      const edit = (what: Edit['what'], at: number, by: number): Edit => ({ what, at, by });
      const pairs = [edit('copy', 0, 7), edit('copy', 1, 10)];
      await holds(littleSessions(4), 100, [pairs, [edit('repeat', 1, 300)], [edit('repeat', last, 300)]]);
    },
  );

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
