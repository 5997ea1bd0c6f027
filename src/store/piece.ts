import type { Discovery, FoundFile } from '../sources/find.ts';
import type { Gathered } from '../sources/gathered.ts';
import { settle } from '../sources/load.ts';
import { Projects } from '../sources/projects.ts';
import type { TextKind } from '../trace/texts.ts';
import { Trace } from '../trace/trace.ts';
import type { EarlierHistory } from './earlier.ts';
import { attach } from './effects.ts';
import { familiesOf } from './families.ts';
import { storedLedger } from './files.ts';
import { type PackedTexts, packText } from './texts.ts';
import { Changes } from './undo.ts';
import { rangesByFile, type WholeFile, type WholeHistory } from './whole.ts';

/**
 * Settles, completes and links what was gathered; undefined if files must be read again because the effects that were
 * taken over for them are no longer right (`earlier` knows which).
 */
export async function completed(
  gathered: Gathered,
  earlier: EarlierHistory | undefined,
): Promise<WholeHistory | undefined> {
  const { ops, files, discovery, ledgers } = gathered;
  const changes = new Changes(ops);
  const ownNotes = ledgers.map(ledger => ledger.notes.length);
  const projects = new Projects();
  const made = ops.length;
  settle(gathered, projects);
  if (earlier && !earlier.effectsHold(gathered)) return undefined;
  const settled = ops.length;
  await attach(gathered, earlier);
  changes.watch();
  if (earlier) fetchTexts(gathered, earlier);
  const trace = new Trace(ops);
  const undone = changes.made();
  const families = familiesOf(ops, files, undone);
  const settledRows = rangesByFile(ops, files.length, made, settled);
  const effects = rangesByFile(ops, files.length, settled, ops.length);
  return {
    trace,
    discovery,
    changes: undone,
    projects: projects.entries(),
    hasLost: lost(discovery, earlier),
    files: files.map(
      ({ first, count, sessions, resume, siblings, problem, ledger }, at): WholeFile => ({
        file: discovery.files[at] as FoundFile,
        made: [first, count],
        settled: settledRows[at] as [number, number],
        effects: effects[at] as [number, number],
        family: families.of(at),
        told: sessions,
        resume,
        siblings,
        problem,
        ledger: storedLedger(ledger, ownNotes[at] as number),
        texts: kind => textsOf(gathered, earlier, at, kind),
      }),
    ),
  };
}

function lost(discovery: Discovery, earlier: EarlierHistory | undefined): boolean {
  return (
    earlier !== undefined && discovery.files.filter(file => earlier.usedOf(file)).length < earlier.stored.files.length
  );
}

/** Texts of rows that were taken over are fetched when one is asked for. */
function fetchTexts({ ops, discovery, files }: Gathered, earlier: EarlierHistory): void {
  for (const kind of ops.texts.kinds()) {
    ops.texts.stored(kind, function* () {
      for (const [at, file] of discovery.files.entries()) {
        const [first, count] = earlier.usedOf(file)?.made ?? [0, 0];
        const by = (files[at]?.first ?? 0) - first;
        for (const [row, text] of earlier.storedTexts(kind).in(first, first + count)) yield [row + by, text] as const;
      }
    });
  }
}

/** The texts of one file: those of rows that were taken over as they are packed, all others from memory. */
function* textsOf(
  { ops, discovery, files }: Gathered,
  earlier: EarlierHistory | undefined,
  at: number,
  kind: TextKind,
): Generator<PackedTexts> {
  const { first, count } = files[at] as Gathered['files'][number];
  const entry = earlier?.usedOf(discovery.files[at] as FoundFile);
  const stored = entry && earlier?.storedTexts(kind);
  const [before, known] = entry?.made ?? [0, 0];
  let row = 0;
  for (const [own, text] of ops.texts.hereIn(kind, first, first + count)) {
    if (stored && row < known) yield stored.stretch(before + row, before + Math.min(own - first, known), row);
    yield packText(own - first, text);
    row = own - first + 1;
  }
  if (stored && row < known) yield stored.stretch(before + row, before + known, row);
}
