import { isSingle, readReply, replySchema } from './replies.ts';
import type { Sender } from './send.ts';
import { estimateTokens } from './tokens.ts';
import { type Message, ModelError, type Outcome, type Task, type Usage } from './types.ts';

/** How answers are held to their shape, the strictest first; a server that refuses one is asked the next way. */
type Held = 'grammar' | 'schema' | 'json' | 'words';

/** A reply may be longer than the answers in it: a model may think aloud first. */
const ROOM = 4;
const LEAST_ROOM = 1024;

/** Requests of chat/completions in the dialect of one server, which shows by what it refuses. */
export class Chat {
  private readonly sender: Sender;
  private readonly usage: Usage;
  private held: Held = 'schema';
  private temperature = true;
  private limit: 'max_tokens' | 'max_completion_tokens' | undefined = 'max_tokens';

  constructor(sender: Sender, usage: Usage) {
    this.sender = sender;
    this.usage = usage;
  }

  /** llama.cpp holds a reply to a grammar of the caller's. */
  useGrammar(): void {
    this.held = 'grammar';
  }

  /** One outcome an item. What cannot be used is asked for once more, with what is wrong about it. Throws ModelError. */
  async answers<T>(model: string, task: Task<T>, items: readonly string[]): Promise<Outcome<T>[]> {
    const messages = messagesFor(task, items);
    const content = await this.reply(model, task, messages, items.length);
    const outcomes = readReply(task, items.length, content);
    if (outcomes.every(outcome => 'answer' in outcome)) return outcomes;
    this.usage.repaired++;
    const again: Message[] = [
      ...messages,
      { role: 'assistant', content: content === '' ? '(nothing)' : content },
      { role: 'user', content: repairText(task, outcomes) },
    ];
    const repaired = readReply(task, items.length, await this.reply(model, task, again, items.length));
    return outcomes.map((outcome, at) => ('answer' in outcome ? outcome : (repaired[at] as Outcome<T>)));
  }

  private async reply<T>(model: string, task: Task<T>, messages: readonly Message[], items: number): Promise<string> {
    for (;;) {
      const body = this.body(model, task, messages, items);
      try {
        return this.read(await this.sender.post('/chat/completions', body), messages);
      } catch (error) {
        if (!(error instanceof ModelError) || !this.canDoWithout(error)) throw error;
      }
    }
  }

  private body<T>(model: string, task: Task<T>, messages: readonly Message[], items: number): Record<string, unknown> {
    const room = Math.max(LEAST_ROOM, ROOM * items * task.answerTokens);
    const grammar = this.held === 'grammar' ? task.grammar?.(items) : undefined;
    const schema = { name: 'answer', strict: true, schema: replySchema(task) };
    const held = this.held === 'grammar' ? 'schema' : this.held;
    return {
      model,
      messages,
      stream: false,
      ...(this.temperature ? { temperature: 0 } : {}),
      ...(this.limit ? { [this.limit]: room } : {}),
      ...(grammar !== undefined
        ? { grammar }
        : held === 'schema'
          ? { response_format: { type: 'json_schema', json_schema: schema } }
          : held === 'json'
            ? { response_format: { type: 'json_object' } }
            : {}),
    };
  }

  /** True when the server named a parameter that the next request can leave out or write otherwise. */
  private canDoWithout({ status, message }: ModelError): boolean {
    if (status !== 400 && status !== 422 && status !== 501) return false;
    if (/temperature/i.test(message) && this.temperature) this.temperature = false;
    else if (/max_tokens|max_completion_tokens/i.test(message) && this.limit !== undefined)
      this.limit = this.limit === 'max_tokens' ? 'max_completion_tokens' : undefined;
    else if (/response_format|json|schema|grammar|structured/i.test(message) && this.held !== 'words')
      this.held = this.held === 'grammar' ? 'schema' : this.held === 'schema' ? 'json' : 'words';
    else return false;
    return true;
  }

  private read(reply: unknown, messages: readonly Message[]): string {
    const { choices, usage } = (reply ?? {}) as {
      choices?: { message?: { content?: unknown } }[];
      usage?: { prompt_tokens?: unknown; completion_tokens?: unknown };
    };
    const message = choices?.[0]?.message;
    if (message === undefined)
      throw new ModelError(
        'reply',
        `${this.sender.endpoint.flag}: ${this.sender.endpoint.shown} does not reply as a chat does`,
      );
    const content = typeof message.content === 'string' ? message.content : '';
    const told = (count: unknown, text: () => string) =>
      Number.isInteger(count) && Number(count) >= 0 ? Number(count) : estimateTokens(text());
    this.usage.inputTokens += told(usage?.prompt_tokens, () => messages.map(each => each.content).join('\n'));
    this.usage.outputTokens += told(usage?.completion_tokens, () => content);
    return content;
  }
}

/** Items as data: a list of JSON, so that a text which looks like an instruction or the next item is neither. */
export function messagesFor<T>(task: Task<T>, items: readonly string[]): Message[] {
  const user = isSingle(task) ? (items[0] as string) : JSON.stringify(items.map((text, at) => ({ id: at + 1, text })));
  return [
    { role: 'system', content: task.system },
    { role: 'user', content: user },
  ];
}

function repairText<T>(task: Task<T>, outcomes: readonly Outcome<T>[]): string {
  const schema = JSON.stringify(replySchema(task));
  const wrong = outcomes.flatMap((outcome, at) =>
    'failed' in outcome ? [isSingle(task) ? outcome.failed : `id ${at + 1}: ${outcome.failed}`] : [],
  );
  return `This cannot be used (${wrong.slice(0, 10).join('; ')}). Reply again, with nothing but JSON of this schema: ${schema}`;
}
