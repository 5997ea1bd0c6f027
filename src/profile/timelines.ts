import { Flag } from '../trace/flags.ts';
import { Kind, NO_ROW } from '../trace/kinds.ts';
import { TOKEN_COLUMNS } from '../trace/measures.ts';
import { activeEnd } from '../trace/time.ts';
import type { Trace } from '../trace/trace.ts';
import type { FrameColumn } from './columns.ts';
import type { Shown } from './fold.ts';
import { columnOf } from './stack-spec.ts';

export const SPAN_KINDS = ['turn', 'call', 'tool', 'subagent'] as const;
export type SpanKind = (typeof SPAN_KINDS)[number];

/** A stretch of time in which something of a session ran. Names are as they may be shown. */
export interface Span {
  readonly kind: SpanKind;
  /** Position of the span that this one stands under, which comes before it; -1 at the top. */
  readonly parent: number;
  /** Position among the sessions of the timeline. */
  readonly session: number;
  /** The tag of a turn, the kind of a call, a tool with its command, the kind of a subagent. */
  readonly name: string;
  readonly model: string;
  /** '' where nothing went wrong. */
  readonly status: string;
  /** It waits for the person. */
  readonly waits: boolean;
  /** Microseconds since the epoch. No call or tool call lasts longer than is credible (time.ts). */
  readonly start: number;
  readonly end: number;
  readonly tokens: number;
  /** Where the record is: the file's number among those read, by path, and the byte range. -1: it has no record. */
  readonly file: number;
  readonly offset: number;
  readonly bytes: number;
}

/** A main session with its subagents over time. Spans stand after the one they are under, otherwise by their start. */
export interface Timeline {
  /** Pseudonyms, the main session first. */
  readonly sessions: readonly string[];
  readonly agent: string;
  readonly project: string;
  readonly spans: readonly Span[];
}

/** Selected rows by their main session, in the order of its first row. */
export function rowsByRoot(trace: Trace, rows: Uint32Array): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  for (const row of rows) {
    const root = trace.links.root[trace.ops.session.get(row)] as number;
    const group = groups.get(root);
    if (group) group.push(row);
    else groups.set(root, [row]);
  }
  return groups;
}

/**
 * What ran when: turns, and in them model calls and tool calls beside each other (a call is over when its tools run);
 * a subagent stands under the tool call that spawned it. Rows without a time and copies of other rows are left out.
 */
export function timelineOf(trace: Trace, shown: Shown): (root: number, rows: readonly number[]) => Timeline {
  const { ops } = trace;
  const columns = {
    prompt: columnOf(trace, 'prompt'),
    call: columnOf(trace, 'call'),
    tool: columnOf(trace, 'tool'),
    command: columnOf(trace, 'command'),
    model: columnOf(trace, 'model'),
    status: columnOf(trace, 'status'),
  };
  const said = (column: FrameColumn, row: number): string => {
    const value = column.values[column.code(row)] as string;
    return value === '' ? '' : shown(column.name, value);
  };
  const nameOf = ({ kind, row, session }: Draft): string => {
    if (kind === 'subagent') return shown('subagent', ops.sessions.all[session]?.subagent || 'subagent');
    if (kind === 'call') return said(columns.call, row) || 'call';
    if (kind === 'tool')
      return [said(columns.tool, row) || 'tool', said(columns.command, row)].filter(part => part !== '').join(' ');
    return (
      (ops.kind.get(row) === Kind.event ? shown('event', ops.field.event.get(row)) : '') || said(columns.prompt, row)
    );
  };
  return (root, rows) => {
    const drafts = draftsOf(trace, rows);
    const sessions: number[] = [root];
    const spans: Span[] = [];
    const waiting = drafts.map(draft => ({ draft, parent: -1 })).reverse();
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const { draft, parent } = next;
      const { row, kind } = draft;
      if (!sessions.includes(draft.session)) sessions.push(draft.session);
      const real = kind === 'call' || kind === 'tool';
      const recorded = kind !== 'subagent' && row !== NO_ROW;
      const at =
        spans.push({
          kind,
          parent,
          session: sessions.indexOf(draft.session),
          name: nameOf(draft),
          model: kind === 'call' ? said(columns.model, row) : '',
          status: real ? said(columns.status, row).replace(/^ok$/, '') : '',
          waits: real && ops.has(row, Flag.waits),
          start: draft.start,
          end: draft.end,
          tokens: real ? TOKEN_COLUMNS.reduce((sum, name) => sum + ops.tokens[name].get(row), 0) : 0,
          file: recorded ? (ops.fileRank[ops.file.get(row)] ?? ops.file.get(row)) : -1,
          offset: recorded ? ops.offset.get(row) : 0,
          bytes: recorded ? ops.bytes.get(row) : 0,
        }) - 1;
      for (const child of draft.children.toReversed()) waiting.push({ draft: child, parent: at });
    }
    const main = ops.sessions.all[root];
    return {
      sessions: sessions.map(at => shown('session', ops.sessions.all[at]?.id ?? '')),
      agent: shown('agent', main?.agent ?? ''),
      project: main?.project ? shown('project', main.project) : '',
      spans,
    };
  };
}

interface Draft {
  readonly kind: SpanKind;
  /** NO_ROW for a subagent. */
  readonly row: number;
  readonly session: number;
  start: number;
  end: number;
  readonly children: Draft[];
}

/** The spans of a session as trees, in the order of their starts. */
function draftsOf(trace: Trace, rows: readonly number[]): Draft[] {
  const { ops, links } = trace;
  const tops: Draft[] = [];
  const turns = new Map<number, Draft>();
  const tools = new Map<number, Draft>();
  const subagents = new Map<number, Draft>();
  const turn = (row: number): Draft[] => {
    let found = turns.get(row);
    if (!found) {
      const start = ops.start.get(row) || Number.POSITIVE_INFINITY;
      found = { kind: 'turn', row, session: ops.session.get(row), start, end: 0, children: [] };
      turns.set(row, found);
      tops.push(found);
    }
    return found.children;
  };
  const placeOf = (row: number): Draft[] => {
    const session = ops.session.get(row);
    if ((links.depth[session] as number) > 0) return subagent(session);
    const opened = links.turn[row] as number;
    return opened === NO_ROW ? tops : turn(opened);
  };
  const subagent = (session: number): Draft[] => {
    let found = subagents.get(session);
    if (!found) {
      found = { kind: 'subagent', row: NO_ROW, session, start: Number.POSITIVE_INFINITY, end: 0, children: [] };
      subagents.set(session, found);
      const spawn = links.spawn[session] as number;
      (tools.get(spawn)?.children ?? (spawn === NO_ROW ? tops : placeOf(spawn))).push(found);
    }
    return found.children;
  };
  const timed = rows.filter(row => {
    const kind = ops.kind.get(row);
    return (
      (kind === Kind.call || kind === Kind.tool) && ops.start.get(row) > 0 && !ops.has(row, Flag.copy | Flag.replayed)
    );
  });
  const drafts = timed.map((row): Draft => {
    const kind = ops.kind.get(row) === Kind.call ? 'call' : 'tool';
    const start = ops.start.get(row);
    const draft: Draft = {
      kind,
      row,
      session: ops.session.get(row),
      start,
      end: Math.max(start, activeEnd(ops, row)),
      children: [],
    };
    if (kind === 'tool') tools.set(row, draft);
    return draft;
  });
  drafts.forEach(draft => {
    placeOf(draft.row).push(draft);
  });
  // A prompt that nothing followed is a turn all the same.
  for (const row of rows) {
    const main = (links.depth[ops.session.get(row)] as number) === 0;
    const counts = ops.start.get(row) > 0 && !ops.has(row, Flag.copy | Flag.replayed);
    if (ops.kind.get(row) === Kind.prompt && main && counts) turn(row);
  }
  return settled(tops);
}

/** Sorts, and gives turns and subagents the time of what is in them. */
function settled(drafts: Draft[]): Draft[] {
  for (const draft of drafts) {
    settled(draft.children);
    if (draft.kind === 'call' || draft.kind === 'tool') continue;
    for (const child of draft.children) {
      draft.start = Math.min(draft.start, child.start);
      draft.end = Math.max(draft.end, child.end);
    }
    draft.end = Math.max(draft.end, draft.start);
  }
  return drafts.sort((a, b) => a.start - b.start || b.end - a.end || a.row - b.row);
}

/** Every session of the rows, one after the other. */
export function* timelinesOf(trace: Trace, rows: Uint32Array, shown: Shown): Generator<Timeline> {
  const of = timelineOf(trace, shown);
  for (const [root, group] of rowsByRoot(trace, rows)) yield of(root, group);
}
