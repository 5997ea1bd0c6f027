import { type Keep, WHOLE } from '../../ingest/keep.ts';
import type { Operations } from '../../trace/operations.ts';
import { microsOf } from '../instants.ts';
import type { FileLedger } from '../ledger.ts';
import type { Head, Reader, RecordSink, SourceFile } from '../reader.ts';
import { Scribe } from '../scribe.ts';
import { isObject, objectOf, textOf } from '../shapes.ts';
import { whereabouts } from './whereabouts.ts';

const AGENT = whereabouts.agent;

const KEEP: Keep = {
  keys: {
    createdAt: 60,
    updatedAt: 60,
    workDir: 4096,
    lastPrompt: WHOLE,
    agents: { keys: {}, rest: { keys: { homedir: 4096, type: 60, parentAgentId: 200 } } },
  },
};

/** Sessions of Kimi's client, of which only `state.json` is known: see README.md beside this file. */
export const kimi: Reader = {
  ...whereabouts,
  keep: KEEP,
  sniff,
  isDocument: path => path.endsWith('.json'),
  open: (file, out, ledger) => new StateSink(file, out, ledger),
};

function sniff({ records, document }: Head): boolean {
  const value = document ?? (records.length === 1 ? records[0] : undefined);
  if (!isObject(value) || !isObject(value.agents) || typeof value.workDir !== 'string') return false;
  return Object.values(value.agents).some(agent => typeof objectOf(agent).homedir === 'string');
}

class StateSink implements RecordSink {
  private readonly scribe: Scribe;

  constructor(file: SourceFile, out: Operations, ledger: FileLedger) {
    this.scribe = new Scribe(AGENT, file, out, ledger);
  }

  record(value: unknown, offset: number, bytes: number): void {
    const { scribe } = this;
    if (!isObject(value)) {
      scribe.ledger.badLines++;
      return;
    }
    scribe.offset = offset;
    scribe.bytes = bytes;
    const agents = Object.values(objectOf(value.agents)).map(objectOf);
    const home = textOf(agents.find(agent => agent.type === 'main')?.homedir);
    const id = /[\\/](session_[^\\/]+)[\\/]/.exec(home)?.[1] ?? scribe.path;
    const strand = scribe.begin(id);
    scribe.inDirectory(strand, textOf(value.workDir));
    scribe.note('only the last prompt of a session is read: its answers lie in files of which there is no sample');
    const words = textOf(value.lastPrompt);
    if (words !== '') scribe.prompt(strand, `${id} ${words}`, words, microsOf(value.updatedAt));
  }

  /** A document has no later part. */
  end(): undefined {}
}
