import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { agentpprof, PROGRAM, scratch } from '../cli/program.ts';
import { FIXED } from './histories.ts';

/**
 * Real processes that are killed at any instant, alone and two at once. What they leave must never change a total.
 * RUNS=200 makes the loops long; every round draws from a seed that a failure shows.
 */
const ROUNDS = Number(process.env.RUNS ?? 3);
const LONG = 60_000 + ROUNDS * 120_000;

/** Numbers from 0 to 1, the same for a seed. */
function chanceOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A home of its own, filled with the first part of each session file. */
class Place {
  readonly seed = Date.now() % 1_000_000;
  readonly chance = chanceOf(this.seed);
  readonly env: Record<string, string>;
  readonly home: string;
  private readonly folder = scratch('killed');
  private readonly length = new Map<string, number>();
  /** How long a run that is let live takes, milliseconds. */
  private lasts = 600;

  constructor() {
    this.home = join(this.folder.path, 'home');
    this.env = {
      HOME: this.home,
      XDG_CACHE_HOME: join(this.home, '.cache'),
      XDG_DATA_HOME: join(this.home, '.data'),
      XDG_CONFIG_HOME: join(this.home, '.config'),
      XDG_STATE_HOME: join(this.home, '.state'),
    };
    for (const [name, bytes] of FIXED) this.put(name, name.endsWith('.jsonl') ? bytes.length >> 1 : bytes.length);
  }

  private put(name: string, length: number): void {
    this.length.set(name, length);
    const path = join(this.home, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, (FIXED.get(name) as Buffer).subarray(0, length));
  }

  below(most: number): number {
    return Math.floor(this.chance() * most);
  }

  /** Some session files grow, as far as there is more of them; one that is gone comes back. */
  grow(): void {
    const names = [...this.length.keys()].filter(name => name.endsWith('.jsonl'));
    for (let n = 0; n < 4; n++) {
      const name = names[this.below(names.length)] as string;
      const whole = FIXED.get(name) as Buffer;
      const now = this.length.get(name) as number;
      const more = Math.min(whole.length - now, this.below(5000));
      if (!existsSync(join(this.home, name))) this.put(name, now + more);
      else {
        appendFileSync(join(this.home, name), whole.subarray(now, now + more));
        this.length.set(name, now + more);
      }
    }
  }

  /** Removes some of the live files, as their agents do. */
  forget(): void {
    for (const name of this.length.keys()) if (this.chance() < 0.2) rmSync(join(this.home, name), { force: true });
  }

  /** What is still to be written of each session file, in base64. */
  rests(): { path: string; rest: string }[] {
    return [...this.length]
      .map(([name, length]) => ({
        path: join(this.home, name),
        rest: (FIXED.get(name) as Buffer).subarray(length).toString('base64'),
      }))
      .filter(({ rest }) => rest !== '');
  }

  run(args: readonly string[]): string {
    const began = performance.now();
    const ran = agentpprof(args, { env: this.env });
    this.lasts = performance.now() - began;
    expect([this.seed, ran.code, ran.err]).toEqual([this.seed, 0, '']);
    return ran.out;
  }

  /** Starts processes at once and kills each at some moment of its life. */
  async kill(all: readonly (readonly string[])[]): Promise<void> {
    await Promise.all(
      all.map(args => {
        const child = spawn(process.execPath, [PROGRAM, ...args], {
          env: { ...process.env, ...this.env },
          stdio: 'ignore',
        });
        setTimeout(() => child.kill('SIGKILL'), this.chance() * this.lasts * 1.1);
        return ended(child);
      }),
    );
  }

  remove(): void {
    this.folder.remove();
  }
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise(resolve => child.once('exit', () => resolve()));
}

const LEDGER = ['reconcile', '--json'] as const;
const STACKS = ['-q', '--stack', 'agent,prompt,call,tool,file,status', '--view', 'operations', '-o', '-'] as const;

it(
  'a refresh that is killed at any moment, or meets another one, changes no total',
  async () => {
    const place = new Place();
    try {
      for (let round = 0; round < ROUNDS; round++) {
        place.grow();
        const command = place.chance() < 0.5 ? LEDGER : STACKS;
        await place.kill([LEDGER, STACKS].slice(0, 1 + place.below(2)));
        const cached = place.run(command);
        expect([place.seed, round, cached]).toEqual([place.seed, round, place.run([...command, '--no-cache'])]);
      }
      // What killed runs left is no pack, and whole packs are one for one search.
      const packs = readdirSync(join(place.home, '.cache/agentpprof')).filter(name => name.endsWith('.pack'));
      expect([place.seed, packs.length]).toEqual([place.seed, 1]);
    } finally {
      place.remove();
    }
  },
  LONG,
);

it(
  'two runs that refresh at once both give the right totals',
  async () => {
    const place = new Place();
    try {
      for (let round = 0; round < ROUNDS; round++) {
        place.grow();
        const both = [0, 1].map(() => {
          const child = spawn(process.execPath, [PROGRAM, ...LEDGER], { env: { ...process.env, ...place.env } });
          let out = '';
          child.stdout.on('data', piece => {
            out += String(piece);
          });
          return ended(child).then(() => out);
        });
        const outs = await Promise.all(both);
        const right = place.run([...LEDGER, '--no-cache']);
        expect([place.seed, round, ...outs]).toEqual([place.seed, round, right, right]);
        expect([place.seed, round, place.run(LEDGER)]).toEqual([place.seed, round, right]);
      }
    } finally {
      place.remove();
    }
  },
  LONG,
);

it(
  'an archive run that is killed at any moment, or meets another one, loses nothing and counts nothing twice',
  async () => {
    const place = new Place();
    try {
      for (let round = 0; round < ROUNDS; round++) {
        place.grow();
        const before = place.run([...LEDGER, '--no-cache']);
        const runs = [['archive', '-q'], ['archive', '-q'], LEDGER].slice(0, 1 + place.below(3));
        await place.kill(runs);
        expect([place.seed, round, place.run(LEDGER)]).toEqual([place.seed, round, before]);
        // Only what a run that came to its end says is kept may go.
        place.run(['archive', '-q']);
        place.forget();
        await place.kill(runs);
        expect([place.seed, round, place.run(LEDGER)]).toEqual([place.seed, round, before]);
        expect([place.seed, round, place.run([...LEDGER, '--no-cache'])]).toEqual([place.seed, round, before]);
      }
      const unfinished = join(place.home, '.data/agentpprof/archive/unfinished');
      for (const name of readdirSync(unfinished)) expect(statSync(join(unfinished, name)).isFile()).toBe(true);
    } finally {
      place.remove();
    }
  },
  LONG,
);

/** Appends to files in pieces of any length, so that most of the time a line is half written. */
const WRITER = `
  const { appendFileSync } = require('node:fs');
  const files = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
  let state = Number(process.argv[1]);
  const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  while (files.length > 0) {
    const at = Math.floor(next() * files.length);
    const file = files[at];
    const rest = Buffer.from(file.rest, 'base64');
    const piece = rest.subarray(0, 1 + Math.floor(next() * 1500));
    appendFileSync(file.path, piece);
    file.rest = rest.subarray(piece.length).toString('base64');
    if (piece.length === rest.length) files.splice(at, 1);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4);
  }`;

it(
  'a file that is written while it is read gives its whole lines now, the rest next time, and each once',
  async () => {
    const place = new Place();
    try {
      const files = place.rests();
      const writer = spawn(process.execPath, ['-e', WRITER, String(place.seed)], {
        stdio: ['pipe', 'ignore', 'inherit'],
      });
      let writing = true;
      const done = ended(writer).then(() => {
        writing = false;
      });
      writer.stdin.end(JSON.stringify(files));
      let before = 0;
      while (writing) {
        const { total } = JSON.parse(place.run(LEDGER));
        expect([place.seed, total.calls >= before, total.bad_lines]).toEqual([place.seed, true, 0]);
        before = total.calls;
        await new Promise(resolve => setImmediate(resolve));
      }
      await done;
      const cached = place.run(LEDGER);
      expect([place.seed, cached]).toEqual([place.seed, place.run([...LEDGER, '--no-cache'])]);
      expect([place.seed, JSON.parse(cached).total.calls >= before]).toEqual([place.seed, true]);
    } finally {
      place.remove();
    }
  },
  LONG,
);
