import { Flag } from '../../trace/flags.ts';
import type { Kind } from '../../trace/kinds.ts';
import type { Operations } from '../../trace/operations.ts';
import type { FileLedger } from '../ledger.ts';
import type { SourceFile } from '../reader.ts';
import { type Obj, textOf } from '../shapes.ts';
import type { Chain, FileState } from './state.ts';
import { whereabouts } from './whereabouts.ts';

export const AGENT = whereabouts.agent;

/** What the parts of this reader share while they read one file. The lower half is of the record at hand. */
export interface Context {
  readonly file: SourceFile;
  readonly out: Operations;
  readonly ledger: FileLedger;
  readonly state: FileState;
  /** The subagent and the session whose transcript the file is, by its name; '' where the name says neither. */
  readonly fileAgent: string;
  readonly fileSession: string;
  /** The session below which a subagent's file lies; '' if it lies below none. */
  readonly fileParent: string;
  /** The record as it stands in the file: also for a message wrapped in it, the source of version, branch and cwd. */
  record: Obj;
  /** The uuid of the message: the record's, or that of the message wrapped in it. */
  uuid: string;
  offset: number;
  bytes: number;
  /** It came from a saved stream. */
  streamed: boolean;
  /** The record's own time in microseconds; 0 if it has none. */
  time: number;
}

/** Appends a row of a chain with the fields every row has. */
export function addRow(context: Context, kind: Kind, chain: Chain, parent: number, time: number): number {
  const { out, record } = context;
  const row = out.add(kind, chain.session, parent, time, context.file.index, context.offset, context.bytes);
  if (context.streamed) out.flag(row, Flag.streamed);
  const { field } = out;
  field.agent_version.set(row, textOf(record.version));
  field.branch.set(row, textOf(record.gitBranch));
  field.cwd.set(row, textOf(record.cwd));
  return row;
}

/** A note for the ledger, once a file. */
export function note(context: Context, text: string): void {
  if (context.state.noted.has(text)) return;
  context.state.noted.add(text);
  context.ledger.notes.push(text);
}
