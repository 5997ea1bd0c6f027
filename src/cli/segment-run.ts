import { readFileSync } from 'node:fs';
import type { Cutting } from '../meaning/segmentation/backends/auto.ts';
import { auto } from '../meaning/segmentation/backends/auto.ts';
import { type LearnedModel, learned } from '../meaning/segmentation/backends/learned.ts';
import { recurrence, recurrenceMulti } from '../meaning/segmentation/backends/recurrence.ts';
import { native, rules } from '../meaning/segmentation/backends/rules.ts';
import type { Segment } from '../meaning/segmentation/marks.ts';
import { segmentsOf } from '../meaning/segmentation/segments.ts';
import type { Sequence } from '../meaning/segmentation/steps.ts';
import {
  isCurrent,
  readMarks,
  type StoredMarks,
  segmentsNow,
  writeMarks,
} from '../meaning/segmentation/stored-marks.ts';
import { counted } from '../trace/counted.ts';
import { UsageError } from '../trace/usage-error.ts';
import { hintIfEmpty } from './empty.ts';
import { readHistory } from './history.ts';
import { marksPath } from './marks-file.ts';
import {
  countOf,
  print,
  SEGMENT_TEXTS,
  type SessionSteps,
  sessionsWith,
  shownBy,
  storedOf,
  writeWorkspace,
} from './segment.ts';
import type { RunFlags, Segmenter } from './segmenter.ts';

/** Raised when equal sessions get other marks, so that they are made again. */
const VERSION = 1;

const PROTOCOLS: readonly string[] = ['pass', 'recursive'];

/** A flag of another backend means that this one was not meant. Throws UsageError. */
function checkOwnFlags({ backend, protocol, exec, modelFile }: RunFlags): void {
  if (!PROTOCOLS.includes(protocol))
    throw new UsageError(`--protocol: is ${PROTOCOLS.join(' or ')}, not ${JSON.stringify(protocol)}.`);
  const foreign = [
    ['--protocol recursive', 'llm', protocol === 'recursive'],
    ['--exec', 'exec', exec !== undefined],
    ['--model-file', 'learned', modelFile !== undefined],
  ] as const;
  for (const [flag, owner, given] of foreign)
    if (given && backend !== owner)
      throw new UsageError(
        `${flag}: only --backend ${owner} uses it, and the backend is ${backend}; add --backend ${owner}.`,
      );
}

export async function segmentRun(flags: RunFlags): Promise<void> {
  checkOwnFlags(flags);
  const segmenter = await segmenterOf(flags);
  const file = marksPath(flags.marks);
  const marks = readMarks(file);
  const history = await readHistory(flags, { texts: SEGMENT_TEXTS });
  hintIfEmpty(history);
  const sessions = sessionsWith(history.trace, history.rows, new Set(flags.hide));
  const backend = `${flags.backend}/${VERSION}`;
  const work = sessions.map(session => workOf(session, marks, backend, flags.all === true));
  const open = work.filter(each => each.tail !== undefined);
  const made = await segmenter(
    open.map(({ tail }) => tail as SessionSteps),
    history,
  );
  if (flags.dryRun) return;
  for (const { session, kept, tail } of open) {
    const fresh = made.get(session.nodes.key);
    if (fresh === undefined) continue;
    const offset = session.nodes.ids.length - (tail as SessionSteps).nodes.ids.length;
    const segments = [...kept, ...fresh.map(segment => moved(segment, offset))];
    marks.sessions.set(session.nodes.key, storedOf(backend, segments, session.nodes.ids));
  }
  if (open.length > 0) writeMarks(file, marks);
  const now = new Map(work.flatMap(({ session: { nodes } }) => segmentsOfSession(marks, nodes)));
  if (flags.workspace !== undefined) writeWorkspace(flags.workspace, history, sessions, now, marks.names);
  report(flags, sessions, open, now);
}

function segmentsOfSession(marks: StoredMarks, nodes: SessionSteps['nodes']): [string, Segment[]][] {
  const stored = marks.sessions.get(nodes.key);
  const segments = stored && segmentsNow(stored, nodes);
  return segments ? [[nodes.key, segments]] : [];
}

interface Work {
  readonly session: SessionSteps;
  /** Outer segments that were closed when the marks were made: they stay. */
  readonly kept: readonly Segment[];
  /** What is to be marked; undefined where nothing came since. */
  readonly tail: SessionSteps | undefined;
}

/** A session that grew is marked from the last outer segment on: it was open, all before it was closed. */
function workOf(session: SessionSteps, marks: StoredMarks, backend: string, again: boolean): Work {
  const { sequence, nodes } = session;
  const stored = marks.sessions.get(nodes.key);
  if (again || stored === undefined || stored.backend !== backend) {
    // Marks that a person applied are not overwritten by a segmenter that was not told to.
    if (!again && stored?.backend === 'applied' && isCurrent(stored, nodes))
      return { session, kept: [], tail: undefined };
    return { session, kept: [], tail: session };
  }
  if (isCurrent(stored, nodes)) return { session, kept: [], tail: undefined };
  const before = segmentsNow(stored, nodes);
  const last = before?.at(-1);
  if (!before || !last) return { session, kept: [], tail: session };
  let [step, node] = [0, 0];
  while (node < last.begin) node += sequence.steps[step++]?.rows.length ?? 1;
  // A mark may begin inside a step where somebody else made it: then all is marked again.
  if (node !== last.begin) return { session, kept: [], tail: session };
  return {
    session,
    kept: before.slice(0, -1),
    tail: {
      sequence: { session: sequence.session, steps: sequence.steps.slice(step) },
      nodes: { ...nodes, rows: nodes.rows.slice(node), ids: nodes.ids.slice(node) },
    },
  };
}

function moved(segment: Segment, by: number): Segment {
  return {
    ...segment,
    begin: segment.begin + by,
    end: segment.end + by,
    children: segment.children.map(child => moved(child, by)),
  };
}

async function segmenterOf(flags: RunFlags): Promise<Segmenter> {
  switch (flags.backend) {
    case 'auto':
      return cutting(sequences => sequences.map(({ steps }) => auto(steps)));
    case 'native':
      return cutting(sequences => sequences.map(({ steps }) => ({ cuts: native(steps) })));
    case 'rules':
      return cutting(sequences => sequences.map(({ steps }) => ({ cuts: rules(steps) })));
    case 'recurrence':
      return cutting(sequences => recurrence(sequences).map(cuts => ({ cuts })));
    case 'recurrence-multi':
      return cutting(sequences => recurrenceMulti(sequences).map(cuts => ({ cuts })));
    case 'learned': {
      const model = readModel(flags.modelFile);
      return cutting(sequences => sequences.map(({ steps }) => learned(model, steps)));
    }
    case 'exec':
      return (await import('./segment-exec.ts')).execSegmenter(flags);
    case 'llm':
      return (await import('./segment-llm.ts')).llmSegmenter(flags);
    default:
      throw new UsageError(
        `--backend: there is no segmenter ${JSON.stringify(flags.backend)}. Segmenters: auto, native, rules, recurrence, recurrence-multi, learned, llm, exec.`,
      );
  }
}

/** A segmenter that says where to cut; names and nesting follow. */
function cutting(cut: (sequences: readonly Sequence[]) => Cutting[]): Segmenter {
  return async (sessions, history) => {
    const { object } = shownBy(history);
    const cuttings = cut(sessions.map(({ sequence }) => sequence));
    return new Map(
      sessions.map(({ sequence, nodes }, at) => [
        nodes.key,
        segmentsOf(sequence.steps, nodes, cuttings[at] as Cutting, object),
      ]),
    );
  };
}

function readModel(file: string | undefined): LearnedModel {
  if (file === undefined)
    throw new UsageError('--model-file: learned needs a model; agentpprof segment train makes one.');
  try {
    const model = JSON.parse(readFileSync(file, 'utf8')) as LearnedModel;
    if (model.schema === 'agentpprof.segment-model/1' && typeof model.weights === 'object') return model;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== undefined) throw new UsageError(`--model-file: cannot read ${file}: ${code}.`);
  }
  throw new UsageError(`--model-file: ${file} is no model of agentpprof segment train.`);
}

function report(
  flags: RunFlags,
  sessions: readonly SessionSteps[],
  open: readonly Work[],
  now: ReadonlyMap<string, readonly Segment[]>,
): void {
  const marks = [...now.values()].reduce((sum, segments) => sum + countOf(segments), 0);
  const steps = open.reduce((sum, { tail }) => sum + (tail?.sequence.steps.length ?? 0), 0);
  const grown = open.filter(({ kept }) => kept.length > 0).length;
  print(
    flags.json,
    {
      schema: 'agentpprof.segment-run/1',
      backend: flags.backend,
      sessions: sessions.length,
      marked: open.length,
      grown,
      unchanged: sessions.length - open.length,
      steps_read: steps,
      marks,
    },
    [
      `${counted(marks, 'mark')} in ${now.size} of ${counted(sessions.length, 'session')} by ${flags.backend}: ${open.length} marked now (${grown} of them from where they had grown), ${sessions.length - open.length} unchanged`,
      'views show them as task frames: agentpprof --view time --stack task,tool',
    ],
  );
}
