import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Keep, WHOLE } from '../../ingest/keep.ts';
import type { Operations } from '../../trace/operations.ts';
import { OK } from '../failures.ts';
import { countUnknown, type FileLedger } from '../ledger.ts';
import type { Head, Reader, RecordSink, SourceFile } from '../reader.ts';
import { type Asked, Scribe } from '../scribe.ts';
import { blocksOf, isObject, type Obj, objectOf, plainText, textOf } from '../shapes.ts';
import type { OpenTool, Strand } from '../strand.ts';
import { whereabouts } from './whereabouts.ts';

const AGENT = whereabouts.agent;

const KEEP: Keep = {
  keys: {
    role: 60,
    type: 60,
    status: 60,
    message: { keys: { content: { keys: { type: 60, text: WHOLE, name: 200, input: WHOLE }, text: WHOLE } } },
  },
};

const SHELLS: ReadonlySet<string> = new Set(['Shell', 'Bash']);
const SPAWNING: ReadonlySet<string> = new Set(['Agent', 'Task']);

/** Transcripts of Cursor's agents: see README.md beside this file. Its databases are not read. */
export const cursor: Reader = {
  ...whereabouts,
  keep: KEEP,
  sniff,
  open: (file, out, ledger, state) => new TranscriptSink(file, out, ledger, state as FileState | undefined),
};

/** A message of a role and nothing else: no id, no time, no type. */
function sniff({ records }: Head): boolean {
  const first = records[0];
  if (!isObject(first) || (first.role !== 'user' && first.role !== 'assistant')) return false;
  return Object.keys(first).length === 2 && Array.isArray(objectOf(first.message).content);
}

interface FileState {
  strand: Strand | undefined;
  isSubagent: boolean;
  /** Records so far: rows have no ids. */
  records: number;
  /** Tool calls of the answer at hand. Results are not written: that the conversation went on shows that there were some. */
  open: OpenTool[];
}

class TranscriptSink implements RecordSink {
  private readonly scribe: Scribe;
  private readonly file: SourceFile;
  private readonly state: FileState;

  constructor(file: SourceFile, out: Operations, ledger: FileLedger, state?: FileState) {
    this.file = file;
    this.scribe = new Scribe(AGENT, file, out, ledger);
    this.state = state ?? { strand: undefined, isSubagent: false, records: 0, open: [] };
    if (this.state.strand) this.scribe.resume([this.state.strand]);
  }

  end(): FileState {
    return this.state;
  }

  record(value: unknown, offset: number, bytes: number): void {
    const { scribe, state } = this;
    if (!isObject(value)) {
      scribe.ledger.badLines++;
      return;
    }
    scribe.offset = offset;
    scribe.bytes = bytes;
    const strand = this.strand();
    const key = `${strand.id} ${state.records++}`;
    const { content } = objectOf(value.message);
    for (const open of state.open.splice(0)) scribe.result(open, OK, 0, '');
    if (value.role === 'user') this.said(strand, key, plainText(content));
    else if (value.role === 'assistant') this.answer(strand, key, content);
    else if (value.type !== 'turn_ended') {
      countUnknown(scribe.ledger, (textOf(value.type) || textOf(value.role)).slice(0, 60) || 'no type');
    } else if (value.status !== 'success') {
      scribe.event(strand, 'interruption', 0, key, value.status === 'error' ? 'api-error' : 'interrupted');
    }
  }

  private strand(): Strand {
    const { scribe, state, file } = this;
    if (state.strand !== undefined) return state.strand;
    state.strand = scribe.begin(stemOf(file.path));
    const parent = parentOf(file.path);
    state.isSubagent = parent !== '';
    scribe.isSubagent(state.strand, parent, '');
    return state.strand;
  }

  private said(strand: Strand, key: string, text: string): void {
    const { scribe, state } = this;
    // A person's words stand in this frame where the client adds others.
    const words = /<user_query>\s*([\s\S]*?)\s*<\/user_query>/.exec(text)?.[1] ?? text;
    if (!state.isSubagent) scribe.prompt(strand, key, words, 0);
    else if (!strand.tasked) scribe.task(strand, key, words, 0);
    else scribe.wakes(strand, 'message', 0, key);
  }

  private answer(strand: Strand, key: string, content: unknown): void {
    const { scribe, state } = this;
    const call = scribe.call(strand, key, '', 0);
    scribe.out.texts.put('call', call, plainText(content));
    for (const [n, block] of blocksOf(content).entries()) {
      if (block.type === 'tool_use') state.open.push(scribe.tool(strand, call, askedOf(block, `${key} ${n}`), 0));
      else if (block.type !== 'text') countUnknown(scribe.ledger, `block ${textOf(block.type).slice(0, 60)}`);
    }
  }
}

function askedOf(block: Obj, key: string): Asked {
  const name = textOf(block.name);
  const input = objectOf(block.input);
  const asked = { key, name, args: block.input };
  if (SHELLS.has(name)) {
    const command = textOf(input.command);
    return { ...asked, command, touches: [{ kind: 'shell', value: command }] };
  }
  if (!SPAWNING.has(name)) return asked;
  return { ...asked, spawns: { type: textOf(input.subagent_type), prompt: textOf(input.prompt) } };
}

function stemOf(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1).replace(/\.jsonl$/, '');
}

/** Subagents lie in `subagents/` beside the transcript they belong to: the only one there, or that of the folder's name. */
function parentOf(path: string): string {
  const folder = dirname(path);
  if (!/[\\/]subagents$/.test(folder)) return '';
  const above = dirname(folder);
  let names: string[] = [];
  try {
    names = readdirSync(above).filter(name => name.endsWith('.jsonl'));
  } catch {
    // A history that is not on this machine.
  }
  return names.length === 1 ? stemOf(names[0] as string) : (above.split(/[\\/]/).at(-1) as string);
}
