// @ts-check
// A Codex history as 0.40 to 0.58 wrote it: arguments and outputs are JSON inside strings, reasoning is encrypted, token
// counts are running totals.
import { COMMANDS, outputLength, someFile } from './shape.mjs';
import { Sink } from './sink.mjs';

const MODEL = 'gpt-5-codex';

export class CodexHistory {
  /**
   * @param {import('./shape.mjs').Shape} shape
   * @param {import('./shape.mjs').Target} target
   * @param {import('../../scripts/sample/truth.mjs').Truth} truth
   * @param {string} file
   */
  constructor(shape, target, truth, file) {
    this.shape = shape;
    this.target = target;
    this.truth = truth;
    this.sink = new Sink(file);
    this.now = target.start;
    this.context = 9_000;
    this.total = {
      input_tokens: 0,
      cached_input_tokens: 0,
      output_tokens: 0,
      reasoning_output_tokens: 0,
      total_tokens: 0,
    };
  }

  /** Writes turns until the file has its size. */
  write() {
    const { chance, texts } = this.shape;
    this.row('session_meta', {
      id: this.target.sessionId,
      timestamp: new Date(this.now).toISOString(),
      cwd: this.target.cwd,
      originator: 'codex_cli_rs',
      cli_version: `0.${chance.between(40, 58)}.0`,
      instructions: texts.cut('prose', 12_000),
      source: 'cli',
      git: { commit_hash: chance.hex(40), branch: 'main', repository_url: 'git@example.com:dev/x.git' },
    });
    while (this.sink.bytes < this.target.bytes) this.turn();
    this.sink.close();
    return this.sink;
  }

  /** @param {string} type @param {object} payload */
  row(type, payload) {
    this.now += this.shape.chance.around(1_200, 1.1);
    this.sink.write({ timestamp: new Date(this.now).toISOString(), type, payload });
  }

  turn() {
    const { chance, texts } = this.shape;
    const text = texts.prose(Math.min(20_000, chance.around(180, 1.3)));
    const sandbox_policy = { mode: 'workspace-write', network_access: false };
    const context = { cwd: this.target.cwd, approval_policy: 'on-request', sandbox_policy, model: MODEL };
    this.row('turn_context', { ...context, effort: 'medium', summary: 'auto' });
    this.row('response_item', { type: 'message', role: 'user', content: [{ type: 'input_text', text }] });
    this.row('event_msg', { type: 'user_message', message: text, kind: 'plain' });
    this.truth.prompts++;
    const calls = chance.around(9, 1);
    for (let left = calls - 1; left >= 0 && this.sink.bytes < this.target.bytes; left--) this.call(left === 0);
    this.now += chance.around(60_000, 1.5);
  }

  /** @param {boolean} last of the turn */
  call(last) {
    const { chance, texts } = this.shape;
    if (chance.happens(0.7)) {
      const text = texts.words(80);
      const encrypted_content = `gAAAAAB${texts.cut('base64', chance.between(800, 3200))}`;
      this.row('event_msg', { type: 'agent_reasoning', text });
      this.row('response_item', {
        type: 'reasoning',
        summary: [{ type: 'summary_text', text }],
        content: null,
        encrypted_content,
      });
    }
    if (last) {
      const text = texts.prose(chance.around(800, 0.9));
      this.row('event_msg', { type: 'agent_message', message: text });
      this.row('response_item', { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] });
    }
    const usage = this.spend();
    const answer = last ? undefined : this.tool();
    this.count(usage);
    if (answer) this.row('response_item', answer);
  }

  spend() {
    const { chance } = this.shape;
    const fresh = chance.around(900, 1.2);
    const output = chance.around(190, 1);
    const reasoning = output >> 1;
    const cached = this.context;
    this.truth.call(MODEL, { input: fresh, cache_read: cached, cache_write: 0, output: output - reasoning, reasoning });
    this.context = Math.min(200_000, cached + fresh);
    return {
      input_tokens: cached + fresh,
      cached_input_tokens: cached,
      output_tokens: output,
      reasoning_output_tokens: reasoning,
      total_tokens: cached + fresh + output,
    };
  }

  /** @param {ReturnType<CodexHistory['spend']>} last */
  count(last) {
    const { chance } = this.shape;
    for (const kind of /** @type {(keyof typeof last)[]} */ (Object.keys(last))) this.total[kind] += last[kind];
    const window = (/** @type {number} */ minutes) => ({
      used_percent: chance.between(1, 90),
      window_minutes: minutes,
      resets_in_seconds: 18_000,
    });
    this.row('event_msg', {
      type: 'token_count',
      info: { total_token_usage: { ...this.total }, last_token_usage: last, model_context_window: 272_000 },
      rate_limits: { primary: window(300), secondary: window(10_080) },
    });
  }

  /** Writes a tool call. @returns {object} the row of its answer */
  tool() {
    const { chance, texts } = this.shape;
    const call_id = `call_${chance.text(24)}`;
    const patch = chance.happens(0.2);
    this.truth.tool_calls++;
    if (patch) {
      const change = `*** Update File: ${someFile(this.shape, this.target.cwd)}\n@@\n${texts.cut('code', chance.around(700, 1))}`;
      const input = `*** Begin Patch\n${change}\n*** End Patch`;
      this.row('response_item', { type: 'custom_tool_call', status: 'completed', call_id, name: 'apply_patch', input });
    } else {
      const shell = { command: ['bash', '-lc', chance.pick(COMMANDS)], workdir: this.target.cwd, timeout_ms: 120_000 };
      const plan = { plan: [{ step: texts.words(30), status: 'pending' }] };
      const [name, args] = chance.happens(0.93) ? ['shell', shell] : ['update_plan', plan];
      this.row('response_item', { type: 'function_call', name, arguments: JSON.stringify(args), call_id });
    }
    const printed = patch
      ? 'Success. Updated the following files:\nM src/x.ts\n'
      : texts.printed(outputLength(this.shape));
    const metadata = { exit_code: chance.happens(0.08) ? 1 : 0, duration_seconds: chance.between(0, 90) / 10 };
    const type = patch ? 'custom_tool_call_output' : 'function_call_output';
    return { type, call_id, output: JSON.stringify({ output: printed, metadata }) };
  }
}
