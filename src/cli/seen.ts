import { displayText } from '../formats/names.ts';
import { exactly, nounOf, words } from '../formats/units.ts';
import { microDollars } from '../money/round.ts';
import { fold } from '../profile/fold.ts';
import type { Profile } from '../profile/profile.ts';
import { stackColumns } from '../profile/stack-spec.ts';
import { type Tree, treeOf, UnknownMeasureError } from '../profile/tree.ts';
import { UsageError } from '../trace/usage-error.ts';
import { commentsOf } from './comments.ts';
import { emptyReport } from './empty.ts';
import { profileIn } from './profile-file.ts';
import { viewOf } from './view.ts';
import { readForView, type ViewFlags } from './viewed.ts';

/** What `top`, `tree` and `peek` share. */
export interface SeenFlags extends ViewFlags {
  measure?: string;
  sort: string;
  limit: string;
  json?: boolean;
}

/** A profile to look at, of a file or of the histories that the flags select, through one measure. */
export async function seen(file: string | undefined, flags: SeenFlags): Promise<Tree> {
  const profile =
    file === undefined
      ? await folded(flags)
      : profileIn(file, flags.measure ?? viewOf(flags.view, flags.stack).measure);
  try {
    return treeOf(profile, { measure: flags.measure });
  } catch (error) {
    if (error instanceof UnknownMeasureError) throw new UsageError(`--measure: ${error.message}.`);
    throw error;
  }
}

async function folded(flags: SeenFlags): Promise<Profile> {
  const { view, history, shown } = await readForView(flags);
  if (history.rows.length === 0) process.stderr.write(emptyReport(history));
  return fold(history.trace, history.rows, {
    view: view.name,
    measure: view.measure,
    ...stackColumns(history.trace, view.stack, '--stack'),
    labels: [],
    evidence: 0,
    comments: commentsOf(history, view),
    roundCost: microDollars,
    shown,
  });
}

/** `--limit` and `--sort`, checked before anything is read. */
export function limitOf({ limit }: SeenFlags, what: string): number {
  const number = Number(limit);
  if (limit.trim() === '' || !Number.isInteger(number) || number < 0)
    throw new UsageError(`--limit: ${JSON.stringify(limit)} is not a number of ${what}.`);
  return number === 0 ? Number.POSITIVE_INFINITY : number;
}

export function sortOf<S extends string>({ sort }: SeenFlags, known: readonly S[]): S {
  const found = known.find(each => each === sort);
  if (found === undefined)
    throw new UsageError(`--sort: ${JSON.stringify(sort)} is no column to sort by; there are ${known.join(', ')}.`);
  return found;
}

/** Cells of a line: the terminal's, or enough for a file. */
export function widthOf(stream: NodeJS.WriteStream): number {
  return stream.columns ? Math.max(stream.columns, 40) : 120;
}

/** As pprof says it: the type, and how much of the whole is shown. */
export function headLines(tree: Tree, shownFlat: bigint): string[] {
  const { measure, profile } = tree;
  const total = tree.total[0] as bigint;
  const noun = nounOf(measure, total);
  return [
    `Type: ${displayText(measure.name)} (${measure.unit}), ${displayText(profile.view)} view`,
    `Showing frames accounting for ${words(shownFlat, measure.unit)}, ${partOf(shownFlat, total)} of ${exactly(total, measure.unit)}${noun === '' ? '' : ` ${displayText(noun)}`}`,
  ];
}

/** `26.10%`, two decimals as in pprof; a share of nothing is nothing. */
export function partOf(part: bigint, whole: bigint): string {
  return whole === 0n ? '0.00%' : `${((100 * Number(part)) / Number(whole)).toFixed(2)}%`;
}

/** A value for JSON: a number while that is exact, else its digits. */
export function plain(value: bigint): number | string {
  const exact = value <= BigInt(Number.MAX_SAFE_INTEGER) && value >= -BigInt(Number.MAX_SAFE_INTEGER);
  return exact ? Number(value) : value.toString();
}

export function size(value: bigint): bigint {
  return value < 0n ? -value : value;
}

/** For sorting: the larger first. */
export function descending(a: bigint, b: bigint): number {
  return a === b ? 0 : a > b ? -1 : 1;
}
