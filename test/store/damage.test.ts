import { appendFileSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PackError } from '../../src/store/pack.ts';
import { DAMAGED, distrust } from '../../src/store/store.ts';
import { agentpprof } from '../cli/program.ts';
import { FIXED } from './histories.ts';
import { differences, type Read, read, type World, world } from './world.ts';

const RUNS = Number(process.env.RUNS ?? 25);

function filled(name: string): World {
  const made = world(name);
  for (const [file, bytes] of FIXED) made.write(file, bytes);
  return made;
}

function packOf({ cache }: World): string {
  const packs = readdirSync(cache).filter(name => name.endsWith('.pack'));
  expect(packs.length).toBe(1);
  return join(cache, packs[0] as string);
}

/** What a command does: damage may show as late as when a column is used, and then everything is begun again. */
async function asCommand(from: World): Promise<{ readonly result: Read; readonly notices: readonly string[] }> {
  try {
    const result = await read(from, { cache: true });
    return { result, notices: result.store.notices };
  } catch (error) {
    if (!(error instanceof PackError)) throw error;
    distrust(error);
    const result = await read(from, { cache: true });
    return { result, notices: [DAMAGED, ...result.store.notices] };
  }
}

/** What happens to bytes on a disk. Places are shares of the file. */
const damage = fc.oneof(
  fc.record({ what: fc.constant('cut' as const), at: fc.double({ min: 0, max: 1, noNaN: true }) }),
  fc.record({
    what: fc.constant('flip' as const),
    at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
    bit: fc.nat(7),
  }),
  fc.record({
    what: fc.constant('zero' as const),
    at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
    bytes: fc.integer({ min: 1, max: 5000 }),
  }),
  fc.record({ what: fc.constant('longer' as const), bytes: fc.uint8Array({ minLength: 1, maxLength: 40 }) }),
);
type Damage = typeof damage extends fc.Arbitrary<infer T> ? T : never;

/** Damages a file; false if nothing is other than before. */
function apply(done: Damage, path: string, whole: Buffer): boolean {
  if (done.what === 'longer') {
    appendFileSync(path, done.bytes);
    return true;
  }
  const at = Math.floor(done.at * whole.length);
  if (done.what === 'cut') {
    truncateSync(path, at);
    return at < whole.length;
  }
  const bytes = Buffer.from(whole);
  if (done.what === 'flip') bytes[at] = (bytes[at] as number) ^ (1 << done.bit);
  else bytes.fill(0, at, Math.min(at + done.bytes, bytes.length));
  writeFileSync(path, bytes);
  return !bytes.equals(whole);
}

describe('a damaged pack', () => {
  it('never gives a wrong number, and at most one line tells of it', async () => {
    await fc.assert(
      fc.asyncProperty(damage, fc.boolean(), async (done, grows) => {
        const made = filled('damage');
        try {
          await read(made, { cache: true });
          const pack = packOf(made);
          const isOther = apply(done, pack, readFileSync(pack));
          const [name] = [...FIXED.keys()];
          if (grows) appendFileSync(join(made.home, name as string), '{"type":"unheard-of"}\n');
          const { result, notices } = await asCommand(made);
          expect(differences((await read(made)).dump, result.dump)).toEqual([]);
          expect(notices.filter(line => line !== DAMAGED)).toEqual([]);
          expect(notices.length).toBeLessThanOrEqual(isOther ? 1 : 0);
        } finally {
          made.remove();
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('is made again by the program, with one line of notice', async () => {
    const made = filled('damage');
    const env = {
      HOME: made.home,
      XDG_CACHE_HOME: join(made.path, 'cache'),
      XDG_CONFIG_HOME: join(made.path, 'config'),
    };
    const run = (...args: string[]) => agentpprof([...args, '--home', made.home, '--json'], { env });
    try {
      const right = run('reconcile', '--no-cache').out;
      await fc.assert(
        fc.asyncProperty(damage, async done => {
          run('reconcile');
          const pack = packOf(made);
          apply(done, pack, readFileSync(pack));
          const ran = run('reconcile');
          expect([ran.code, ran.out]).toEqual([0, right]);
          expect(['', `agentpprof: ${DAMAGED}\n`]).toContain(ran.err);
          // A command that looks at everything meets what this one did not.
          rmSync(pack, { force: ran.err === '' });
        }),
        { numRuns: Math.ceil(RUNS / 8) },
      );
      run('reconcile');
      expect([run('reconcile').err, run('reconcile').out]).toEqual(['', right]);
    } finally {
      made.remove();
    }
  });
});
