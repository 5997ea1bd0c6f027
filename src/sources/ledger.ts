import { lineAt } from '../ingest/line-at.ts';

/**
 * The ledger: what was read, what was counted once and dropped as a repeat, what was not understood. One entry a
 * file, summed for `reconcile`. Nothing a reader sees may vanish without a line here.
 */
export interface FileLedger {
  readonly path: string;
  agent: string;
  bytes: number;
  lines: number;
  /** Lines that are not JSON, or JSON but not an object. A half-written last line is `tornTail`, not bad. */
  badLines: number;
  /** Line numbers (from 1) of the first few bad lines. */
  badLineNumbers: number[];
  tornTail: boolean;
  /** Record types this reader does not know, with counts. */
  unknown: Map<string, number>;
  /** Rows of a call beyond its first (Claude Code writes one row a content block). */
  repeatedRows: number;
  /** Cumulative counter rows that told nothing new (Codex token_count). */
  repeatedCounters: number;
  /** Things a person should know, one short sentence each, no private text. */
  notes: string[];
}

export function fileLedger(path: string, agent: string): FileLedger {
  return {
    path,
    agent,
    bytes: 0,
    lines: 0,
    badLines: 0,
    badLineNumbers: [],
    tornTail: false,
    unknown: new Map(),
    repeatedRows: 0,
    repeatedCounters: 0,
    notes: [],
  };
}

export function countUnknown(ledger: FileLedger, type: string): void {
  ledger.unknown.set(type, (ledger.unknown.get(type) ?? 0) + 1);
}

const CONTRADICTION = 'usage that contradicts itself';
const MOST_PLACES = 3;

/**
 * Notes that an agent's own counts do not satisfy the identity that they must (usage.ts), with the place; of more than
 * three in a file only that there are more. `wrong` says what, without private text.
 */
export function contradiction(ledger: FileLedger, offset: number, wrong: string): void {
  const { notes } = ledger;
  const told = notes.reduce((count, note) => (note.startsWith(`${CONTRADICTION} at`) ? count + 1 : count), 0);
  if (told >= MOST_PLACES) {
    const more = `${CONTRADICTION} stands in more places`;
    if (!notes.includes(more)) notes.push(more);
    return;
  }
  const line = lineAt(ledger.path, offset);
  const note = `${CONTRADICTION} at ${line === undefined ? '' : `line ${line}, `}byte ${offset}: ${wrong}`;
  if (!notes.includes(note)) notes.push(note);
}
