import { DIFF_FORMATS, type DiffFormat } from '../formats/diff.ts';
import { writeDiffJson } from '../formats/diff-json.ts';
import { diffSummary } from '../formats/diff-terminal.ts';
import { nothingToShow, totalLine } from '../formats/diff-words.ts';
import { formatNamed, formatOfPath, UnknownFormatError } from '../formats/index.ts';
import { compare, type SideInput } from '../profile/diff.ts';
import { type DiffTree, diffTreeOf } from '../profile/diff-tree.ts';
import { UnknownMeasureError } from '../profile/tree.ts';
import { counted } from '../trace/counted.ts';
import { UsageError } from '../trace/usage-error.ts';
import {
  both,
  foldSide,
  groupsOf,
  isNarrowed,
  type Picked,
  pick,
  rest,
  type SideFlags,
  sideOfFile,
} from './diff-sides.ts';
import { emptyReport } from './empty.ts';
import type { History } from './history.ts';
import { checkOutput, writeOutput } from './output.ts';
import { useColor, warn } from './terminal.ts';
import { viewOf } from './view.ts';
import { readForView, type ViewFlags } from './viewed.ts';

type Prefixed<Side extends string, T> = { [K in keyof T & string as `${Side}${Capitalize<K>}`]: T[K] };

export interface DiffFlags extends ViewFlags, Prefixed<'a', SideFlags>, Prefixed<'b', SideFlags> {
  by?: string;
  a?: string;
  b?: string;
  aName?: string;
  bName?: string;
  normalize?: boolean;
  pair?: string;
  noise: string;
  measure?: string;
  output?: string;
  format?: string;
  json?: boolean;
}

/** A side, and the label of its tasks where it is to be paired. */
type Side = SideInput & { readonly task?: string };

/** Two profiles, selections or groups to what changed between them. */
export async function diff(files: readonly [string?, string?], flags: DiffFlags): Promise<void> {
  const format = formatOf(flags);
  const noise = Number(flags.noise);
  if (flags.noise.trim() === '' || !(noise >= 0 && noise <= 100))
    throw new UsageError(`--noise: ${JSON.stringify(flags.noise)} is not a percentage from 0 to 100.`);
  if (flags.output !== undefined) checkOutput(flags.output);
  const { a, b, history } = await sidesOf(files, flags);
  if (a.profile.view !== b.profile.view && !flags.quiet)
    warn(`side A is a profile of the ${a.profile.view} view, side B of the ${b.profile.view} view`);
  const tree = diffTreeOf(compared(a, b, flags, noise / 100));
  write(tree, format, flags);
  if (history !== undefined && history.rows.length === 0) process.stderr.write(emptyReport(history));
}

function compared(a: Side, b: Side, flags: DiffFlags, noise: number) {
  // Both sides were read for the same field, but a file calls its label by the field and a selection by a name of ours.
  const pair = a.task;
  const second =
    b.task === pair || pair === undefined || b.task === undefined ? b : { ...b, profile: relabelled(b, b.task, pair) };
  try {
    return compare(
      { ...a, name: flags.aName ?? a.name },
      { ...second, name: flags.bName ?? b.name },
      {
        measure: flags.measure,
        normalize: flags.normalize,
        pair,
        pairName: flags.pair,
        noise,
      },
    );
  } catch (error) {
    if (error instanceof UnknownMeasureError) throw new UsageError(`--measure: ${error.message}.`);
    throw error;
  }
}

function relabelled({ profile }: Side, from: string, to: string): Side['profile'] {
  return {
    ...profile,
    labelSets: profile.labelSets.map(set => set.map(label => (label.key === from ? { ...label, key: to } : label))),
  };
}

async function sidesOf(
  [fileA, fileB]: readonly [string?, string?],
  flags: DiffFlags,
): Promise<{ a: Side; b: Side; history?: History }> {
  const measure = flags.measure ?? viewOf(flags.view, flags.stack).measure;
  const own = { a: sideFlags(flags, 'a'), b: sideFlags(flags, 'b') };
  const asked = flags.by !== undefined || isNarrowed(own.a) || isNarrowed(own.b);
  if (flags.by === undefined && (flags.a !== undefined || flags.b !== undefined))
    throw new UsageError('--a, --b: name values of a field; say which with --by FIELD.');
  if (fileA !== undefined && fileB !== undefined) {
    if (asked) throw new UsageError('diff: both sides are files, so nothing can be selected from histories.');
    return { a: sideOfFile(fileA, measure, flags.pair), b: sideOfFile(fileB, measure, flags.pair) };
  }
  if (fileA !== undefined && (flags.by !== undefined || isNarrowed(own.a)))
    throw new UsageError('diff: side A is a file; narrow side B with --b-since, --b-where and the like.');
  if (fileA === undefined && !asked)
    throw new UsageError(
      'diff: say what to compare: two profile files; or selections, for instance --a-until 2026-10-31 --b-since 2026-11-01; or the groups of a field with --by FIELD.',
    );
  const a = fileA === undefined ? undefined : sideOfFile(fileA, measure, flags.pair);
  const viewed = await readForView(flags);
  const { history } = viewed;
  const fold = (picked: Picked) => foldSide(viewed, picked, flags.pair);
  if (a !== undefined) return { a, b: fold(await pick(history, 'b', own.b)), history };
  const [first, second] = await pickedOf();
  const twice = both(first.rows, second.rows).length;
  if (twice > 0 && !flags.quiet) warn(`on both sides: ${counted(twice, 'operation')}`);
  return { a: fold(first), b: fold(second), history };

  async function pickedOf(): Promise<[Picked, Picked]> {
    const [inA, inB] = [isNarrowed(own.a), isNarrowed(own.b)];
    const [left, right] = [await pick(history, 'a', own.a), await pick(history, 'b', own.b)];
    if (flags.by !== undefined) {
      const groups = groupsOf(viewed, flags.by, flags);
      return [narrowedGroup(groups[0], left, inA), narrowedGroup(groups[1], right, inB)];
    }
    return [inA ? left : rest(history, right), inB ? right : rest(history, left)];
  }
}

function narrowedGroup(group: Picked, own: Picked, narrowed: boolean): Picked {
  if (!narrowed) return group;
  return {
    name: `${group.name}, ${own.name}`,
    rows: both(group.rows, own.rows),
    narrowed: [...group.narrowed, ...own.narrowed],
  };
}

function sideFlags(flags: DiffFlags, side: 'a' | 'b'): SideFlags {
  const of = <K extends keyof SideFlags>(key: K) =>
    flags[`${side}${key.charAt(0).toUpperCase()}${key.slice(1)}` as keyof DiffFlags] as SideFlags[K];
  const [since, until] = [of('since'), of('until')];
  return {
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    where: of('where'),
    branch: of('branch'),
    model: of('model'),
    agent: of('agent'),
    projectRoot: of('projectRoot'),
    sessionId: of('sessionId'),
  };
}

function formatOf({ output, format }: DiffFlags): DiffFormat | undefined {
  try {
    if (format !== undefined) return formatNamed(format, DIFF_FORMATS);
    if (output !== undefined && output !== '-') {
      if (output.toLowerCase().endsWith('.speedscope.json'))
        throw new UsageError(
          '-o: speedscope has no form of a difference; write .html, .svg, .pb.gz, .folded or .json.',
        );
      return formatOfPath(output, DIFF_FORMATS);
    }
  } catch (error) {
    if (!(error instanceof UnknownFormatError)) throw error;
    throw new UsageError(`${format !== undefined ? '--format' : '-o'}: ${error.message}.`);
  }
  return output === '-' ? formatNamed('folded', DIFF_FORMATS) : undefined;
}

function write(tree: DiffTree, format: DiffFormat | undefined, flags: DiffFlags): void {
  const { stdout } = process;
  if (format !== undefined) {
    const path = flags.output ?? '-';
    if (path === '-' && format.binary && stdout.isTTY)
      throw new UsageError(`--format ${format.name}: is binary and would harm the terminal; give -o FILE or pipe it.`);
    writeOutput(path, sink => format.write(tree, sink));
    if (path !== '-' && !flags.quiet) process.stderr.write(`${path}: ${nothingToShow(tree) ?? totalLine(tree)}\n`);
    if (path === '-' || !flags.json) return;
  }
  if (flags.json) writeOutput('-', sink => writeDiffJson(tree, sink));
  else
    stdout.write(
      diffSummary(tree, { color: useColor(stdout), width: stdout.columns ? Math.min(stdout.columns, 160) : 100 }),
    );
}
