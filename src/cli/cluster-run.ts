import { type Description, describe } from '../clusters/describe.ts';
import { HASHED_VERSION, hashedEmbedding } from '../clusters/embedding/hashed.ts';
import { factsOf, type UnitFacts } from '../clusters/facts.ts';
import { NOISE } from '../clusters/hdbscan/hdbscan.ts';
import { type Matrix, matrixOf } from '../clusters/matrix.ts';
import { type OutcomeRule, outcomeRule } from '../clusters/outcome.ts';
import { type Clustered, type ClusterOptions, clusterVectors, FEWEST, repeatsFor } from '../clusters/pipeline.ts';
import { type Oddity, sortOut } from '../clusters/quality.ts';
import { type Stability, stabilityOf } from '../clusters/stability.ts';
import { distinctive, labelsFrom, NOISE_LABEL, termsOf } from '../clusters/terms.ts';
import { TEMPLATE_TEXTS, TEMPLATE_VERSION, textOf } from '../clusters/text/template.ts';
import { type Unit, type UnitKind, unitsOf } from '../clusters/units.ts';
import { adjustedRand } from '../evaluation/labels.ts';
import { seededRandom } from '../meaning/text/hash.ts';
import { compileConditions } from '../selection/where.ts';
import { counted, grouped } from '../trace/counted.ts';
import { UsageError } from '../trace/usage-error.ts';
import { type ClusterFlags, readClusterFlags } from './cluster-flags.ts';
import { hintIfEmpty } from './empty.ts';
import { type History, readHistory } from './history.ts';
import { modelsOf, tellModels } from './models.ts';
import { countBar } from './terminal.ts';

/** One cluster, or the noise, with all that is said of it. */
export interface Named extends Description {
  /** From 1 by falling size; 0 for noise. */
  readonly id: number;
  readonly label: string;
  readonly terms: readonly string[];
  /** Adjusted Rand index over repeats; undefined for noise. */
  readonly stability: number | undefined;
}

/** Everything that a report, a map or a comparison needs of one clustering. */
export interface ClusterRun {
  readonly history: History;
  readonly kind: UnitKind;
  readonly options: ClusterOptions;
  readonly units: readonly Unit[];
  readonly facts: readonly UnitFacts[];
  readonly texts: readonly string[];
  readonly clustered: Clustered;
  readonly stability: Stability;
  readonly clusters: readonly Named[];
  readonly noise: Named;
  readonly outcome: OutcomeRule;
  readonly odd: ReadonlyMap<Oddity, number>;
  /** Units before sampling and after sorting out. */
  readonly eligible: number;
  /** How vectors were made, in words. */
  readonly embedding: string;
}

/** Fewer units than can be clustered: a failure (exit 1) that says what to do, never a picture of chance. */
export class TooFewError extends Error {
  override readonly name = 'TooFewError';
}

export interface RunNeeds {
  readonly includePreviews: boolean;
  /** Called with the history before anything is made of it. */
  readonly prepare?: (history: History) => Promise<void>;
  /** Units to look at at all. */
  readonly keep?: (unit: Unit) => boolean;
}

/** Reads, embeds, reduces, clusters, repeats and describes. Throws TooFewError, UsageError, ModelError. */
export async function runClusters(flags: ClusterFlags, needs: RunNeeds): Promise<ClusterRun> {
  const asked = readClusterFlags(flags);
  const history = await readHistory(flags, { meaning: flags, prices: flags.prices ?? true, texts: TEMPLATE_TEXTS });
  hintIfEmpty(history);
  await needs.prepare?.(history);
  const { trace } = history;
  const all = unitsOf(trace, history.rows, asked.kind).filter(unit => needs.keep?.(unit) ?? true);
  const { kept, odd } = sortOut(trace, all, asked.kind, flags.keepOdd === true);
  const units = sampled(kept, asked.sample, asked.options.seed);
  if (units.length < FEWEST) throw new TooFewError(tooFew(asked.kind, units.length, all.length, history));
  const { method, k } = asked.options;
  if (method === 'kmeans' && k > units.length / 2)
    throw new UsageError(
      `--clusters: ${grouped(k)} clusters of ${counted(units.length, asked.kind)} would have fewer than two each; give at most ${grouped(Math.floor(units.length / 2))}.`,
    );
  const conditions = await compileConditions(trace, flags.failedWhen, '--failed-when');
  const outcome = outcomeRule(trace, asked.kind, conditions, flags.failedWhen);
  const facts = factsOf(trace, units, outcome);
  const texts = units.map((unit, at) => {
    const { failed, wall, tokens } = facts[at] as UnitFacts;
    return textOf(trace, unit, { failed, micros: wall, tokens });
  });
  const { vectors, embedding } = await vectorsOf(texts, flags, history);
  const clustered = await clusterVectors(vectors, asked.options);
  const bar = countBar(flags.quiet === true, 'repeating to see what is stable:');
  const stability = await stabilityOf(
    clustered,
    asked.options,
    asked.repeats ?? repeatsFor(units.length),
    adjustedRand,
    (done, of) => bar.update(done, of),
  );
  bar.end();
  const base = { history, kind: asked.kind, options: asked.options, units, facts, texts, clustered, stability };
  const named = await nameClusters(base, flags, needs.includePreviews);
  return { ...base, ...named, outcome, odd, eligible: kept.length, embedding };
}

type Unnamed = Pick<ClusterRun, 'history' | 'units' | 'facts' | 'texts' | 'clustered' | 'stability'>;

async function nameClusters(
  run: Unnamed,
  flags: ClusterFlags,
  includePreviews: boolean,
): Promise<Pick<ClusterRun, 'clusters' | 'noise'>> {
  const { history, units, facts, clustered, stability } = run;
  const { trace, redactor } = history;
  const shown = (field: string, value: string) => redactor.frame(field, value);
  const described = (label: number) => describe(trace, units, facts, clustered, label, shown);
  const terms = termsOf(trace, units, shown, includePreviews ? redactor.text : undefined);
  const telling = Array.from({ length: clustered.clusters }, (_, label) =>
    distinctive(terms, unit => clustered.labels[unit] === label),
  );
  const descriptions = telling.map((_, label) => described(label));
  const labels =
    flags.llmUrl === undefined
      ? labelsFrom(telling)
      : await (await import('./cluster-labels.ts')).labelsFromModel({ ...run, telling, descriptions }, flags);
  const clusters = descriptions.map((description, label) => ({
    ...description,
    id: label + 1,
    label: labels[label] as string,
    terms: telling[label] as string[],
    stability: stability.byCluster[label],
  }));
  const noise = { ...described(NOISE), id: 0, label: NOISE_LABEL, terms: [], stability: undefined };
  return { clusters, noise };
}

/** Vectors of the texts by what the flags name; without any flag no model is needed and nothing leaves. */
async function vectorsOf(
  texts: readonly string[],
  flags: ClusterFlags,
  history: History,
): Promise<{ vectors: Matrix; embedding: string }> {
  const quiet = flags.quiet === true;
  if (flags.embedModelDir !== undefined) {
    const { localEmbedding } = await import('../clusters/embedding/local.ts');
    const bar = countBar(quiet, 'embedding');
    const vectors = await localEmbedding(flags.embedModelDir, texts, (done, all) => bar.update(done, all));
    bar.end();
    return { vectors, embedding: 'a model on this disk' };
  }
  if (flags.embedUrl !== undefined) {
    const { redactor } = history;
    const models = await modelsOf(flags, {
      redact: redactor.text,
      quiet,
      cache: flags.cache !== false,
      doing: 'embedding',
    });
    const vectors = matrixOf(await models.embed(texts, `clusters, template ${TEMPLATE_VERSION}`));
    tellModels(models, quiet);
    return {
      vectors,
      embedding: `the server of --embed-url${flags.embedModel === undefined ? '' : `, ${flags.embedModel}`}`,
    };
  }
  return {
    vectors: hashedEmbedding(texts),
    embedding: `words and character n-grams, no model (version ${HASHED_VERSION})`,
  };
}

function sampled(units: readonly Unit[], most: number | undefined, seed: number): readonly Unit[] {
  if (most === undefined || most >= units.length) return units;
  const random = seededRandom(seed);
  const order = units.map((_, at) => at);
  for (let i = 0; i < most; i++) {
    const other = i + Math.floor(random() * (order.length - i));
    [order[i], order[other]] = [order[other] as number, order[i] as number];
  }
  return order
    .slice(0, most)
    .sort((a, b) => a - b)
    .map(at => units[at] as Unit);
}

function tooFew(kind: UnitKind, left: number, found: number, history: History): string {
  const odd = found - left;
  const narrowed = history.narrowed.length === 0 ? '' : ` (narrowed to ${history.narrowed.join(', ')})`;
  return [
    `cluster: too few, ${counted(left, kind)}: below ${FEWEST} whatever is found is chance${narrowed}.`,
    odd > 0 ? ` Odd or not sampled: ${odd} more; --keep-odd keeps odd ones.` : '',
    kind === 'tool'
      ? ' Widen the selection.'
      : ` Widen the selection, or cluster smaller units: --unit ${kind === 'session' ? 'segment' : 'tool'}.`,
  ].join('');
}
