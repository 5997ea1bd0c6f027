import { homedir } from 'node:os';
import { exactly } from '../formats/units.ts';
import type { Models } from '../llm/client.ts';
import type { Estimate } from '../llm/types.ts';
import { cacheDirectory } from '../store/place.ts';
import { counted } from '../trace/counted.ts';
import { UsageError } from '../trace/usage-error.ts';
import type { LlmFlags } from './options.ts';
import { countBar, warn } from './terminal.ts';

export interface ModelNeeds {
  /** Redacts everything that is sent: `history.redactor.text`. */
  readonly redact: (text: string) => string;
  readonly quiet: boolean;
  /** False with `--no-cache`. */
  readonly cache: boolean;
  /** What the model is asked for, for the progress bar: "tagging". */
  readonly doing: string;
}

/** Looks at the flags of a model before anything is read, whether this run will ask one or not. Throws UsageError. */
export async function checkModelFlags({ llmUrl, embedUrl, llmBudget, llmTimeout }: LlmFlags): Promise<void> {
  const { endpointOf } = await import('../llm/endpoint.ts');
  if (llmUrl !== undefined) endpointOf(llmUrl, '--llm-url', process.env);
  if (embedUrl !== undefined) endpointOf(embedUrl, '--embed-url', process.env, 'AGENTPPROF_EMBED_KEY');
  if (llmBudget !== undefined) positive(llmBudget, '--llm-budget');
  if (llmTimeout !== undefined) positive(llmTimeout, '--llm-timeout');
}

/** The models that the flags name. Throws UsageError. */
export async function modelsOf(flags: LlmFlags, needs: ModelNeeds): Promise<Models> {
  const { openModels } = await import('../llm/client.ts');
  const bar = countBar(needs.quiet, needs.doing);
  const budget = flags.llmBudget === undefined ? undefined : positive(flags.llmBudget, '--llm-budget');
  return openModels({
    ...(flags.llmUrl === undefined ? {} : { url: flags.llmUrl }),
    ...(flags.llmModel === undefined ? {} : { model: flags.llmModel }),
    ...(flags.embedUrl === undefined ? {} : { embedUrl: flags.embedUrl }),
    ...(flags.embedModel === undefined ? {} : { embedModel: flags.embedModel }),
    ...(budget === undefined ? {} : { budgetTokens: budget }),
    ...(flags.llmTimeout === undefined ? {} : { timeoutMs: positive(flags.llmTimeout, '--llm-timeout') * 1000 }),
    ...(flags.dryRun ? { price: await priceOf() } : {}),
    env: process.env,
    cacheDirectory: needs.cache ? cacheDirectory(process.env, homedir()) : undefined,
    redact: needs.redact,
    progress: (done, all) => (done === all ? bar.end() : bar.update(done, all)),
  });
}

function positive(text: string, flag: string): number {
  const number = Number(text);
  if (!Number.isFinite(number) || number <= 0)
    throw new UsageError(`${flag}: ${JSON.stringify(text)} is no positive number.`);
  return number;
}

/** List prices of today; what runs on one's own machine has none. */
async function priceOf() {
  const { loadPriceTable } = await import('../money/price.ts');
  const table = await loadPriceTable();
  return (model: string, input: number, output: number): number | undefined => {
    const rates = table.tariff(model)?.windows[0]?.tiers[0]?.rates;
    return rates && Math.round((rates.input * input + rates.output * output) / 1000);
  };
}

/** Texts of a history may hold escape sequences, which are nothing for a terminal. */
const CONTROLS = /[^\P{C}\n\t]/gu;

/** A dry run in words: how much, then every message as it would be sent. */
export function estimateText(estimate: Estimate): string {
  const { model, items, cached, inputTokens, outputTokens, microUsd, requests } = estimate;
  const count = (n: number) => n.toLocaleString('en-US');
  const cost = microUsd === undefined ? 'no price known' : `about ${exactly(BigInt(microUsd), 'microusd')}`;
  return [
    `model ${model === '' ? '(the one of the server)' : model}: ${counted(items, 'text')}, ${count(cached)} of them answered before, ${counted(requests.length, 'request')}`,
    `about ${counted(inputTokens, 'token')} in and ${count(outputTokens)} out, ${cost}; nothing was sent`,
    ...requests.flatMap((messages, at) => [
      '',
      `request ${at + 1}`,
      ...messages.map(({ role, content }) => `${role}: ${content.replace(CONTROLS, ' ')}`),
    ]),
    '',
  ].join('\n');
}

/** The same as facts. */
export function estimateFacts({ requests, ...facts }: Estimate): Record<string, unknown> {
  const { model, items, cached, inputTokens, outputTokens, microUsd } = facts;
  return {
    schema: 'agentpprof.dry-run/1',
    model,
    items,
    cached,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cost_microusd: microUsd ?? null,
    requests,
  };
}

/** What a run with a model has to say afterwards. */
export function tellModels(models: Models, quiet: boolean): void {
  if (!quiet) for (const notice of models.notices) warn(notice);
}
