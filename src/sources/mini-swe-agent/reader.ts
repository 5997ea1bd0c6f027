import { type Keep, WHOLE } from '../../ingest/keep.ts';
import type { Operations } from '../../trace/operations.ts';
import { digest } from '../digest.ts';
import { exited, OK } from '../failures.ts';
import { countUnknown, type FileLedger } from '../ledger.ts';
import type { Head, Reader, RecordSink, SourceFile } from '../reader.ts';
import { Scribe } from '../scribe.ts';
import { isObject, listOf, objectOf, plainText, textOf } from '../shapes.ts';
import type { OpenTool } from '../strand.ts';
import { stemOf } from '../swe-agent/format.ts';
import { whereabouts } from './whereabouts.ts';

const AGENT = whereabouts.agent;

const MESSAGE = { role: 60, content: { keys: { type: 60, text: WHOLE }, text: WHOLE } };

const KEEP: Keep = { keys: { ...MESSAGE, messages: { keys: MESSAGE } } };

/** mini-SWE-agent trajectories: see README.md beside this file. They lie wherever a run was told to put them. */
export const miniSweAgent: Reader = {
  ...whereabouts,
  keep: KEEP,
  sniff,
  isDocument: path => path.endsWith('.json'),
  open: (file, out, ledger) => new TrajectorySink(file, out, ledger),
};

/** A list of messages of which one asks for a command in the agent's own way; or an object that holds the list. */
function sniff({ records, document }: Head): boolean {
  const messages = messagesOf(document ?? (records.length === 1 ? records[0] : undefined));
  return (
    messages.length > 1 &&
    messages.every(each => isObject(each) && typeof each.role === 'string' && 'content' in each) &&
    messages.some(each => textOf(objectOf(each).content).includes('mswea_bash_command'))
  );
}

function messagesOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : listOf(objectOf(value).messages);
}

class TrajectorySink implements RecordSink {
  private readonly scribe: Scribe;
  private readonly file: SourceFile;

  constructor(file: SourceFile, out: Operations, ledger: FileLedger) {
    this.file = file;
    this.scribe = new Scribe(AGENT, file, out, ledger);
  }

  record(value: unknown, offset: number, bytes: number): void {
    const { scribe } = this;
    const messages = messagesOf(value).map(objectOf);
    if (messages.length === 0) {
      scribe.ledger.badLines++;
      return;
    }
    scribe.offset = offset;
    scribe.bytes = bytes;
    // Runs have no id, and one task is tried many times: what was said tells them apart.
    const { high, low } = digest(messages);
    const id = `${stemOf(this.file.path)} ${high.toString(16)}${low.toString(16)}`;
    const strand = scribe.begin(id);
    let asked = false;
    let open: OpenTool | undefined;
    for (const [n, message] of messages.entries()) {
      const text = plainText(message.content);
      const key = `${id} ${n}`;
      if (message.role === 'assistant') {
        const call = scribe.call(strand, key, '', 0);
        scribe.out.texts.put('call', call, text);
        const command = /```(?:mswea_bash_command|bash)\n([\s\S]*?)\n?```/.exec(text)?.[1];
        open = undefined;
        if (command === undefined) continue;
        const touches = [{ kind: 'shell' as const, value: command }];
        open = scribe.tool(strand, call, { key, name: 'bash', args: command, command, touches }, 0);
      } else if (message.role === 'user' || message.role === 'tool') {
        const code = /<returncode>\s*(-?\d+)/.exec(text.slice(0, 200))?.[1];
        if (open !== undefined) scribe.result(open, code === undefined ? OK : exited(Number(code)), 0, text);
        else if (!asked) scribe.prompt(strand, key, text, 0);
        else scribe.event(strand, 'message', 0, key);
        asked = true;
        open = undefined;
      } else if (message.role !== 'system') countUnknown(scribe.ledger, `role ${textOf(message.role).slice(0, 60)}`);
    }
  }

  /** A document has no later part. */
  end(): undefined {}
}
