import type { z } from 'zod';

/**
 * One client for chat and embeddings, for any server that speaks OpenAI's API (llama.cpp, Ollama, vLLM, hosted ones):
 *
 *     const models = openModels({ url, model, env, cacheDirectory, redact });
 *     const task = { version: 'tags 1', system: 'Name the kind of work.', answer: z.object({ tag }), answerTokens: 12, batch: 20 };
 *     await models.estimate(task, texts);      // a dry run: what would be sent, how much; needs no server
 *     await models.ask(task, texts);           // one outcome an item, in their order: { answer } or { failed }
 *     await models.embed(texts);               // one vector a text, all of one length
 *
 * Everything sent is redacted here, whatever the caller did. Answers are kept as they come, so a run that ends half-way
 * loses nothing and the next goes on; what is kept needs no server. Both throw ModelError (exit 1), and UsageError
 * (exit 2) for what the flags got wrong.
 */
export interface ModelOptions {
  /** `--llm-url`: `http://127.0.0.1:8080`, with or without `/v1`, or the whole address of chat/completions. */
  readonly url?: string;
  /** `--llm-model`; the only one of the server if absent. */
  readonly model?: string;
  /** `--embed-url`; the chat server's if absent. */
  readonly embedUrl?: string;
  readonly embedModel?: string;
  /** Where the key comes from, and from nowhere else: see keyFor. */
  readonly env: NodeJS.ProcessEnv;
  /** The program's cache directory; undefined keeps nothing. */
  readonly cacheDirectory: string | undefined;
  /** What may be said of a text (privacy/redact.ts). */
  readonly redact: (text: string) => string;
  /** Requests at once, 4 if absent. */
  readonly concurrency?: number;
  /** For one request, 120,000 if absent. */
  readonly timeoutMs?: number;
  /** Attempts after the first, 5 if absent, and the first pause between them (it doubles), 500 ms. */
  readonly retries?: number;
  readonly retryDelayMs?: number;
  /** `--llm-budget`: tokens that this run may use, both ways, estimated before each request and counted after it. */
  readonly budgetTokens?: number;
  /** Called when items are answered. */
  readonly progress?: (done: number, all: number) => void;
  /** Micro-dollars of so many tokens, undefined where no price is known. */
  readonly price?: (model: string, inputTokens: number, outputTokens: number) => number | undefined;
}

/** The same question about many texts. */
export interface Task<T> {
  /** Names the task in the cache. Change it when answers should be asked again; system and schema count by themselves. */
  readonly version: string;
  readonly system: string;
  /** What an answer must be; an object, or anything where several are asked at once. */
  readonly answer: z.ZodType<T>;
  /** Tokens of one answer, about; the reply may take several times that. */
  readonly answerTokens: number;
  /** Items of one request, 1 if absent. One item is sent as it is, several as a JSON list of `{id, text}`. */
  readonly batch?: number;
  /** A GBNF grammar for replies to so many items; used instead of the schema where the server is llama.cpp. */
  readonly grammar?: (items: number) => string;
}

/** `failed` says why there is no answer, after a repair round. */
export type Outcome<T> = { readonly answer: T } | { readonly failed: string };

export interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** What a run would send. Tokens are estimated from the text, without the model's own tokenizer. */
export interface Estimate {
  /** '' where no server tells and none is given. */
  readonly model: string;
  readonly items: number;
  readonly cached: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Undefined where no price is known. */
  readonly microUsd: number | undefined;
  /** The messages of each request, redacted. */
  readonly requests: readonly (readonly Message[])[];
}

/** What this run did so far. Tokens are as the servers told, estimated where they did not. */
export interface Usage {
  requests: number;
  retries: number;
  repaired: number;
  cached: number;
  inputTokens: number;
  outputTokens: number;
}

export type ModelTrouble = 'unreachable' | 'refused' | 'timeout' | 'broken' | 'status' | 'reply' | 'budget';

/** Why the work with a model ended. The message names the address, what is kept, and the way out. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly trouble: ModelTrouble;
  /** HTTP status, 0 for none. */
  readonly status: number;
  constructor(trouble: ModelTrouble, message: string, status = 0) {
    super(message);
    this.trouble = trouble;
    this.status = status;
  }
}
