import { appendFileSync, existsSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { parseVerdicts } from '../evaluation/verdicts.ts';
import { EVIDENCE, evidenceOf, inWords } from '../meaning/segmentation/evidence.ts';
import { leavesOf, type Segment } from '../meaning/segmentation/marks.ts';
import type { Step } from '../meaning/segmentation/steps.ts';
import { readMarks, segmentsNow } from '../meaning/segmentation/stored-marks.ts';
import { seededRandom } from '../meaning/text/hash.ts';
import { counted } from '../trace/counted.ts';
import { UsageError } from '../trace/usage-error.ts';
import { integerOf } from './evaluate.ts';
import { type History, readHistory, readText } from './history.ts';
import { readableMarks } from './marks.ts';
import type { HistoryFlags } from './options.ts';
import { print, SEGMENT_TEXTS, type SessionSteps, sessionsWith, shownBy } from './segment.ts';

interface ReviewFlags extends HistoryFlags {
  sample: string;
  verdict: string[];
  verdicts: string;
  marks?: string;
  json?: boolean;
}

/** A cut with what stands beside it. */
interface Reviewed {
  readonly node: string;
  readonly session: string;
  readonly sure: number | null;
  readonly before: string;
  readonly after: string;
  readonly steps_before: readonly string[];
  readonly steps_after: readonly string[];
  readonly evidence: readonly string[];
}

const SEED = 17;
const BESIDE = 3;

export async function segmentReview(flags: ReviewFlags): Promise<void> {
  const sample = integerOf(flags.sample, '--sample', 1);
  const given = flags.verdict.map(verdictOf);
  if (given.length > 0) {
    record(flags.verdicts, given);
    print(flags.json, { schema: 'agentpprof.segment-verdicts/1', recorded: given.length }, [
      `${counted(given.length, 'verdict')} recorded in ${flags.verdicts}`,
    ]);
    return;
  }
  const history = await readHistory(flags, { texts: SEGMENT_TEXTS });
  const marks = readMarks(readableMarks(flags.marks));
  const judged = new Set(
    existsSync(flags.verdicts) ? parseVerdicts(readText(flags.verdicts, '--verdicts'), flags.verdicts).keys() : [],
  );
  const cuts = sessionsWith(history.trace, history.rows, new Set()).flatMap(session => {
    const stored = marks.sessions.get(session.nodes.key);
    const segments = stored && segmentsNow(stored, session.nodes);
    return segments ? cutsIn(session, segments).filter(({ leaf }) => !judged.has(leaf.start)) : [];
  });
  if (cuts.length === 0)
    throw new UsageError('segment review: no cut is left to review; agentpprof segment run makes marks.');
  const chosen = chosenOf(cuts, sample).map(cut => reviewed(cut, history));
  if (!flags.json && process.stdin.isTTY && process.stdout.isTTY) await ask(chosen, flags.verdicts);
  else print(flags.json, { schema: 'agentpprof.segment-review/1', cuts: chosen }, chosen.map(text));
}

interface Cut {
  readonly session: SessionSteps;
  readonly previous: Segment;
  readonly leaf: Segment;
}

function cutsIn(session: SessionSteps, segments: readonly Segment[]): Cut[] {
  const leaves = leavesOf(segments);
  return leaves.slice(1).map((leaf, at) => ({ session, previous: leaves[at] as Segment, leaf }));
}

/** Half by chance from a fixed seed, half those the segmenter was least sure of. */
function chosenOf(cuts: readonly Cut[], sample: number): Cut[] {
  const doubt = ({ leaf }: Cut) => Math.abs((leaf.sure ?? 0.5) - 0.5);
  const unsure = [...cuts].sort((a, b) => doubt(a) - doubt(b) || (a.leaf.start < b.leaf.start ? -1 : 1));
  const chosen = new Set(unsure.slice(0, Math.ceil(sample / 2)));
  const random = seededRandom(SEED);
  const rest = cuts.filter(cut => !chosen.has(cut)).map(cut => ({ cut, key: random() }));
  for (const { cut } of rest.sort((a, b) => a.key - b.key).slice(0, sample - chosen.size)) chosen.add(cut);
  return [...chosen];
}

function reviewed({ session, previous, leaf }: Cut, history: History): Reviewed {
  const { steps } = session.sequence;
  const shown = shownBy(history);
  const row = session.nodes.rows[leaf.begin] as number;
  const at = steps.findIndex(step => step.rows.includes(row));
  const line = (step: Step) =>
    shown
      .text(
        [step.detail, ...step.objects.slice(0, 2), step.failed ? 'FAILED' : '', step.said].filter(Boolean).join(' | '),
      )
      .replace(/\s+/g, ' ')
      .slice(0, 140);
  const evidence = evidenceOf(steps)[at];
  const { id } = history.trace.ops.sessions.all[session.nodes.session] as { id: string };
  return {
    node: leaf.start,
    session: shown.session(id),
    sure: leaf.sure ?? null,
    before: previous.tag,
    after: leaf.tag,
    steps_before: steps.slice(Math.max(0, at - BESIDE), at).map(line),
    steps_after: steps.slice(at, at + BESIDE).map(line),
    evidence: evidence
      ? inWords(evidence).map(({ kind, level, weight }) => `${weight > 0 ? '+' : ''}${weight} ${kind}: ${level}`)
      : Object.keys(EVIDENCE),
  };
}

function text(cut: Reviewed): string {
  return [
    `${cut.node}  ${cut.before} | ${cut.after}  ${cut.sure === null ? '' : `sure ${cut.sure.toFixed(2)}`}`,
    ...cut.steps_before.map(line => `    ${line}`),
    '    ---- something new?',
    ...cut.steps_after.map(line => `    ${line}`),
    `    ${cut.evidence.slice(0, 6).join(', ')}`,
    '',
  ].join('\n');
}

interface Verdict {
  readonly node: string;
  readonly boundary: boolean;
}

function verdictOf(given: string): Verdict {
  const [, node, answer] = /^(\S+\.\S+)=(yes|no)$/.exec(given) ?? [];
  if (node === undefined) throw new UsageError(`--verdict: write NODE=yes or NODE=no, not ${JSON.stringify(given)}.`);
  return { node, boundary: answer === 'yes' };
}

function record(file: string, verdicts: readonly Verdict[]): void {
  appendFileSync(file, verdicts.map(verdict => `${JSON.stringify(verdict)}\n`).join(''), { mode: 0o600 });
}

/** One question a cut; what was answered is kept at once. */
async function ask(cuts: readonly Reviewed[], file: string): Promise<void> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    for (const cut of cuts) {
      process.stdout.write(text(cut));
      const answer = (await terminal.question('new work here? yes, no, skip, quit: ')).trim().toLowerCase();
      if (answer.startsWith('q')) break;
      if (answer.startsWith('y') || answer.startsWith('n'))
        record(file, [{ node: cut.node, boundary: answer.startsWith('y') }]);
    }
  } finally {
    terminal.close();
  }
}
