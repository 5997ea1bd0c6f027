import { type Keep, WHOLE } from '../../ingest/keep.ts';
import type { Operations } from '../../trace/operations.ts';
import { OK } from '../failures.ts';
import { microsOf } from '../instants.ts';
import { countUnknown, type FileLedger } from '../ledger.ts';
import type { Head, Reader, RecordSink, SourceFile } from '../reader.ts';
import { type Asked, Scribe } from '../scribe.ts';
import { isObject, listOf, type Obj, objectOf, plainText, textOf } from '../shapes.ts';
import type { OpenTool, Strand } from '../strand.ts';
import { whereabouts } from './whereabouts.ts';

const AGENT = whereabouts.agent;
const ID = 200;

const KEEP: Keep = {
  keys: {
    type: 60,
    content: { keys: { type: 60, text: WHOLE }, text: WHOLE },
    prompt_index: 0,
    tool_calls: { keys: { id: ID, name: ID, arguments: WHOLE } },
    tool_call_id: ID,
    model_id: ID,
  },
};

/** Grok's command-line client: see README.md beside this file. */
export const grok: Reader = {
  ...whereabouts,
  keep: KEEP,
  sniff,
  companion: path => /[\\/]\.grok[\\/]/.test(path) && !path.endsWith('chat_history.jsonl'),
  open: (file, out, ledger, state) => new HistorySink(file, out, ledger, state as FileState | undefined),
};

/** An answer with a model, or a prompt with its number: both without anything that other agents put around messages. */
function sniff({ records }: Head): boolean {
  return records.some(
    record =>
      isObject(record) &&
      ((record.type === 'assistant' && typeof record.model_id === 'string' && Array.isArray(record.tool_calls)) ||
        (record.type === 'user' && typeof record.prompt_index === 'number' && Array.isArray(record.content))),
  );
}

interface FileState {
  strand: Strand | undefined;
  isSubagent: boolean;
  /** Records so far: rows have no ids. */
  records: number;
  /** When the session was made; 0 once its first prompt has that time. */
  created: number;
  tools: Map<string, OpenTool>;
}

class HistorySink implements RecordSink {
  private readonly scribe: Scribe;
  private readonly file: SourceFile;
  private readonly state: FileState;

  constructor(file: SourceFile, out: Operations, ledger: FileLedger, state?: FileState) {
    this.file = file;
    this.scribe = new Scribe(AGENT, file, out, ledger);
    this.state = state ?? { strand: undefined, isSubagent: false, records: 0, created: 0, tools: new Map() };
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
    switch (value.type) {
      case 'system':
        return;
      case 'user':
        this.said(strand, key, plainText(value.content));
        return;
      case 'assistant':
        this.answer(strand, key, value);
        return;
      case 'tool_result': {
        // No status is written: that there is a result is all that is known.
        const open = state.tools.get(textOf(value.tool_call_id));
        state.tools.delete(textOf(value.tool_call_id));
        if (open !== undefined) scribe.result(open, OK, 0, plainText(value.content));
        return;
      }
      default:
        countUnknown(scribe.ledger, textOf(value.type).slice(0, 60) || 'no type');
    }
  }

  /** The session as `summary.json` beside the history describes it. */
  private strand(): Strand {
    const { scribe, state, file } = this;
    if (state.strand !== undefined) return state.strand;
    const summary = objectOf(file.sibling('summary.json'));
    const info = objectOf(summary.info);
    const strand = scribe.begin(textOf(info.id) || (file.path.split(/[\\/]/).at(-2) ?? file.path));
    state.strand = strand;
    state.created = microsOf(summary.created_at);
    strand.branch = textOf(summary.head_branch);
    scribe.inDirectory(strand, textOf(info.cwd));
    if (summary.session_kind === 'subagent') {
      state.isSubagent = true;
      scribe.isSubagent(strand, `parent of ${strand.id}`, textOf(summary.agent_name));
    }
    return strand;
  }

  private said(strand: Strand, key: string, text: string): void {
    const { scribe, state } = this;
    const time = state.created;
    state.created = 0;
    if (!state.isSubagent) scribe.prompt(strand, key, text, time);
    else if (!strand.tasked) scribe.task(strand, key, text, time);
    else scribe.wakes(strand, 'message', time, key);
  }

  private answer(strand: Strand, key: string, value: Obj): void {
    const { scribe, state } = this;
    strand.trigger = 0;
    const call = scribe.call(strand, key, textOf(value.model_id), 0);
    scribe.out.texts.put('call', call, plainText(value.content));
    for (const tool of listOf(value.tool_calls).map(objectOf)) {
      const id = textOf(tool.id);
      state.tools.set(id, scribe.tool(strand, call, askedOf(tool, `${key} ${id}`), 0));
    }
  }
}

/** Arguments are JSON in a string. */
function askedOf(tool: Obj, key: string): Asked {
  const name = textOf(tool.name);
  let args: unknown = tool.arguments;
  try {
    args = JSON.parse(textOf(tool.arguments));
  } catch {
    // What is no JSON is an argument all the same.
  }
  if (name !== 'run_terminal_cmd') return { key, name, args };
  const command = textOf(objectOf(args).command);
  return { key, name, args, command, touches: [{ kind: 'shell', value: command }] };
}
