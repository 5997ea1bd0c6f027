import type { Models } from '../llm/client.ts';
import type { Estimate } from '../llm/types.ts';
import { auto } from '../meaning/segmentation/backends/auto.ts';
import type { Segment } from '../meaning/segmentation/marks.ts';
import { type Named, passTask, splitRecursively, splitTask, treeOf } from '../meaning/segmentation/model-marks.ts';
import { packetOf } from '../meaning/segmentation/packet.ts';
import { segmentsNamed, segmentsOf } from '../meaning/segmentation/segments.ts';
import type { Step } from '../meaning/segmentation/steps.ts';
import { counted } from '../trace/counted.ts';
import { UsageError } from '../trace/usage-error.ts';
import type { History } from './history.ts';
import { estimateFacts, estimateText, modelsOf, tellModels } from './models.ts';
import { type SessionSteps, shownBy } from './segment.ts';
import type { RunFlags, Segmenter } from './segmenter.ts';
import { warn } from './terminal.ts';

/** Steps of one request; longer sessions are parted where the evidence for a cut is best. */
const MOST_STEPS = 160;
const LEAST_STEPS = 80;
/** Sessions under way at once. */
const AT_ONCE = 4;

/** Marks by a model, one pass or split by split. Sessions of which no answer can be used are marked by `auto`. */
export async function llmSegmenter(flags: RunFlags): Promise<Segmenter> {
  if (flags.llmUrl === undefined && !flags.dryRun)
    throw new UsageError('--llm-url: name the server of the model, for example --llm-url http://127.0.0.1:8080.');
  return async (sessions, history) => {
    const models = await modelsOf(flags, {
      redact: text => history.redactor.text(text),
      quiet: flags.quiet === true,
      cache: flags.cache !== false,
      doing: 'segmenting',
    });
    if (flags.dryRun) {
      await tellEstimate(models, sessions, history, flags.json === true);
      return new Map<string, Segment[]>();
    }
    const found = new Map<string, Segment[]>();
    const reasons: string[] = [];
    const left = [...sessions];
    const work = async () => {
      for (let session = left.shift(); session; session = left.shift()) {
        const named = await namedParts(models, session, history, flags.protocol === 'recursive', reasons);
        found.set(session.nodes.key, named ?? byEvidence(session, history));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    if (reasons.length > 0)
      warn(
        `the model's marks could not be used ${counted(reasons.length, 'time')} (${reasons[0]}); auto marked those sessions`,
      );
    tellModels(models, flags.quiet === true);
    return found;
  };
}

function byEvidence({ sequence, nodes }: SessionSteps, history: History): Segment[] {
  return segmentsOf(sequence.steps, nodes, auto(sequence.steps), shownBy(history).object);
}

/** Undefined where one part of the session has no usable answer. */
async function namedParts(
  models: Models,
  { sequence: { steps }, nodes }: SessionSteps,
  history: History,
  recursive: boolean,
  reasons: string[],
): Promise<Segment[] | undefined> {
  const packet = packetBy(history);
  const ask = async (begin: number, end: number) => {
    const [outcome] = await models.ask(splitTask(end - begin), [packet(steps.slice(begin, end))]);
    if (outcome && 'answer' in outcome) return outcome.answer;
    reasons.push(outcome?.failed ?? 'no answer');
    return undefined;
  };
  const pass = async (begin: number, end: number): Promise<Named[] | undefined> => {
    const [outcome] = await models.ask(passTask(end - begin), [packet(steps.slice(begin, end))]);
    if (outcome && 'answer' in outcome) return treeOf(outcome.answer.segments).map(named => moved(named, begin));
    reasons.push(outcome?.failed ?? 'no answer');
    return undefined;
  };
  const parts = await Promise.all(
    partsOf(steps).map(([begin, end]) => (recursive ? splitRecursively(ask, begin, end) : pass(begin, end))),
  );
  if (parts.some(part => part === undefined)) return undefined;
  return segmentsNamed(steps, nodes, parts.flat() as Named[]);
}

function moved({ begin, end, tag, inside }: Named, by: number): Named {
  return { begin: begin + by, end: end + by, tag, inside: inside.map(each => moved(each, by)) };
}

function packetBy(history: History): (steps: readonly Step[]) => string {
  const { texts } = history.trace.ops;
  const result = ({ rows }: Step) =>
    rows
      .map(row => texts.get('result', row))
      .filter(text => text !== '')
      .join(' ');
  return steps => packetOf(steps, result, text => history.redactor.text(text));
}

function partsOf(steps: readonly Step[]): [begin: number, end: number][] {
  if (steps.length <= MOST_STEPS) return [[0, steps.length]];
  const { probability } = auto(steps);
  const parts: [number, number][] = [];
  let begin = 0;
  while (steps.length - begin > MOST_STEPS) {
    let best = begin + LEAST_STEPS;
    for (let at = best; at <= begin + MOST_STEPS; at++)
      if ((probability[at] as number) > (probability[best] as number)) best = at;
    parts.push([begin, best]);
    begin = best;
  }
  return [...parts, [begin, steps.length]];
}

/** What the one pass would send; the recursive protocol begins with as much and goes on by what it hears. */
async function tellEstimate(models: Models, sessions: readonly SessionSteps[], history: History, json: boolean) {
  const packet = packetBy(history);
  let sum: Estimate | undefined;
  for (const { sequence } of sessions) {
    for (const [begin, end] of partsOf(sequence.steps)) {
      const each = await models.estimate(passTask(end - begin), [packet(sequence.steps.slice(begin, end))]);
      sum = sum ? added(sum, each) : each;
    }
  }
  if (!sum) process.stdout.write('nothing to mark; nothing was sent\n');
  else process.stdout.write(json ? `${JSON.stringify(estimateFacts(sum), null, 2)}\n` : estimateText(sum));
}

function added(a: Estimate, b: Estimate): Estimate {
  return {
    model: a.model,
    items: a.items + b.items,
    cached: a.cached + b.cached,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    microUsd: a.microUsd === undefined || b.microUsd === undefined ? undefined : a.microUsd + b.microUsd,
    requests: [...a.requests, ...b.requests],
  };
}
