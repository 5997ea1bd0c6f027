import { createHash } from 'node:crypto';
import type { OtlpSpan, Pair, TracesData } from '../otlp/encode.ts';
import type { Image, ProcessRecord, RecordingSummary } from '../recorder/summary.ts';
import type { Tally } from '../recorder/tally.ts';
import { integer, text } from './attributes.ts';
import type { SpanPlace } from './otlp.ts';

/** Spans of one batch at most. */
const MOST_SPANS = 1000;

/** What an export of a recording is made of, and what of it may be seen. */
export interface RecordedProcesses {
  readonly summary: RecordingSummary;
  readonly tally: Tally;
  /** The name of a program as it may leave. */
  readonly shown: (name: string) => string;
  /** A keyed hash of something that identifies a process, the same in every run on this machine. */
  readonly keyed: (identity: string) => string;
  /** Arguments and paths as they may leave; only where a person asked for words. */
  readonly words?: ((words: readonly string[]) => string[]) | undefined;
}

/**
 * The processes of a recording as OTLP spans after the conventions for command line programs: one span for each program
 * that a process became, and for each fork that stayed what its parent was, below the program that started it. They stand in a
 * trace of the recording's own, below one span for all of it; but a process for which `above` has a place hangs there,
 * with all that it started. CPU time and the exit are those of the whole process and stand at its last program.
 */
export function* processTraces(
  recorded: RecordedProcesses,
  above: ReadonlyMap<string, SpanPlace> = new Map(),
): Generator<TracesData> {
  const { header, roots } = recorded.summary;
  const scribe = new Spans(recorded);
  const service = recorded.shown(baseOf(header?.root.argv[0] ?? '')) || 'recording';
  const resource = { attributes: [text('service.name', service)] };
  let spans: OtlpSpan[] = [scribe.whole()];
  const batch = (): TracesData => ({
    resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'agentpprof' }, spans }] }],
  });
  // A stack of our own: a chain of 10,000 forks must not end ours. Parents come before their children.
  const todo = roots.toReversed().map(process => ({ process, place: scribe.place }));
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const { process } = next;
    const place = above.get(process.key) ?? next.place;
    const own = scribe.spansOf(process, place);
    if (spans.length > 0 && spans.length + own.length > MOST_SPANS) {
      yield batch();
      spans = [];
    }
    spans.push(...own);
    for (const child of process.children.toReversed())
      todo.push({ process: child, place: scribe.placeAt(process, child.began_ns, place) });
  }
  if (spans.length > 0) yield batch();
}

class Spans {
  readonly place: SpanPlace;
  private readonly recorded: RecordedProcesses;
  private readonly id: string;

  constructor(recorded: RecordedProcesses) {
    this.recorded = recorded;
    this.id = recorded.summary.header?.id ?? '';
    this.place = { traceId: this.hex('trace', 32), spanId: this.hex('whole', 16) };
  }

  /** The span around everything: which engine looked, and what it could not see. */
  whole(): OtlpSpan {
    const { header, complete, lost, gaps, first_ns, last_ns, processes } = this.recorded.summary;
    const reasons = [...new Set(gaps.map(({ reason }) => reason))].sort();
    return {
      ...this.place,
      name: 'recording',
      startTimeUnixNano: this.wall(first_ns),
      endTimeUnixNano: this.wall(last_ns),
      attributes: [
        text('agentpprof.recording', this.id),
        text('agentpprof.recording.engine', header?.engine.name ?? ''),
        text('agentpprof.recording.kernel', header?.kernel ?? ''),
        { key: 'agentpprof.recording.complete', value: { boolValue: complete } },
        integer('agentpprof.recording.lost_events', lost),
        ...(reasons.length === 0
          ? []
          : [
              {
                key: 'agentpprof.recording.gaps',
                value: { arrayValue: { values: reasons.map(stringValue => ({ stringValue })) } },
              },
            ]),
        integer('agentpprof.processes', processes.size),
      ],
    };
  }

  /** One span a program of the process, at least one. */
  spansOf(process: ProcessRecord, above: SpanPlace): OtlpSpan[] {
    const count = Math.max(1, process.images.length);
    return Array.from({ length: count }, (_, at) => this.span(process, at, at === count - 1, above));
  }

  /** The program that a process was at a time. A process that hangs elsewhere takes along what it starts. */
  placeAt(process: ProcessRecord, t_ns: number, { traceId }: SpanPlace): SpanPlace {
    const later = process.images.findIndex(image => image.t_ns > t_ns);
    const at = later < 0 ? process.images.length - 1 : later - 1;
    return { traceId, spanId: this.idOf(process, Math.max(0, at)) };
  }

  private span(process: ProcessRecord, at: number, last: boolean, above: SpanPlace): OtlpSpan {
    const { summary, shown } = this.recorded;
    const image = process.images[at];
    const name = image === undefined ? 'fork' : shown(baseOf(image.exe || (image.argv[0] ?? '')));
    const start = at === 0 ? process.began_ns : (image?.t_ns ?? process.began_ns);
    const end = process.images[at + 1]?.t_ns ?? process.ended_ns ?? summary.last_ns;
    const failed = last && !process.alive && ((process.code ?? 0) !== 0 || (process.signal ?? 0) !== 0);
    return {
      traceId: above.traceId,
      spanId: this.idOf(process, at),
      parentSpanId: above.spanId,
      name,
      kind: 1,
      startTimeUnixNano: this.wall(start),
      endTimeUnixNano: this.wall(Math.max(start, end)),
      attributes: [
        text('process.executable.name', name),
        integer('process.pid', process.pid),
        ...this.argumentsOf(image),
        ...(last ? endOf(process) : []),
        ...this.deedsOf(process.key, image),
        text('agentpprof.recording', this.id),
      ],
      ...(failed ? { status: { code: 2 } } : {}),
    };
  }

  private argumentsOf(image: Image | undefined): Pair[] {
    if (image === undefined) return [];
    const { words } = this.recorded;
    if (words === undefined) return [integer('agentpprof.arguments', Math.max(0, image.argv.length - 1))];
    const values = words(image.argv).map(stringValue => ({ stringValue }));
    const [exe = '', cwd = ''] = [image.exe, image.cwd].flatMap(path => words([path]));
    return [
      { key: 'process.command_args', value: { arrayValue: { values } } },
      text('process.executable.path', exe),
      text('process.working_directory', cwd),
    ];
  }

  private deedsOf(process: string, image: Image | undefined): Pair[] {
    const deeds = this.recorded.tally.find(process, image?.exec_id ?? 0);
    if (deeds === undefined) return [];
    const { read, changed, hosts, failedConnects } = deeds;
    const pairs: [string, number][] = [
      ['agentpprof.files.read', read.size],
      ['agentpprof.files.changed', changed.size],
      ['agentpprof.hosts', hosts.size],
      ['agentpprof.connections.failed', failedConnects],
    ];
    return pairs.flatMap(([key, count]) => (count === 0 ? [] : [integer(key, count)]));
  }

  private idOf(process: ProcessRecord, at: number): string {
    return this.hex(`${process.key} ${at}`, 16);
  }

  private hex(name: string, digits: number): string {
    const identity = `recording ${this.id} ${name}`;
    return createHash('sha256')
      .update(`${this.recorded.keyed(identity)} ${identity}`)
      .digest('hex')
      .slice(0, digits);
  }

  /** Nanoseconds since the epoch, which no double holds exactly. */
  private wall(t_ns: number): string {
    const { header } = this.recorded.summary;
    if (header === undefined || !Number.isFinite(t_ns)) return '0';
    const wall = BigInt(Math.round(header.t0_wall_ms)) * 1_000_000n + BigInt(Math.round(t_ns - header.t0_mono_ns));
    return String(wall < 0n ? 0n : wall);
  }
}

/** How a process ended, and the time that it computed. */
function endOf(process: ProcessRecord): Pair[] {
  const { alive, code, signal, cpu_ns } = process;
  const killed = (signal ?? 0) !== 0;
  return [
    ...(alive
      ? [{ key: 'agentpprof.running', value: { boolValue: true } }]
      : [
          integer('process.exit.code', killed ? 128 + (signal as number) : (code ?? 0)),
          ...(killed ? [integer('agentpprof.signal', signal as number), text('error.type', `signal-${signal}`)] : []),
          ...(!killed && (code ?? 0) !== 0 ? [text('error.type', `exit-${code}`)] : []),
        ]),
    ...(cpu_ns === undefined ? [] : [integer('agentpprof.cpu_ns', Math.round(cpu_ns))]),
  ];
}

function baseOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
