import { counted } from '../../trace/counted.ts';
import { Flag } from '../../trace/flags.ts';
import { NO_ROW } from '../../trace/kinds.ts';

import { failed, failureOf, OK } from '../failures.ts';
import type { Scribe } from '../scribe.ts';
import { classOf, isObject } from '../shapes.ts';
import type { Strand, Touch } from '../strand.ts';
import { sessionsOf } from './boundaries.ts';
import { type Forest, forestOf, type Node } from './forest.ts';
import { Habits } from './habits.ts';
import { openOwnTurn, tellOwn, writeHappened } from './own.ts';
import { qualityOf } from './quality.ts';
import type { Own, Span } from './span.ts';

export interface WriteOptions {
  /** Pause in microseconds that ends a session where nothing else tells sessions apart. */
  readonly sessionGap: number;
  /** What a tool call's arguments name. */
  touches(tool: string, args: unknown): readonly Touch[];
}

/** Where a span stands: what the rows made from it hang on. */
interface Place {
  readonly strand: Strand;
  /** The call or tool call that it is in; NO_ROW where there is none. */
  readonly owner: number;
  /** The calls of the agent that it is in, the latest last: one of them asked for a tool that stands beside them. */
  readonly calls: number[];
  /** Of the agent that it is in; undefined where there is none. */
  readonly agent: string | undefined;
  /** The tool call that it is in, whose model calls are a subagent's. */
  readonly tool: { readonly key: string; sub: Strand | undefined } | undefined;
  /** The turn that it is in, where the trace tells turns: NO_ROW for before all of them. */
  readonly turn?: number;
}

/** Turns all spans of a file into rows: prompts, calls and tool calls in the order in which they began. */
export function writeSpans(scribe: Scribe, spans: readonly Span[], options: WriteOptions): void {
  new SpanWriter(scribe, spans, options).write();
}

class SpanWriter {
  private readonly scribe: Scribe;
  private readonly spans: readonly Span[];
  private readonly options: WriteOptions;
  private readonly forest: Forest;
  private readonly habits: Habits;
  private readonly strands = new Map<string, Strand>();
  /** By session: the trace and the words of the prompt that opened its turn. */
  private readonly opened = new Map<string, { readonly trace: string; readonly words: string }>();
  private readonly perSession = new Map<string, number>();
  private otherSpans = 0;
  private besides = 0;

  constructor(scribe: Scribe, spans: readonly Span[], options: WriteOptions) {
    this.scribe = scribe;
    this.spans = spans;
    this.options = options;
    this.forest = forestOf(spans);
    this.habits = new Habits(spans);
  }

  write(): void {
    const { scribe, forest, options } = this;
    const { names, byPause } = sessionsOf(forest.roots, options.sessionGap);
    for (const root of forest.roots) this.tree(root, names.get(root) as string);
    scribe.ledger.repeatedRows += forest.repeated + forest.wrappers;
    if (this.otherSpans > 0) {
      const { unknown } = scribe.ledger;
      unknown.set('span of no agent', (unknown.get('span of no agent') ?? 0) + this.otherSpans);
    }
    if (this.besides > 0)
      scribe.note(`cached input stands beside the input, not in it, in ${counted(this.besides, 'call')}`);
    for (const note of qualityOf(this.spans, forest, this.perSession, byPause, options.sessionGap)) scribe.note(note);
  }

  private tree(root: Node, session: string): void {
    const size = sizeOf(root);
    if (!size.tells) {
      this.otherSpans += size.spans;
      return;
    }
    this.perSession.set(session, (this.perSession.get(session) ?? 0) + size.spans);
    const strand = this.strand(session);
    this.at(root.span, strand);
    if (root.span.own?.isSession !== true) this.opensTurn(root, session, strand);
    const calls: number[] = [];
    const pending: { node: Node; place: Place }[] = [
      { node: root, place: { strand, owner: NO_ROW, calls, agent: undefined, tool: undefined } },
    ];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const { node, place } = next;
      this.scribe.offset = node.span.offset;
      this.scribe.bytes = node.span.bytes;
      const below = this.node(node, place);
      for (let i = node.children.length - 1; i >= 0; i--)
        pending.push({ node: node.children[i] as Node, place: below });
    }
  }

  private strand(session: string): Strand {
    let strand = this.strands.get(session);
    if (strand === undefined) {
      strand = this.scribe.begin(session);
      this.strands.set(session, strand);
    }
    return strand;
  }

  private at(span: Span, strand: Strand): void {
    this.scribe.offset = span.offset;
    this.scribe.bytes = span.bytes;
    if (span.version !== '') strand.version = span.version;
    if (strand.cwd === '') this.scribe.inDirectory(strand, span.cwd);
  }

  /** A trace is what one question led to. Its words are in the outermost span that tells them. */
  private opensTurn(root: Node, session: string, strand: Strand): void {
    const words = askedIn(root);
    const { trace, start, id } = root.span;
    const before = this.opened.get(session);
    const key = id === '' ? '' : `${trace}/${id}/asked`;
    if (words !== '' && before?.trace === trace && before.words === words) return;
    if (words !== '') this.scribe.prompt(strand, key, words, start);
    else if (strand.turn === NO_ROW || before?.trace !== trace) this.scribe.wakes(strand, 'trace', start, key);
    this.opened.set(session, { trace, words: words || (before?.words ?? '') });
    this.mark(strand.turn, root.span);
  }

  /** Writes what a span is; gives where the spans in it stand. */
  private node(node: Node, place: Place): Place {
    const { span } = node;
    let at = place;
    if (at.turn !== undefined) at.strand.turn = at.turn;
    if (span.own?.isSession) return this.ownSession(span, span.own, at);
    if (span.own !== undefined && span.own.turn !== '') return this.ownTurn(span, span.own, at);
    if (span.role === 'agent') at = this.agent(span, at);
    else if (span.role === 'tool') return this.tool(node, at);
    if (node.call === '') return at;
    if (at.tool !== undefined) at = this.subagent(span, at, '');
    this.at(span, at.strand);
    const row = this.call(node, at);
    at.calls.push(row);
    // What stands in an agent's own row still belongs to the calls beside it.
    return span.role === 'model' ? { ...at, owner: row } : at;
  }

  /** A session that went out as one: its turns are told, and it needs no tool call that spawned it. */
  private ownSession(span: Span, own: Own, place: Place): Place {
    let at = place;
    if (place.tool !== undefined) at = this.subagent(span, place, span.name);
    else if (place.agent !== undefined) {
      const strand = this.scribe.begin(`${place.strand.id}/${keyOf(span)}`);
      this.scribe.isSubagent(strand, place.strand.id, span.name);
      at = { ...place, strand, owner: NO_ROW };
    }
    at.strand.turn = NO_ROW;
    this.at(span, at.strand);
    writeHappened(this.scribe, at.strand, NO_ROW, own);
    return { ...at, agent: span.name, calls: [], turn: NO_ROW };
  }

  private ownTurn(span: Span, own: Own, place: Place): Place {
    this.at(span, place.strand);
    const turn = openOwnTurn(this.scribe, place.strand, keyOf(span), span, own);
    this.mark(turn, span);
    writeHappened(this.scribe, place.strand, turn, own);
    return { ...place, owner: NO_ROW, calls: [], turn };
  }

  private agent(span: Span, place: Place): Place {
    if (place.tool !== undefined) return { ...this.subagent(span, place, span.name), agent: span.name };
    if (place.agent === undefined) return { ...place, agent: span.name };
    // Frameworks put several spans around one agent.
    if (place.agent === span.name) return place;
    const key = keyOf(span);
    const tool = this.scribe.tool(
      place.strand,
      this.ownerOf(span, place),
      { key, name: 'invoke_agent', args: span.asked, spawns: { type: span.name, prompt: '' } },
      span.start,
    );
    this.scribe.result(tool, outcomeOf(span), span.end, '');
    this.mark(tool.row, span);
    const inside = { ...place, owner: tool.row, tool: { key, sub: undefined } };
    return { ...this.subagent(span, inside, span.name), agent: span.name };
  }

  /** The conversation inside a tool call: a session of its own that the tool call spawned. */
  private subagent(span: Span, place: Place, type: string): Place {
    const tool = place.tool as NonNullable<Place['tool']>;
    const fresh = tool.sub === undefined;
    tool.sub ??= this.scribe.begin(`${place.strand.id}/${tool.key}`);
    const strand = tool.sub;
    if (fresh || type !== '') this.scribe.isSubagent(strand, place.strand.id, type, tool.key);
    this.at(span, strand);
    if (fresh && span.own === undefined) this.scribe.task(strand, `${tool.key}/asked`, span.asked, span.start);
    return { strand, owner: NO_ROW, calls: [], agent: type === '' ? place.agent : type, tool: undefined };
  }

  private call(node: Node, { strand }: Place): number {
    const { span } = node;
    const { scribe } = this;
    strand.trigger = 0;
    const row = scribe.call(strand, keyOf(span), span.model, span.end, (span.end - span.start) / 1000);
    if (span.end <= span.start) scribe.out.start.set(row, span.start || span.end);
    if (span.used !== undefined) {
      const rule = this.habits.rule(span.exporter, span.used);
      if (!rule.inputIncludesCache && span.used.cacheRead + span.used.cacheWrite > 0) this.besides++;
      scribe.usage(row, span.used, rule);
    }
    if (node.call === 'usageOnly') scribe.out.flag(row, Flag.usageOnly);
    if (node.call === 'inferred') {
      scribe.out.flag(row, Flag.inferred);
      scribe.note('agents of which no answer was traced: what they used is not in the file');
    }
    if (span.failed) {
      scribe.out.field.status.set(row, 'error');
      scribe.out.field.error.set(row, classOf(span.error) || 'api-error');
    }
    scribe.out.texts.put('call', row, span.said);
    if (span.own !== undefined) tellOwn(scribe, strand, row, span.own);
    this.mark(row, span);
    return row;
  }

  private tool(node: Node, place: Place): Place {
    const { span } = node;
    this.at(span, place.strand);
    const { args } = span;
    const tool = this.scribe.tool(
      place.strand,
      this.ownerOf(span, place),
      {
        key: keyOf(span),
        name: span.name,
        args,
        touches: this.options.touches(span.name, args),
        ...(isObject(args) && typeof args.command === 'string' ? { command: args.command } : {}),
      },
      span.start,
    );
    this.scribe.result(tool, outcomeOf(span), span.end, span.result);
    if (span.own !== undefined) tellOwn(this.scribe, place.strand, tool.row, span.own);
    this.mark(tool.row, span);
    if (node.call !== '') place.calls.push(this.call(node, place));
    return { ...place, owner: tool.row, tool: { key: keyOf(span), sub: undefined } };
  }

  /** The call that asked for a tool: the one it stands in, else the latest beside it that had begun. */
  private ownerOf(span: Span, place: Place): number {
    if (place.owner !== NO_ROW) return place.owner;
    for (let i = place.calls.length - 1; i >= 0; i--) {
      const row = place.calls[i] as number;
      if (this.scribe.out.start.get(row) <= span.start) return row;
    }
    return NO_ROW;
  }

  private mark(row: number, { service }: Span): void {
    if (service !== '') this.scribe.out.freeField('service').set(row, service);
  }
}

function keyOf({ trace, id }: Span): string {
  return id === '' ? '' : `${trace}/${id}`;
}

function outcomeOf(span: Span) {
  if (!span.failed) return OK;
  const error = classOf(span.error);
  return error === '' ? failureOf(span.error) : failed(error);
}

/** The words of the outermost span below a root that tells what was asked; tools are asked by models, not by people. */
function askedIn(root: Node): string {
  let level = [root];
  while (level.length > 0) {
    const below: Node[] = [];
    for (const { span, children } of level) {
      if (span.role === 'tool') continue;
      if (span.asked !== '') return span.asked;
      below.push(...children);
    }
    level = below;
  }
  return '';
}

function sizeOf(root: Node): { spans: number; tells: boolean } {
  let spans = 0;
  let tells = false;
  const pending = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    spans++;
    tells ||= node.call !== '' || node.span.role === 'tool' || node.span.role === 'agent';
    for (const child of node.children) pending.push(child);
  }
  return { spans, tells };
}
