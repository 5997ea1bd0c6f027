import type { Frame, Profile } from '../profile/profile.ts';
import { childrenOf, frameTotals, stackOf, type Tree, totalOf, treeOf } from '../profile/tree.ts';
import type { Measure } from '../trace/measures.ts';
import { cellsOf, cutToCells, padToCells } from './cells.ts';
import { emptySentence } from './empty.ts';
import { displayName, displayText, NO_FRAME } from './names.ts';
import { nounOf, phrase, share, words } from './units.ts';

export interface TerminalOptions {
  readonly measure?: string | undefined;
  /** What was selected, in words; said in the heading. */
  readonly subtitle?: string | undefined;
  /** ANSI colours. The caller knows whether there is a terminal and what NO_COLOR says; absent means none. */
  readonly color?: boolean | undefined;
  /** Cells of a line, 80 when absent; at least 40. */
  readonly width?: number | undefined;
  /** Widest paths to show, 10 when absent. */
  readonly paths?: number | undefined;
}

const BAR_CELLS = 12;
const VALUES_OF_A_KIND = 4;
const SEPARATOR = ' › ';
/** Cells of the names of a path that does not fit: shorter ones than this say less than a path without its middle. */
const SHORTEST_CUT_NAME = 9;
const LONGEST_CUT_NAME = 30;
/** `> 99.9 %` */
const SHARE_CELLS = 8;

/** Styles by meaning; the empty ones of a plain output keep the code below free of conditions. */
export interface Ink {
  readonly bold: (text: string) => string;
  readonly quiet: (text: string) => string;
  readonly bar: (text: string, negative: boolean) => string;
}

export const PLAIN: Ink = { bold: text => text, quiet: text => text, bar: text => text };
export const ANSI: Ink = {
  bold: text => `\x1b[1m${text}\x1b[22m`,
  quiet: text => `\x1b[2m${text}\x1b[22m`,
  // Blue and yellow: the pair that every kind of colour vision tells apart.
  bar: (text, negative) => `\x1b[${negative ? 34 : 33}m${text}\x1b[39m`,
};

/**
 * The profile on one screen: its total, every other measure's, the paths where most of it ended and the frames it
 * passed through, by kind. Lines are at most `width` cells and end with a newline; no colour unless asked for.
 */
export function terminalSummary(profile: Profile, options: TerminalOptions = {}): string {
  const width = Math.max(options.width ?? 80, 40);
  const ink = options.color ? ANSI : PLAIN;
  const tree = treeOf(profile, { measure: options.measure });
  const lines = [...heading(tree, options.subtitle, width, ink)];
  if (tree.weight[0] === 0n) {
    lines.push('', ...flowed(emptySentence(tree).split(' '), ' ', width));
  } else {
    lines.push('', ...pathLines(tree, Math.max(options.paths ?? 10, 1), width, ink));
    lines.push('', ...frameLines(tree, width, ink));
  }
  return `${lines.join('\n')}\n`;
}

function* heading(tree: Tree, subtitle: string | undefined, width: number, ink: Ink): Generator<string> {
  const { profile, measure } = tree;
  const sum = phrase(tree.total[0]!, measure, tree.signed);
  const context = [`${profile.view} view`, ...(subtitle === undefined ? [] : [subtitle])].map(displayText).join(' · ');
  yield ink.bold(cutToCells(displayText(sum), width));
  yield ink.quiet(cutToCells(context, width));
  const others = profile.measures
    .filter(m => m.name !== measure.name)
    .map(m => ({ measure: m, total: totalOf(profile, m.name) }))
    .filter(({ total }) => total !== 0n)
    .map(entry => otherTotal(entry.measure, entry.total, tree.signed));
  yield* flowed(others, ' · ', width);
}

function otherTotal(measure: Measure, total: bigint, sign: boolean): string {
  const said = words(total, measure.unit, sign);
  return displayText(measure.unit === 'count' ? `${said} ${nounOf(measure, total)}` : `${measure.name} ${said}`);
}

function* pathLines(tree: Tree, most: number, width: number, ink: Ink): Generator<string> {
  const { profile } = tree;
  const ended: number[] = [];
  for (let n = 0; n < tree.self.length; n++) if (tree.self[n] !== 0n) ended.push(n);
  // Numbers of nodes follow the order of stacks, so equals keep a stable place.
  ended.sort((a, b) => descending(magnitude(tree.self[a]!), magnitude(tree.self[b]!)) || a - b);
  const shown = ended.slice(0, most);
  const values = shown.map(n => words(tree.self[n]!, tree.measure.unit, tree.signed));
  const valueCells = Math.max(...values.map(cellsOf));
  const stacks = shown.map(n => stackOf(profile, n).map(frame => profile.frames[frame]!));
  const room = width - valueCells - SHARE_CELLS - BAR_CELLS - 3;
  const rows = pathRows(stacks, room);
  const some = ended.length > shown.length ? ` (${shown.length} of ${ended.length})` : '';
  const heading = `Widest paths${some}`;
  yield ink.bold(heading) +
    ink.quiet(cutToCells(rows.legend === '' ? '' : `  ${rows.legend}`, width - cellsOf(heading)));
  const widest = magnitude(tree.self[shown[0]!]!);
  for (const [i, n] of shown.entries()) {
    const value = tree.self[n]!;
    const percent = share(magnitude(value), tree.weight[0]!).padStart(SHARE_CELLS);
    const bar = ink.bar(barOf(magnitude(value), widest), value < 0n);
    yield `${percent} ${' '.repeat(valueCells - cellsOf(values[i]!))}${values[i]!} ${bar} ${rows.paths[i]!}`.trimEnd();
  }
}

/**
 * Paths as `kind:value` where all of them fit; else their values alone, and a legend of the kinds if all paths
 * have the same, since kinds cut out of the middle would leave rows that read alike.
 */
export function pathRows(stacks: readonly (readonly Frame[])[], cells: number): { paths: string[]; legend: string } {
  const whole = stacks.map(stack => stack.map(displayName).join(SEPARATOR) || NO_FRAME);
  if (whole.every(path => cellsOf(path) <= cells)) return { paths: whole, legend: '' };
  const kinds = new Set(stacks.map(stack => stack.map(frame => displayText(frame.kind)).join(SEPARATOR)));
  const paths = stacks.map(stack =>
    pathText(
      stack.map(frame => displayText(frame.value)),
      cells,
    ),
  );
  return { paths, legend: kinds.size === 1 ? [...kinds][0]! : '' };
}

function* frameLines(tree: Tree, width: number, ink: Ink): Generator<string> {
  const { profile } = tree;
  const { weight } = frameTotals(tree);
  const kinds = new Map<string, number[]>();
  for (const frame of framesByDepth(tree)) {
    const kind = profile.frames[frame]!.kind;
    const list = kinds.get(kind);
    if (list === undefined) kinds.set(kind, [frame]);
    else list.push(frame);
  }
  yield ink.bold('Top frames by kind');
  const kindCells = Math.min(Math.max(...[...kinds.keys()].map(kind => cellsOf(displayText(kind)))), 16);
  for (const [kind, frames] of kinds) {
    frames.sort((a, b) => descending(weight[a]!, weight[b]!) || a - b);
    const entries = frames.slice(0, VALUES_OF_A_KIND).map(frame => {
      const percent = share(weight[frame]!, tree.weight[0]!);
      return `${cutToCells(displayText(profile.frames[frame]!.value), 28)} ${percent}`;
    });
    if (frames.length > entries.length) entries.push(`+${frames.length - entries.length} more`);
    const lead = `  ${padToCells(displayText(kind), kindCells)}  `;
    let first = true;
    for (const line of flowed(entries, '  ', width - cellsOf(lead))) {
      yield first ? ink.quiet(lead) + line : ' '.repeat(cellsOf(lead)) + line;
      first = false;
    }
  }
}

/** Frames that carry anything, those nearest to the root first: the order in which a stack names its kinds. */
function framesByDepth(tree: Tree): number[] {
  const { nodes, frames } = tree.profile;
  const seen = new Uint8Array(frames.length);
  const found: number[] = [];
  let level: number[] = [0];
  while (level.length > 0) {
    const next: number[] = [];
    for (const node of level) {
      for (const child of childrenOf(tree, node)) {
        if (tree.weight[child] === 0n) continue;
        next.push(child);
        const frame = nodes.frame[child]!;
        if (seen[frame] === 0) found.push(frame);
        seen[frame] = 1;
      }
    }
    level = next;
  }
  return found;
}

/**
 * The whole path; or one with its longest names cut; or its first frame and as much of its end as fits; or its last
 * frame, cut.
 */
function pathText(names: readonly string[], cells: number): string {
  if (names.length === 0) return cutToCells(NO_FRAME, cells);
  const whole = names.join(SEPARATOR);
  if (cellsOf(whole) <= cells) return whole;
  for (let most = LONGEST_CUT_NAME; most >= SHORTEST_CUT_NAME && names.length <= cells; most--) {
    const cut = names.map(name => cutToCells(name, most)).join(SEPARATOR);
    if (cellsOf(cut) <= cells) return cut;
  }
  let tail = names.at(-1)!;
  let left = names.length - 1;
  const start = names.length > 2 ? `${names[0]!}${SEPARATOR}…${SEPARATOR}` : `…${SEPARATOR}`;
  while (left > 1 && cellsOf(start) + cellsOf(names[left - 1]!) + cellsOf(SEPARATOR) + cellsOf(tail) <= cells) {
    left--;
    tail = names[left]! + SEPARATOR + tail;
  }
  if (cellsOf(start) + cellsOf(tail) <= cells) return start + tail;
  return cutToCells(names.length > 1 ? `…${SEPARATOR}${tail}` : tail, cells);
}

/** Eighths of a cell, never nothing for a value that is there. */
export function barOf(value: bigint, widest: bigint, cells = BAR_CELLS): string {
  const eighths = Math.max(Number((value * BigInt(cells * 8) + widest / 2n) / widest), 1);
  const rest = eighths % 8;
  const bar = '█'.repeat(Math.floor(eighths / 8)) + (rest === 0 ? '' : '▏▎▍▌▋▊▉'[rest - 1]!);
  return bar.padEnd(cells);
}

/** Items side by side, as many a line as fit. */
export function* flowed(items: readonly string[], separator: string, width: number): Generator<string> {
  let line = '';
  for (const item of items) {
    const entry = cutToCells(item, width);
    if (line !== '' && cellsOf(line) + cellsOf(separator) + cellsOf(entry) > width) {
      yield line;
      line = '';
    }
    line += line === '' ? entry : separator + entry;
  }
  if (line !== '') yield line;
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function descending(a: bigint, b: bigint): number {
  return a === b ? 0 : a > b ? -1 : 1;
}
