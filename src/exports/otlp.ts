import { createHash } from 'node:crypto';
import type { OtlpSpan, Pair, TracesData } from '../otlp/encode.ts';
import { OWN } from '../otlp/own-names.ts';
import { keyText } from '../trace/keys.ts';
import { Kind, NO_ROW } from '../trace/kinds.ts';
import { attributesOfRow, text } from './attributes.ts';
import { type Exported, inTime, shownValue } from './exported.ts';

/** A span, for others to hang below. */
export interface SpanPlace {
  readonly traceId: string;
  readonly spanId: string;
}

/** Spans of one batch at most, unless one session's row brings more. */
const MOST_SPANS = 1000;

interface Building {
  readonly span: { -readonly [K in keyof OtlpSpan]: OtlpSpan[K] };
  readonly attributes: Pair[];
  readonly events: NonNullable<OtlpSpan['events']>[number][];
  /** Microseconds; 0 where no row of it has a time. */
  start: number;
  end: number;
}

/**
 * Operations as OTLP spans after the GenAI conventions: a trace for each main session, in it the session
 * (`invoke_agent`), its turns, their calls (`chat`, the only ones with usage), the tool calls of these (`execute_tool`),
 * and below a tool call the session of the subagent that it spawned. Effects, compactions, retries and the like are events of
 * the span they happened in. Words are not in it unless `words` is given. What a selection left out has no span:
 * what is in it hangs higher. `places` takes the span of each call and tool call, by row.
 */
export function* traces(exported: Exported, places?: Map<number, SpanPlace>): Generator<TracesData> {
  const { trace } = exported;
  const roots = new Map<number, number[]>();
  for (const row of inTime(exported)) {
    const root = trace.links.root[trace.ops.session.get(row)] as number;
    const rows = roots.get(root);
    if (rows) rows.push(row);
    else roots.set(root, [row]);
  }
  for (const [root, rows] of roots) yield* batches(new TraceOf(exported, root).spansOf(rows, places));
}

function* batches({ agent, spans }: { agent: string; spans: OtlpSpan[] }): Generator<TracesData> {
  const resource = { attributes: [text('service.name', agent)] };
  for (let at = 0; at < spans.length; at += MOST_SPANS) {
    const scopeSpans = [{ scope: { name: OWN.scope }, spans: spans.slice(at, at + MOST_SPANS) }];
    yield { resourceSpans: [{ resource, scopeSpans }] };
  }
}

class TraceOf {
  private readonly exported: Exported;
  private readonly agent: string;
  private readonly traceId: string;
  private selected: ReadonlySet<number> = new Set();
  private readonly building = new Map<string, Building>();
  private readonly ordinals = new Map<string, number>();
  /** By row of the trace: the name of its span, for calls and tool calls. */
  private readonly ofRow = new Map<number, string>();
  /** Names of rows that have no identity of their own. */
  private readonly named = new Map<number, string>();

  constructor(exported: Exported, root: number) {
    this.exported = exported;
    const session = exported.trace.ops.sessions.all[root];
    this.agent = session?.agent ?? '';
    this.traceId = this.hex(`trace ${this.agent} ${session?.id}`, 32);
  }

  spansOf(rows: readonly number[], places?: Map<number, SpanPlace>): { agent: string; spans: OtlpSpan[] } {
    const { trace } = this.exported;
    this.selected = new Set(rows);
    const kindOf = (row: number) => trace.ops.kind.get(row);
    const spanned = rows.filter(row => kindOf(row) === Kind.call || kindOf(row) === Kind.tool);
    // Parents come first: whether a call or tool call is there decides where others hang.
    for (const row of spanned) {
      this.ofRow.set(row, this.name(row));
      places?.set(row, { traceId: this.traceId, spanId: this.hex(this.name(row), 16) });
    }
    for (const row of spanned) this.add(row);
    for (const row of rows) if (!this.ofRow.has(row)) this.happened(row);
    return { agent: this.agent, spans: [...this.building.values()].map(finished) };
  }

  /** A call or tool call. */
  private add(row: number): void {
    const { exported } = this;
    const { ops } = exported.trace;
    const isCall = ops.kind.get(row) === Kind.call;
    const shown = shownValue(exported, isCall ? 'model' : 'tool', row);
    const above = this.above(row);
    const building = this.begin(
      this.ofRow.get(row) as string,
      `${isCall ? 'chat' : 'execute_tool'} ${shown}`.trim(),
      above,
      attributesOfRow(exported, row),
    );
    building.start = ops.start.get(row);
    building.end = Math.max(ops.end.get(row), building.start);
    if (isCall) building.span.kind = 3;
    if (ops.field.status.get(row) === 'error') building.span.status = { code: 2 };
    this.stretch(row);
  }

  /** What is no span of its own: what it brings is told by the span around it. */
  private happened(row: number): void {
    const { exported } = this;
    const { ops } = exported.trace;
    const kind = ops.kind.get(row);
    const around = this.building.get(this.above(row));
    this.stretch(row);
    if (around === undefined || kind === Kind.prompt) return;
    const name =
      kind === Kind.effect
        ? ops.field.domain.get(row) !== ''
          ? 'network'
          : 'file'
        : shownValue(exported, 'event', row) || 'operation';
    around.events.push({
      timeUnixNano: nanos(ops.start.get(row)),
      name,
      attributes: attributesOfRow(exported, row),
    });
  }

  /** The span that a row's stands in: its call or tool call if it is there, else its turn. */
  private above(row: number): string {
    const { links, ops } = this.exported.trace;
    const kind = ops.kind.get(row);
    const own = kind === Kind.effect ? [links.tool[row], links.call[row]] : kind === Kind.tool ? [links.call[row]] : [];
    for (const each of own) {
      const name = each === undefined || each === row ? undefined : this.ofRow.get(each);
      if (name !== undefined) return name;
    }
    return this.turn(row);
  }

  private turn(row: number): string {
    const { exported } = this;
    const { links, ops } = exported.trace;
    const session = this.session(ops.session.get(row));
    const turn = links.turn[row] as number;
    if (turn === NO_ROW) return session;
    const name = this.name(turn);
    if (!this.building.has(name)) {
      const tag = shownValue(exported, 'prompt', turn);
      const words = ops.kind.get(turn) === Kind.prompt ? exported.words?.(turn) : undefined;
      const attributes = [
        text(OWN.turn, this.openedBy(turn)),
        ...(tag === '' ? [] : [text('agentpprof.prompt', tag)]),
        ...(words === undefined || words === '' ? [] : [text('gen_ai.input.messages', messageOf(words))]),
      ];
      const building = this.begin(name, `turn ${tag}`.trim(), session, attributes);
      building.start = building.end = ops.start.get(turn);
    }
    return name;
  }

  /** A prompt that was not selected must not come back as one. */
  private openedBy(turn: number): string {
    const { exported } = this;
    if (!this.selected.has(turn)) return 'other';
    const isPrompt = exported.trace.ops.kind.get(turn) === Kind.prompt;
    return isPrompt ? 'prompt' : shownValue(exported, 'event', turn) || 'other';
  }

  private session(at: number): string {
    const { exported } = this;
    const { links, ops } = exported.trace;
    const facts = ops.sessions.all[at];
    const name = `session ${facts?.id}`;
    if (this.building.has(name) || facts === undefined) return name;
    const spawn = links.spawn[at] as number;
    const parent = facts.parent === undefined ? undefined : ops.sessions.find(facts.agent, facts.parent);
    const isMain = parent === undefined || links.root[at] === at;
    // The name is taken before the parent is asked, so that sessions that claim each other end.
    const agent = facts.parent === undefined ? facts.agent : facts.subagent || 'subagent';
    const shown = exported.shown('subagent', agent);
    const building = this.begin(name, `invoke_agent ${shown}`, '', [
      text('gen_ai.operation.name', 'invoke_agent'),
      text('gen_ai.agent.name', shown),
      text('gen_ai.conversation.id', exported.shown('session', facts.id)),
      ...(facts.project === undefined ? [] : [text('agentpprof.project', exported.shown('project', facts.project))]),
    ]);
    if (!isMain) {
      const above = (spawn === NO_ROW ? undefined : this.ofRow.get(spawn)) ?? this.session(parent);
      building.span.parentSpanId = this.hex(above, 16);
    }
    return name;
  }

  private begin(name: string, title: string, above: string, attributes: Pair[]): Building {
    const span = {
      traceId: this.traceId,
      spanId: this.hex(name, 16),
      ...(above === '' ? {} : { parentSpanId: this.hex(above, 16) }),
      name: title,
      startTimeUnixNano: '0',
      endTimeUnixNano: '0',
    };
    const building: Building = { span, attributes, events: [], start: 0, end: 0 };
    this.building.set(name, building);
    return building;
  }

  /** Turns and sessions last from the first to the last of what is in them. */
  private stretch(row: number): void {
    const { ops } = this.exported.trace;
    const start = ops.start.get(row);
    if (start === 0) return;
    const end = Math.max(start, ops.end.get(row));
    for (const name of [this.turn(row), this.session(ops.session.get(row))]) {
      const building = this.building.get(name);
      if (building === undefined) continue;
      building.start = building.start === 0 ? start : Math.min(building.start, start);
      building.end = Math.max(building.end, end);
    }
  }

  /** What tells a row apart in every run: its identity, else its place among the rows of its record. */
  private name(row: number): string {
    const known = this.named.get(row);
    if (known !== undefined) return known;
    const { ops } = this.exported.trace;
    const { key } = ops;
    const kind = ops.kind.get(row);
    if (key.has(row)) return `${kind} ${keyText(key.high[row] ?? 0, key.low[row] ?? 0)}`;
    const place = `${kind} ${ops.sessions.all[ops.session.get(row)]?.id} ${ops.start.get(row)} ${ops.offset.get(row)}`;
    const nth = this.ordinals.get(place) ?? 0;
    this.ordinals.set(place, nth + 1);
    this.named.set(row, `${place} ${nth}`);
    return `${place} ${nth}`;
  }

  private hex(name: string, digits: number): string {
    return createHash('sha256')
      .update(`${this.exported.keyed(`${this.agent} ${name}`)} ${name}`)
      .digest('hex')
      .slice(0, digits);
  }
}

function finished({ span, attributes, events, start, end }: Building): OtlpSpan {
  return {
    ...span,
    startTimeUnixNano: nanos(start),
    endTimeUnixNano: nanos(Math.max(end, start)),
    attributes,
    ...(events.length === 0 ? {} : { events }),
  };
}

function nanos(micros: number): string {
  return String(BigInt(micros) * 1000n);
}

function messageOf(words: string): string {
  return JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: words }] }]);
}
