import type { Exported } from '../exports/exported.ts';
import { MetricFamily } from '../exports/metric-family.ts';
import { Totals } from '../exports/openmetrics.ts';
import { openPseudonyms } from '../privacy/pseudonym.ts';
import { type LiveRecording, LiveRecordings } from '../recorder/live.ts';
import { printable } from '../recorder/printable.ts';
import { priced } from '../store/costs.ts';
import type { Live } from '../store/live.ts';
import { Flag } from '../trace/flags.ts';
import type { Trace } from '../trace/trace.ts';
import { UsageError } from '../trace/usage-error.ts';
import { redactorHere } from './homes.ts';
import { ID_FRAMES } from './ids.ts';
import { type LiveFlags, liveHistory, pricer, recordingsOf } from './live.ts';
import { listenAddress, serveMetrics } from './metrics-server.ts';
import { untilStopped } from './until-stopped.ts';

export interface MetricsFlags extends LiveFlags {
  listen: string;
  anywhere?: boolean;
  every: string;
  quiet?: boolean;
}

/** Sessions that were written to within so long are followed from line to line; all others are counted once. */
const WINDOW = 6 * 3_600_000;

/** `agentpprof metrics`: totals of all histories for Prometheus, until it is ended. */
export async function metricsCommand(flags: MetricsFlags): Promise<void> {
  const address = listenAddress(flags.listen, '--listen', flags.anywhere === true);
  if (!/^\d{1,4}$/.test(flags.every) || Number(flags.every) < 1)
    throw new UsageError(`--every: ${flags.every} is no number of seconds from 1 to 9999.`);
  const metrics = new Metrics(flags);
  const server = await serveMetrics(address, {
    text: () => metrics.text(),
    floor: Number(flags.every) * 1000,
    flag: '--listen',
  });
  if (!flags.quiet)
    process.stderr.write(`Serving OpenMetrics on http://${server.host}:${server.port}/metrics; Ctrl-C ends it\n`);
  // Beside a recording it is started with a channel to the recorder, and ends with it.
  await untilStopped({ parent: process.connected });
  await server.close();
}

/** Totals that never go down while this runs. */
class Metrics {
  private readonly live;
  private readonly price;
  private readonly pseudonyms = openPseudonyms(process.env);
  private readonly recordings: LiveRecordings;
  /** Of all files that are not followed. */
  private rest = new Totals();
  private told = new Totals();
  private last: Live | undefined;
  private readonly processes = new ProcessTotals();

  constructor(flags: MetricsFlags) {
    this.price = pricer(flags.prices);
    this.recordings = new LiveRecordings(recordingsOf(flags));
    this.live = liveHistory(flags, {
      window: WINDOW,
      whole: async (history, followed) => {
        const { loadPriceTable } = await import('../money/price.ts');
        const { readPrices } = await import('../money/overrides.ts');
        const own = flags.prices === undefined ? undefined : await readPrices(flags.prices);
        const { trace } = history;
        trace.cost = (await priced(history, own, () => loadPriceTable(own))).cost;
        const { ops } = trace;
        this.rest = this.totals(trace, row => !followed.has(ops.file.get(row)));
      },
    });
  }

  async text(): Promise<string> {
    const live = await this.live.refresh();
    if (live !== this.last) {
      await this.price(live);
      const totals = this.totals(live.trace, () => true);
      totals.include(this.rest);
      totals.neverBelow(this.told);
      this.told = totals;
      this.last = live;
    }
    return this.told.text(this.processes.families(await this.recordings.refresh()));
  }

  private totals(trace: Trace, wanted: (row: number) => boolean): Totals {
    const redactor = redactorHere(trace.ops.sessions.all.flatMap(session => session.cwd ?? []));
    const exported: Exported = {
      trace,
      rows: Uint32Array.from({ length: trace.ops.length }, (_, row) => row).filter(
        row => wanted(row) && !trace.ops.has(row, Flag.copy),
      ),
      shown: (field, value) =>
        ID_FRAMES.has(field) ? this.pseudonyms.of(field, value) : printable(redactor.frame(field, value)),
      keyed: identity => identity,
    };
    return Totals.of(exported);
  }
}

/** Processes of the recordings that were under way while this ran, by what was recorded. */
class ProcessTotals {
  private readonly seen = new Map<string, { agent: string; started: number; failed: number; running: number }>();

  families(now: readonly LiveRecording[]): MetricFamily[] {
    for (const each of this.seen.values()) each.running = 0;
    for (const { id, argv, started, failed, processes } of now) {
      const redactor = redactorHere([]);
      const name = (argv[0] ?? '').split('/').at(-1) ?? '';
      const agent = printable(redactor.frame('process', name)) || 'unknown';
      this.seen.set(id, { agent, started, failed, running: processes.size });
    }
    const families = {
      running: new MetricFamily(
        'agentpprof_processes_running',
        '',
        'Processes alive in recordings under way.',
        'gauge',
      ),
      started: new MetricFamily('agentpprof_processes_started', '', 'Processes of recordings that were under way.'),
      failed: new MetricFamily('agentpprof_processes_failed', '', 'Those that ended with an exit code or a signal.'),
    };
    for (const { agent, ...counts } of this.seen.values()) {
      for (const name of ['running', 'started', 'failed'] as const) families[name].add({ agent }, BigInt(counts[name]));
    }
    return Object.values(families);
  }
}
