import { type DiffTree, differenceProfile } from '../profile/diff-tree.ts';
import { writeDiffFolded } from './diff-folded.ts';
import { writeDiffHtml } from './diff-html.ts';
import { writeDiffJson } from './diff-json.ts';
import { writeDiffSvg } from './diff-svg.ts';
import { diffSummary } from './diff-terminal.ts';
import { notesOf, nothingToShow, sideLine } from './diff-words.ts';
import { writePprof, writePprofRaw } from './pprof.ts';
import type { Sink } from './sink.ts';

/** A way a difference leaves. Equal comparisons give equal bytes. */
export interface DiffFormat {
  readonly name: string;
  readonly extensions: readonly string[];
  readonly binary: boolean;
  readonly write: (tree: DiffTree, sink: Sink) => void;
}

/** The names and endings are those of profiles, where a difference has a form in that format. */
export const DIFF_FORMATS: readonly DiffFormat[] = [
  { name: 'pprof', extensions: ['.pb.gz'], binary: true, write: (tree, sink) => writePprof(signed(tree), sink) },
  { name: 'pprof-raw', extensions: ['.pb'], binary: true, write: (tree, sink) => writePprofRaw(signed(tree), sink) },
  { name: 'folded', extensions: ['.folded'], binary: false, write: writeDiffFolded },
  { name: 'svg', extensions: ['.svg'], binary: false, write: writeDiffSvg },
  { name: 'html', extensions: ['.html'], binary: false, write: writeDiffHtml },
  { name: 'json', extensions: ['.json'], binary: false, write: writeDiffJson },
  { name: 'text', extensions: ['.txt'], binary: false, write: (tree, sink) => sink(diffSummary(tree, { width: 100 })) },
];

/** With both sides as pprof subtracts them, and what they are in the comments. */
function signed(tree: DiffTree) {
  const nothing = nothingToShow(tree);
  const comments = [
    sideLine(tree, 'a'),
    sideLine(tree, 'b'),
    ...(nothing === undefined ? [] : [nothing]),
    ...notesOf(tree),
    ...tree.comparison.comments,
  ];
  return differenceProfile(tree.comparison, comments);
}
