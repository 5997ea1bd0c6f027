import { Flag } from '../trace/flags.ts';
import { hashKey } from '../trace/keys.ts';
import { Kind, NO_ROW } from '../trace/kinds.ts';
import type { Operations } from '../trace/operations.ts';
import { type Digest, digest } from './digest.ts';
import type { Outcome } from './failures.ts';
import { contradiction, type FileLedger } from './ledger.ts';
import type { SourceFile } from './reader.ts';
import { newStrand, type OpenTool, type Strand, type Touch } from './strand.ts';
import { type Reported, setUsage, type UsageRule, violation } from './usage.ts';

/** A tool call as an answer asks for it. */
export interface Asked {
  /** Identity for the global dedupe, and what a subagent names as the call that spawned it. */
  readonly key: string;
  readonly name: string;
  readonly args: unknown;
  readonly touches?: readonly Touch[];
  readonly command?: string;
  readonly server?: string;
  readonly skill?: string;
  /** Kind and prompt of the subagent that it asks for. */
  readonly spawns?: { readonly type: string; readonly prompt: string };
  /** Flags of the row. */
  readonly flags?: number;
}

const scratch: Digest = { high: 0, low: 0, characters: 0 };

/** Writes the rows of one file. Knows what every agent's rows have in common and nothing of records. */
export class Scribe {
  readonly out: Operations;
  readonly ledger: FileLedger;
  readonly path: string;
  /** The byte range of the record at hand: the evidence of the rows made from it. */
  offset = 0;
  bytes = 0;
  private readonly agent: string;
  private readonly file: number;
  private readonly flags: number;

  /** `flags` are those of every row. */
  constructor(agent: string, file: SourceFile, out: Operations, ledger: FileLedger, flags = 0) {
    this.agent = agent;
    this.flags = flags;
    this.file = file.index;
    this.path = file.path;
    this.out = out;
    this.ledger = ledger;
  }

  /** A conversation; the session is made if it is new. */
  begin(id: string): Strand {
    return newStrand(id, this.out.sessions.of(this.agent, id, this.file));
  }

  /** Finds the sessions of conversations that an earlier reading began. */
  resume(strands: Iterable<Strand>): void {
    for (const strand of strands) strand.session = this.out.sessions.of(this.agent, strand.id, this.file);
  }

  /** The conversation is a subagent's. `call` is the key of the tool call that spawned it, '' if nobody says. */
  isSubagent(strand: Strand, parent: string, type: string, call = ''): void {
    const session = this.out.sessions.all[strand.session];
    if (session === undefined || parent === '' || parent === strand.id) return;
    session.parent = parent;
    if (type !== '' || session.subagent === undefined) session.subagent = type;
    if (call !== '') session.spawnCall = call;
  }

  /** Where the conversation works; the first directory is the session's. */
  inDirectory(strand: Strand, cwd: string): void {
    if (cwd === '') return;
    strand.cwd = cwd;
    const session = this.out.sessions.all[strand.session];
    if (session && session.cwd === undefined) session.cwd = cwd;
  }

  private row(kind: Kind, strand: Strand, parent: number, time: number): number {
    const { out } = this;
    const row = out.add(kind, strand.session, parent, time, this.file, this.offset, this.bytes);
    if (this.flags !== 0) out.flag(row, this.flags);
    out.field.agent_version.set(row, strand.version);
    out.field.branch.set(row, strand.branch);
    out.field.cwd.set(row, strand.cwd);
    return row;
  }

  /** What a person typed: opens a turn. */
  prompt(strand: Strand, key: string, text: string, time: number): number {
    const row = this.row(Kind.prompt, strand, NO_ROW, time);
    this.opens(strand, row, key, text, time);
    return row;
  }

  /** The first thing a subagent is told: opens its turn, and ties it to the call that asked for it. */
  task(strand: Strand, key: string, text: string, time: number): number {
    const row = this.row(Kind.event, strand, NO_ROW, time);
    this.out.field.event.set(row, 'task');
    this.out.flag(row, Flag.opensTurn);
    this.opens(strand, row, key, text, time);
    strand.tasked = true;
    const session = this.out.sessions.all[strand.session];
    if (session && text !== '') session.spawnPrompt ??= hashKey(text);
    return row;
  }

  private opens(strand: Strand, row: number, key: string, text: string, time: number): void {
    if (key !== '') this.out.setKey(row, key);
    this.out.texts.put('prompt', row, text);
    strand.turn = row;
    strand.trigger = time;
  }

  /** Something that happened in the open turn. `error` '' for what is no failure. */
  event(strand: Strand, name: string, time: number, key = '', error = ''): number {
    const row = this.row(Kind.event, strand, strand.turn, time);
    const { field } = this.out;
    field.event.set(row, name);
    if (key !== '') this.out.setKey(row, key);
    if (error !== '') {
      field.status.set(row, error === 'interrupted' ? 'interrupted' : 'error');
      field.error.set(row, error);
    }
    return row;
  }

  /** An event that the model answers: it opens a turn of its own. */
  wakes(strand: Strand, name: string, time: number, key = ''): number {
    const row = this.event(strand, name, time, key);
    this.out.setParent(row, NO_ROW);
    this.out.flag(row, Flag.opensTurn);
    strand.turn = row;
    strand.trigger = time;
    return row;
  }

  /**
   * An answer, without usage yet. It began `millis` before `end` if that is known (greater than 0), else when the model
   * was given what it answers.
   */
  call(strand: Strand, key: string, model: string, end: number, millis = 0): number {
    const since = millis > 0 ? end - Math.round(millis * 1000) : strand.trigger;
    const start = since > 0 && (since <= end || end === 0) ? since : end;
    const row = this.row(Kind.call, strand, strand.turn, start);
    const { out } = this;
    if (end > start) out.end.set(row, end);
    if (key !== '') out.setKey(row, key);
    out.field.model.set(row, model || strand.model);
    out.flag(row, Flag.unknownUsage);
    strand.trigger = 0;
    return row;
  }

  /** Usage of an answer; counts that contradict each other are kept as the rule says, and told in the ledger. */
  usage(row: number, used: Reported, rule: UsageRule): void {
    setUsage(this.out, row, used, rule);
    const wrong = violation(used, rule);
    if (wrong !== '') contradiction(this.ledger, this.offset, wrong);
  }

  /** A tool call under the answer that asked for it (NO_ROW if none did), unanswered until its result comes. */
  tool(strand: Strand, call: number, asked: Asked, time: number): OpenTool {
    const { out } = this;
    const row = this.row(Kind.tool, strand, call === NO_ROW ? strand.turn : call, time);
    const args = digest(asked.args, scratch);
    out.argsKey.set(row, args.high, args.low);
    if (asked.key !== '') out.setKey(row, asked.key);
    out.field.tool.set(row, asked.name);
    out.field.status.set(row, 'unanswered');
    out.field.mcp_server.set(row, asked.server ?? '');
    out.field.skill.set(row, asked.skill ?? '');
    if (asked.flags !== undefined) out.flag(row, asked.flags);
    if (asked.command !== undefined) out.texts.put('command', row, asked.command);
    if (asked.spawns !== undefined) {
      out.spawnedType.set(row, asked.spawns.type.slice(0, 120));
      if (asked.spawns.prompt !== '') out.setSpawnPrompt(row, asked.spawns.prompt);
    }
    return { row, touches: asked.touches ?? [] };
  }

  /** An effect that is known as such, not worked out from what a tool was given; under the row of its tool call. */
  effect(
    strand: Strand,
    parent: number,
    effect: Readonly<Record<'file' | 'effect' | 'domain' | 'process', string>>,
    time: number,
  ): number {
    const row = this.row(Kind.effect, strand, parent, time);
    const { field } = this.out;
    for (const name of ['file', 'effect', 'domain', 'process'] as const) field[name].set(row, effect[name]);
    return row;
  }

  /** The result of a tool call: what it touched counts now that it ran. */
  result({ row, touches }: OpenTool, outcome: Outcome, end: number, text: string): void {
    const { out } = this;
    out.field.status.set(row, outcome.status);
    out.field.error.set(row, outcome.error);
    if (outcome.status === 'denied') out.flag(row, Flag.waits);
    if (end > out.start.get(row)) out.end.set(row, end);
    if (outcome.ran) for (const touch of touches) out.touches.add(row, touch.kind, touch.value, touch.other);
    out.texts.put('result', row, text);
  }

  /** A note for the ledger, once a file. */
  note(text: string): void {
    if (!this.ledger.notes.includes(text)) this.ledger.notes.push(text);
  }
}
