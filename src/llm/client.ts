import { counted } from '../trace/counted.ts';
import { UsageError } from '../trace/usage-error.ts';
import { AnswerCache } from './cache.ts';
import { Chat, messagesFor } from './chat.ts';
import { embeddingBatches, requestEmbeddings } from './embeddings.ts';
import { endpointOf } from './endpoint.ts';
import { ModelNames } from './names.ts';
import { inPool } from './pool.ts';
import { replySchema } from './replies.ts';
import { Sender } from './send.ts';
import { estimateTokens } from './tokens.ts';
import { type Estimate, ModelError, type ModelOptions, type Outcome, type Task, type Usage } from './types.ts';

const CONCURRENCY = 4;
const TIMEOUT = 120_000;
const RETRIES = 5;
const RETRY_DELAY = 500;
/** A batch ends before its texts take more characters than small models can read. */
const CHARACTERS_AT_ONCE = 24_000;

/** The chat and the embedding model that the flags name; see ModelOptions. Nothing is sent before something is asked. */
export function openModels(options: ModelOptions): Models {
  return new Models(options);
}

export class Models {
  readonly usage: Usage = { requests: 0, retries: 0, repaired: 0, cached: 0, inputTokens: 0, outputTokens: 0 };
  /** What a person should know and no answer depends on. */
  readonly notices: string[] = [];
  private readonly options: ModelOptions;
  private readonly names: ModelNames;
  private chat: { readonly sender: Sender; readonly chat: Chat } | undefined;
  private embedder: Sender | undefined;
  /** Tokens, about, of the requests under way. */
  private reserved = 0;

  /** Throws UsageError. */
  constructor(options: ModelOptions) {
    this.options = options;
    this.names = new ModelNames(options.cacheDirectory);
    if (options.url !== undefined) endpointOf(options.url, '--llm-url', options.env);
    if (options.embedUrl !== undefined) this.embedEndpoint();
  }

  /** The name of the chat model, asked of the server if no flag gives it. Throws ModelError, UsageError. */
  async chatModel(): Promise<string> {
    return this.options.model ?? (await this.names.of(this.talk().sender, '--llm-model')).name;
  }

  /** The same for a dry run: '' where no server tells. Throws UsageError. */
  async knownModel(): Promise<string> {
    try {
      return await this.chatModel();
    } catch (error) {
      if (error instanceof ModelError) return '';
      throw error;
    }
  }

  /** One outcome an item, in the order of the items. Equal items are asked once. Throws ModelError, UsageError. */
  async ask<T>(task: Task<T>, items: readonly string[]): Promise<Outcome<T>[]> {
    const { sender, chat } = this.talk();
    const model = await this.chatModel();
    const cache = this.answersOf(task, model);
    const known = new Map<string, Outcome<T>>();
    const missing = this.missing(task, items, cache, known);
    if (missing.length > 0 && task.grammar && (await this.names.isLlamaCpp(sender))) chat.useGrammar();
    const clean = new Map(missing.map(item => [item, this.options.redact(item)]));
    const sent: Task<T> = { ...task, system: this.options.redact(task.system) };
    const distinct = known.size + missing.length;
    let done = known.size;
    this.usage.cached += done;
    await this.inPool(batchesOf(missing, task, clean), missing.length, async batch => {
      const texts = batch.map(item => clean.get(item) as string);
      const input = tokensOf(messagesFor(sent, texts).map(({ content }) => content));
      const outcomes = await this.within(input + batch.length * task.answerTokens, () =>
        chat.answers(model, sent, texts),
      );
      cache.add(batch.flatMap((item, at) => answered(item, outcomes[at] as Outcome<T>)));
      for (const [at, item] of batch.entries()) known.set(item, outcomes[at] as Outcome<T>);
      done += batch.length;
      this.options.progress?.(done, distinct);
    });
    this.tell(cache);
    return items.map(item => known.get(item) as Outcome<T>);
  }

  /** What `ask` would send, without sending it. Knows the model only if a flag names it or the server answers. */
  async estimate<T>(task: Task<T>, items: readonly string[]): Promise<Estimate> {
    const model = await this.knownModel();
    const known = new Map<string, Outcome<T>>();
    const missing = this.missing(task, items, this.answersOf(task, model), known);
    const clean = new Map(missing.map(item => [item, this.options.redact(item)]));
    const sent: Task<T> = { ...task, system: this.options.redact(task.system) };
    const requests = batchesOf(missing, task, clean).map(batch =>
      messagesFor(
        sent,
        batch.map(item => clean.get(item) as string),
      ),
    );
    const inputTokens = tokensOf(requests.flat().map(({ content }) => content));
    const outputTokens = missing.length * task.answerTokens;
    const microUsd = this.options.price?.(model, inputTokens, outputTokens);
    return { model, items: items.length, cached: known.size, inputTokens, outputTokens, microUsd, requests };
  }

  /**
   * One vector a text, all of one length, in the order of the texts. `version` names the use in the cache. Kept vectors
   * of another length are from another model behind the same name: they are asked again. Throws ModelError, UsageError.
   */
  async embed(texts: readonly string[], version = '1'): Promise<Float32Array[]> {
    const sender = (this.embedder ??= this.sender(this.embedEndpoint()));
    const model = this.options.embedModel ?? (await this.names.of(sender, '--embed-model')).name;
    const cache = new AnswerCache(this.options.cacheDirectory, 'embedding', model, version);
    const distinct = [...new Set(texts)];
    let vectors = new Map<string, Float32Array>();
    for (const text of distinct) {
      const kept = vectorOf(cache.get(text));
      if (kept) vectors.set(text, kept);
    }
    this.usage.cached += vectors.size;
    const length = await this.embedInto(vectors, distinct, sender, model, cache, undefined);
    const strange = [...vectors].filter(([, vector]) => vector.length !== length).map(([text]) => text);
    if (strange.length > 0) {
      this.usage.cached -= strange.length;
      vectors = new Map([...vectors].filter(([, vector]) => vector.length === length));
      await this.embedInto(vectors, distinct, sender, model, cache, length);
    }
    this.tell(cache);
    return texts.map(text => vectors.get(text) as Float32Array);
  }

  /** Asks for the vectors that are missing; their length, or that of most kept ones where none is missing. */
  private async embedInto(
    vectors: Map<string, Float32Array>,
    texts: readonly string[],
    sender: Sender,
    model: string,
    cache: AnswerCache,
    expected: number | undefined,
  ): Promise<number> {
    const missing = texts.filter(text => !vectors.has(text));
    const clean = missing.map(this.options.redact);
    let length = expected;
    let done = texts.length - missing.length;
    await this.inPool(embeddingBatches(clean), missing.length, async batch => {
      const inputs = batch.map(at => clean[at] as string);
      const found = await this.within(tokensOf(inputs), () => requestEmbeddings(sender, this.usage, model, inputs));
      length ??= found[0]?.length;
      if (found[0]?.length !== length)
        throw new ModelError(
          'reply',
          `${sender.endpoint.flag}: ${sender.endpoint.shown} gave embeddings of ${length} and then of ${found[0]?.length} numbers; its model changed meanwhile, run again`,
        );
      cache.add(batch.map((at, which) => [missing[at] as string, encoded(found[which] as Float32Array)]));
      for (const [which, at] of batch.entries()) vectors.set(missing[at] as string, found[which] as Float32Array);
      done += batch.length;
      this.options.progress?.(done, texts.length);
    });
    return length ?? mostFrequent([...vectors.values()].map(vector => vector.length));
  }

  private talk(): { readonly sender: Sender; readonly chat: Chat } {
    if (this.chat) return this.chat;
    const { url, env } = this.options;
    if (url === undefined)
      throw new UsageError('--llm-url: name the server of the model, for example --llm-url http://127.0.0.1:8080.');
    const sender = this.sender(endpointOf(url, '--llm-url', env));
    this.chat = { sender, chat: new Chat(sender, this.usage) };
    return this.chat;
  }

  private embedEndpoint() {
    const { embedUrl, url, env } = this.options;
    const address = embedUrl ?? url;
    if (address === undefined)
      throw new UsageError(
        '--embed-url: name the server of embeddings, for example --embed-url http://127.0.0.1:8081.',
      );
    const own = endpointOf(address, embedUrl === undefined ? '--llm-url' : '--embed-url', env, 'AGENTPPROF_EMBED_KEY');
    // One server has one key; another gets only its own.
    if (url === undefined || own.headers.authorization !== undefined) return own;
    const chat = endpointOf(url, '--llm-url', env);
    return chat.shown === own.shown ? { ...own, headers: chat.headers } : own;
  }

  private sender(endpoint: ReturnType<typeof endpointOf>): Sender {
    const { timeoutMs = TIMEOUT, retries = RETRIES, retryDelayMs = RETRY_DELAY } = this.options;
    return new Sender(endpoint, { timeoutMs, retries, retryDelayMs }, this.usage);
  }

  private answersOf<T>(task: Task<T>, model: string): AnswerCache {
    const { version, system } = task;
    return new AnswerCache(
      this.options.cacheDirectory,
      'chat',
      model,
      version,
      system,
      JSON.stringify(replySchema(task)),
    );
  }

  /** Distinct items without a kept answer that still is one; the others go into `known`. */
  private missing<T>(
    task: Task<T>,
    items: readonly string[],
    cache: AnswerCache,
    known: Map<string, Outcome<T>>,
  ): string[] {
    return [...new Set(items)].filter(item => {
      const kept = cache.get(item);
      const read = kept === undefined ? undefined : task.answer.safeParse(kept);
      if (read?.success) known.set(item, { answer: read.data });
      return !read?.success;
    });
  }

  /** Work that takes about so many tokens. Throws ModelError where the budget does not allow it. */
  private async within<R>(tokens: number, work: () => Promise<R>): Promise<R> {
    const { budgetTokens } = this.options;
    const used = this.usage.inputTokens + this.usage.outputTokens;
    if (budgetTokens !== undefined && used + this.reserved + tokens > budgetTokens)
      throw new ModelError(
        'budget',
        `--llm-budget: ${used.toLocaleString('en-US')} of ${budgetTokens.toLocaleString('en-US')} tokens are used and the next request would go beyond`,
      );
    this.reserved += tokens;
    try {
      return await work();
    } finally {
      this.reserved -= tokens;
    }
  }

  private async inPool<B>(batches: readonly B[], items: number, work: (batch: B) => Promise<void>): Promise<void> {
    let answered = 0;
    try {
      await inPool(batches, this.options.concurrency ?? CONCURRENCY, async batch => {
        await work(batch);
        answered++;
      });
    } catch (error) {
      if (!(error instanceof ModelError) || answered === 0 || this.options.cacheDirectory === undefined) throw error;
      const { trouble, message, status } = error;
      const kept = `Kept are the answers of ${answered} of ${counted(batches.length, 'request')} (${counted(items, 'item')}); the same command goes on from there`;
      throw new ModelError(trouble, `${message}. ${kept}`, status);
    }
  }

  private tell({ trouble }: AnswerCache): void {
    const notice = `answers of the model cannot be kept in the cache directory (${trouble}): the next run asks again`;
    if (trouble !== undefined && !this.notices.includes(notice)) this.notices.push(notice);
  }
}

function answered<T>(item: string, outcome: Outcome<T>): [string, T][] {
  return 'answer' in outcome ? [[item, outcome.answer]] : [];
}

/** Items in requests: at most the task's batch, and not too long together. */
function batchesOf<T>(items: readonly string[], task: Task<T>, clean: ReadonlyMap<string, string>): string[][] {
  const batches: string[][] = [];
  let characters = Number.POSITIVE_INFINITY;
  for (const item of items) {
    const { length } = clean.get(item) as string;
    if (characters + length > CHARACTERS_AT_ONCE || (batches.at(-1) as string[]).length >= (task.batch ?? 1)) {
      batches.push([]);
      characters = 0;
    }
    (batches.at(-1) as string[]).push(item);
    characters += length;
  }
  return batches;
}

function tokensOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + estimateTokens(text), 0);
}

function encoded(vector: Float32Array): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64');
}

function vectorOf(kept: unknown): Float32Array | undefined {
  if (typeof kept !== 'string') return undefined;
  const bytes = Buffer.from(kept, 'base64');
  if (bytes.length === 0 || bytes.length % 4 !== 0) return undefined;
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

function mostFrequent(numbers: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + 1);
  return [...counts].sort(([, m], [, n]) => n - m)[0]?.[0] ?? 0;
}
