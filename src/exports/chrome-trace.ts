import type { Span, Timeline } from '../profile/timelines.ts';

/**
 * One event of the Trace Event Format (JSON array format), which Perfetto and chrome://tracing read: `X` is a complete
 * event with a start and a duration in microseconds, `M` names a process or a thread.
 */
export interface ChromeEvent {
  readonly ph: 'X' | 'M';
  readonly name: string;
  readonly cat?: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts?: number;
  readonly dur?: number;
  readonly args: Readonly<Record<string, string | number>>;
}

export interface ChromeTrace {
  readonly displayTimeUnit: 'ms';
  readonly traceEvents: readonly ChromeEvent[];
}

/**
 * Sessions as a Chrome trace: a process each, its subagents as threads of it. The events of a thread are nested or apart,
 * as viewers require, so what ran in parallel stands in further threads of the same name. Every turn, call, tool call
 * and subagent is one event, with its own time. Names are those of the timelines, which may be shown.
 */
export function chromeTrace(timelines: Iterable<Timeline>): ChromeTrace {
  const traceEvents: ChromeEvent[] = [];
  let pid = 0;
  for (const timeline of timelines) traceEvents.push(...eventsOf(timeline, ++pid));
  return { displayTimeUnit: 'ms', traceEvents };
}

/** A thread under way: the ends of the events that are open in it, outermost first. */
interface Lane {
  readonly session: number;
  readonly tid: number;
  readonly open: number[];
}

function eventsOf(timeline: Timeline, pid: number): ChromeEvent[] {
  const { sessions, agent, project, spans } = timeline;
  const main = [agent, project, sessions[0] ?? ''].filter(part => part !== '').join(' · ');
  const events: ChromeEvent[] = [
    { ph: 'M', name: 'process_name', pid, tid: 0, args: { name: main } },
    { ph: 'M', name: 'process_sort_index', pid, tid: 0, args: { sort_index: pid } },
  ];
  const lanes: Lane[] = [];
  const named = new Map<number, string>([[0, 'session']]);
  for (const span of spans) if (span.kind === 'subagent') named.set(span.session, `subagent ${span.name}`);
  // By start, the longest first: what contains another comes before it.
  const order = spans.map((_, at) => at).sort((a, b) => byStart(spans[a] as Span, spans[b] as Span) || a - b);
  for (const at of order) {
    const span = spans[at] as Span;
    let lane = lanes.find(each => each.session === span.session && fits(each, span));
    if (!lane) {
      lane = { session: span.session, tid: lanes.length + 1, open: [] };
      lanes.push(lane);
      const name = named.get(span.session) ?? 'subagent';
      events.push(
        { ph: 'M', name: 'thread_name', pid, tid: lane.tid, args: { name } },
        {
          ph: 'M',
          name: 'thread_sort_index',
          pid,
          tid: lane.tid,
          args: { sort_index: span.session * 1000 + lane.tid },
        },
      );
    }
    lane.open.push(span.end);
    events.push({
      ph: 'X',
      name: span.name,
      cat: span.kind,
      pid,
      tid: lane.tid,
      ts: span.start,
      dur: span.end - span.start,
      args: argsOf(span, timeline),
    });
  }
  return events;
}

function byStart(a: Span, b: Span): number {
  return a.start - b.start || b.end - a.end;
}

/** Whether a span that starts no earlier than all before it is inside or after what is open; closes what is over. */
function fits(lane: Lane, span: Span): boolean {
  const { open } = lane;
  let depth = open.length;
  while (depth > 0 && (open[depth - 1] as number) <= span.start) depth--;
  if (depth > 0 && (open[depth - 1] as number) < span.end) return false;
  open.length = depth;
  return true;
}

function argsOf(span: Span, { sessions }: Timeline): Record<string, string | number> {
  return {
    session: sessions[span.session] ?? '',
    ...(span.model === '' ? {} : { model: span.model }),
    ...(span.status === '' ? {} : { status: span.status }),
    ...(span.tokens === 0 ? {} : { tokens: span.tokens }),
    ...(span.waits ? { waits: 'for the person' } : {}),
    ...(span.file < 0 ? {} : { file: span.file, offset: span.offset, bytes: span.bytes }),
  };
}
