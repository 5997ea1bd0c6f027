import { openPseudonyms } from '../privacy/pseudonym.ts';
import { LiveRecordings } from '../recorder/live.ts';
import { usageNow } from '../recorder/live-usage.ts';
import { printable } from '../recorder/printable.ts';
import type { Live } from '../store/live.ts';
import { type TopSession, topSessions } from '../top/sessions.ts';
import type { TopProcess, TopRecording, TopState } from '../top/state.ts';
import { redactorHere } from './homes.ts';
import { ID_FRAMES } from './ids.ts';
import { type LiveFlags, liveHistory, pricer, recordingsOf } from './live.ts';

/** Cells that a command may take: more fits no screen. */
const LONGEST_COMMAND = 200;

/** Looks at sessions and recordings again and again; every name that it gives is redacted and harmless to a terminal. */
export class TopSource {
  private readonly live;
  private readonly price;
  private readonly window: number;
  private readonly pseudonyms = openPseudonyms(process.env);
  private readonly recordings: LiveRecordings;
  private readonly redactor = redactorHere([]);
  /** Computing time of each process at the last look. */
  private computed = new Map<string, { readonly cpu_ns: number; readonly at: number }>();

  /** `window`: milliseconds within which a session must have been heard of. */
  constructor(flags: LiveFlags, window: number) {
    this.window = window;
    this.price = pricer(flags.prices);
    this.live = liveHistory(flags, { window, texts: ['command'] });
    this.recordings = new LiveRecordings(recordingsOf(flags));
  }

  async look(): Promise<TopState> {
    const live = await this.live.refresh();
    await this.price(live);
    const now = Date.now() * 1000;
    return { now, sessions: this.sessions(live, now), recordings: await this.recorded(now) };
  }

  close(): void {
    this.recordings.close();
  }

  private sessions({ trace }: Live, now: number): TopSession[] {
    const redactor = redactorHere(trace.ops.sessions.all.flatMap(session => session.cwd ?? []));
    const shown = (field: string, value: string) =>
      ID_FRAMES.has(field) ? this.pseudonyms.of(field, value) : printable(redactor.frame(field, value));
    const words = (text: string) => printable(redactor.text(text.slice(0, 4096)), LONGEST_COMMAND);
    return topSessions(trace, { now, shown, words }).filter(
      // Files without any time are as new as their last change, which brought them here.
      ({ last }) => last === 0 || now - last <= this.window * 1000,
    );
  }

  private async recorded(now: number): Promise<TopRecording[]> {
    const at = performance.now();
    const before = this.computed;
    this.computed = new Map();
    const text = (argv: readonly string[]) =>
      printable(this.redactor.text(argv.join(' ').slice(0, 4096)), LONGEST_COMMAND);
    return (await this.recordings.refresh()).map(({ processes, argv, began, engine, id, started, failed, gaps }) => ({
      id,
      command: text(argv),
      began: began * 1000,
      engine,
      started,
      failed,
      gaps,
      processes: [...processes.values()].flatMap((process): TopProcess[] => {
        const usage = usageNow(process, engine);
        if (usage === undefined) return [];
        const name = `${id} ${process.key}`;
        const last = before.get(name);
        this.computed.set(name, { cpu_ns: usage.cpu_ns, at });
        return [
          {
            pid: process.pid,
            command: text(process.argv),
            began: now - (monotonic() - process.began_ns) / 1000,
            cpu: last === undefined ? undefined : (usage.cpu_ns - last.cpu_ns) / ((at - last.at) * 1e6),
            rssBytes: usage.rss_kb * 1024,
            hosts: [...process.hosts].map(host => printable(this.redactor.frame('domain', host))),
          },
        ];
      }),
    }));
  }
}

/** The clock of recordings. */
function monotonic(): number {
  return Number(process.hrtime.bigint());
}
