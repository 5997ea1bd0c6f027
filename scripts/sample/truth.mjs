// @ts-check
// What a right reader must find, in the words of `agentpprof reconcile --json`.

const noTokens = () => ({ input: 0, cache_read: 0, cache_write: 0, output: 0, reasoning: 0, total: 0 });

/** @typedef {{ input: number, cache_read: number, cache_write: number, output: number, reasoning: number }} Usage */

export class Truth {
  /** @param {string} agent */
  constructor(agent) {
    this.agent = agent;
    this.files = 0;
    this.sessions = 0;
    this.subagents = 0;
    this.prompts = 0;
    this.calls = 0;
    this.tool_calls = 0;
    this.tokens = noTokens();
    /** @type {Record<string, ReturnType<typeof noTokens> & { calls: number }>} */
    this.models = {};
    this.dropped = { copied_history: 0 };
  }

  /** One billed answer. @param {string} model @param {Usage} usage */
  call(model, usage) {
    const row = this.models[model] ?? { calls: 0, ...noTokens() };
    this.models[model] = row;
    this.calls++;
    row.calls++;
    for (const kind of /** @type {(keyof Usage)[]} */ (['input', 'cache_read', 'cache_write', 'output', 'reasoning'])) {
      for (const sums of [this.tokens, row]) {
        sums[kind] += usage[kind];
        sums.total += usage[kind];
      }
    }
  }
}
