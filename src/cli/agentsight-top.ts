import { harmlessJson } from '../recorder/printable.ts';
import { topJson } from '../top/json.ts';
import { layout, listing } from '../top/layout.ts';
import { FIRST_VIEW, keysIn, markedIn, pressed, SORTS, type Sort, type TopState, type View } from '../top/state.ts';
import { UsageError } from '../trace/usage-error.ts';
import { parseGap } from './gap.ts';
import type { LiveFlags } from './live.ts';
import { Screen } from './screen.ts';
import { useColor } from './terminal.ts';
import { TopSource } from './top-state.ts';

export interface TopFlags extends LiveFlags {
  within: string;
  sort: string;
  filter: string;
  once?: boolean;
  json?: boolean;
}

const EVERY = 2000;

/** `agentsight top`: the sessions under way and the processes of recordings, until q; or once. */
export async function agentsightTop(flags: TopFlags): Promise<number> {
  if (!SORTS.includes(flags.sort as Sort)) throw new UsageError(`--sort ${flags.sort}: one of ${SORTS.join(', ')}`);
  const view: View = { ...FIRST_VIEW, sort: flags.sort as Sort, filter: flags.filter };
  const live = process.stdin.isTTY === true && process.stdout.isTTY === true && !flags.once && !flags.json;
  const source = new TopSource(flags, withinOf(flags.within));
  try {
    if (live) return await shown(source, view);
    const state = await source.look();
    if (flags.json) process.stdout.write(`${harmlessJson(topJson(state))}\n`);
    else process.stdout.write(listing(state, view, widthOf()));
    return 0;
  } finally {
    source.close();
  }
}

function withinOf(given: string): number {
  try {
    return parseGap(given) / 1000;
  } catch {
    throw new UsageError(`--within ${given}: a time such as 30m, 6h or 2d`);
  }
}

function widthOf(): number {
  const told = Number(process.env.COLUMNS);
  return process.stdout.columns || (Number.isInteger(told) && told > 0 ? told : 120);
}

/** Looks and draws every two seconds, and draws at every key. Gives the exit code. */
function shown(source: TopSource, first: View): Promise<number> {
  const screen = new Screen(useColor(process.stdout));
  return new Promise((done, fail) => {
    let view = first;
    let state: TopState = { now: Date.now() * 1000, sessions: [], recordings: [] };
    let timer: NodeJS.Timeout | undefined;
    let over = false;
    const draw = () => screen.draw(layout(state, view, screen.size));
    const end = (finish: () => void) => {
      if (over) return;
      over = true;
      clearTimeout(timer);
      screen.leave();
      process.stdin.off('data', keys);
      process.stdout.off('resize', draw);
      for (const [signal, listener] of signals) process.off(signal, listener);
      finish();
    };
    const keys = (chunk: Buffer) => {
      for (const key of keysIn(chunk.toString('utf8'))) {
        if (key === 'ctrl-z') {
          screen.leave();
          process.kill(process.pid, 'SIGSTOP');
          continue;
        }
        const next = pressed(view, key, state);
        if (next === 'quit') return end(() => done(0));
        view = next;
      }
      draw();
    };
    // A program that is ended by a signal says so by its exit code, as a shell expects it.
    const killed = (code: number) => () => end(() => done(code));
    const again = () => {
      screen.enter();
      draw();
    };
    const signals: [NodeJS.Signals, () => void][] = [
      ['SIGINT', killed(130)],
      ['SIGTERM', killed(143)],
      ['SIGHUP', killed(129)],
      ['SIGCONT', again],
    ];
    const look = async () => {
      try {
        const next = await source.look();
        if (over) return;
        state = next;
        // The mark stays on its session while others come and go.
        view = { ...view, selected: markedIn(state, view) };
        draw();
        timer = setTimeout(look, EVERY);
      } catch (error) {
        end(() => fail(error));
      }
    };
    for (const [signal, listener] of signals) process.on(signal, listener);
    process.stdin.on('data', keys);
    process.stdout.on('resize', draw);
    screen.enter();
    draw();
    void look();
  });
}
