// @ts-check
// Writes work as Codex 0.171 does (`token_usage_record` after each answer, `item_completed` for what was said and run),
// and as 0.98 did (`token_count` only, and that twice).
import path from 'node:path';
import { textOf } from './claude.mjs';

/** @typedef {import('./work.mjs').Use} Use */
/** @typedef {import('./work.mjs').Call} Call */
/** @typedef {Record<string, unknown>} Row */

/** The command by which Codex does what has no tool of its own. @param {Use} use */
function commandOf(use) {
  switch (use.does) {
    case 'read':
      return `sed -n 1,120p ${use.about}`;
    case 'grep':
      return `rg -n ${use.about}`;
    case 'fetch':
      return `curl -sL ${use.about}`;
    case 'issue':
      return `gh issue view ${use.about}`;
    default:
      return use.about;
  }
}

/** @param {Use} use */
function patchOf(use) {
  const body =
    use.does === 'write' ? `*** Add File: ${use.about}\n+// new` : `*** Update File: ${use.about}\n@@\n-before\n+after`;
  return `*** Begin Patch\n${body}\n*** End Patch`;
}

const noUsage = () => ({
  input_tokens: 0,
  cached_input_tokens: 0,
  output_tokens: 0,
  reasoning_output_tokens: 0,
  total_tokens: 0,
});

export class CodexSession {
  /**
   * @param {object} of
   * @param {import('./chance.mjs').Chance} of.chance
   * @param {import('./truth.mjs').Truth} of.truth
   * @param {string} of.cwd
   * @param {string} of.branch
   * @param {'0.171.0' | '0.98.0'} of.version
   * @param {string} of.model
   * @param {string} of.helper the model of its subagents
   * @param {number} of.start ms since the epoch
   * @param {CodexSession} [of.parent] the session that spawned this one
   */
  constructor(of) {
    this.of = of;
    this.chance = of.chance;
    this.now = of.start;
    this.model = of.model;
    this.id = of.chance.timedUuid(of.start);
    this.old = of.version === '0.98.0';
    /** @type {Row[]} */
    this.rows = [];
    this.total = noUsage();
    this.context = of.chance.between(14_000, 22_000);
    this.turn = '';
    this.turnStart = 0;
    /** Of the last answer. */
    this.usage = noUsage();
    /** @type {CodexSession[]} */
    this.children = [];
    of.truth.files++;
    if (of.parent) of.truth.subagents++;
    else of.truth.sessions++;
    this.head();
  }

  get name() {
    const stamp = new Date(this.of.start).toISOString().slice(0, 19);
    return `sessions/${stamp.slice(0, 10).replaceAll('-', '/')}/rollout-${stamp.replaceAll(':', '-')}-${this.id}.jsonl`;
  }

  get text() {
    return textOf(this.rows);
  }

  /** @param {string} type @param {Row} payload */
  row(type, payload) {
    const ordinal = this.old ? {} : { ordinal: this.rows.length };
    this.rows.push({ timestamp: new Date(this.now).toISOString(), ...ordinal, type, payload });
  }

  /** @param {Row} item @param {number} start ms since the epoch */
  item(item, start) {
    const times = { started_at_ms: start, completed_at_ms: this.now };
    this.row('event_msg', { type: 'item_completed', thread_id: this.id, turn_id: this.turn, item, ...times });
  }

  head() {
    const { cwd, branch, version, parent } = this.of;
    const spawn = parent && { parent_thread_id: parent.id, depth: 1, agent_nickname: 'Noether' };
    this.row('session_meta', {
      ...(this.old ? {} : { session_id: parent?.id ?? this.id }),
      id: this.id,
      ...(parent ? { parent_thread_id: parent.id } : {}),
      timestamp: new Date(this.now).toISOString(),
      cwd,
      originator: 'codex-tui',
      cli_version: version,
      source: spawn ? { subagent: { thread_spawn: spawn } } : 'cli',
      ...(this.old ? {} : { thread_source: parent ? 'subagent' : 'user', history_mode: 'paginated' }),
      model_provider: 'openai',
      git: { branch },
    });
    this.said(
      'user',
      `<environment_context>\n  <cwd>${cwd}</cwd>\n  <shell>bash</shell>\n</environment_context>`,
      'environments.environment_context',
    );
  }

  /** @param {'user' | 'assistant'} role @param {string} text @param {string} kind */
  said(role, text, kind) {
    const content = [{ type: role === 'user' ? 'input_text' : 'output_text', text }];
    const marked = { internal_chat_message_metadata_passthrough: { turn_id: this.turn, content_item_kinds: [kind] } };
    this.row('response_item', { type: 'message', role, content, ...(this.old || role === 'assistant' ? {} : marked) });
  }

  turnContext() {
    this.row('turn_context', {
      ...(this.old ? {} : { turn_id: this.turn }),
      cwd: this.of.cwd,
      approval_policy: 'on-request',
      model: this.model,
      summary: 'auto',
    });
  }

  /** @param {string} text what a person typed, or what the parent gives a subagent */
  prompt(text) {
    this.turn = this.chance.timedUuid(this.now);
    this.turnStart = this.now;
    if (!this.of.parent) this.of.truth.prompts++;
    if (this.old) {
      this.said('user', text, '');
      this.row('event_msg', { type: 'user_message', message: text, images: [] });
      this.turnContext();
      return;
    }
    this.row('event_msg', { type: 'task_started', turn_id: this.turn, started_at: Math.floor(this.now / 1000) });
    this.turnContext();
    this.said('user', text, 'user.text');
    this.item(
      { type: 'UserMessage', id: this.chance.timedUuid(this.now), content: [{ type: 'text', text }] },
      this.now,
    );
  }

  /** The end of a turn. @param {string} message the last thing the agent said */
  done(message) {
    if (this.old) return;
    this.tokenCount(this.usage);
    const duration_ms = this.now - this.turnStart;
    this.row('event_msg', { type: 'task_complete', turn_id: this.turn, last_agent_message: message, duration_ms });
  }

  /** The usage of one answer, counted. */
  spend() {
    const input = this.context + this.chance.around(2_800, 0.8);
    const output = this.chance.around(430, 0.8);
    const usage = {
      input_tokens: input,
      cached_input_tokens: Math.floor(this.context / 128) * 128,
      output_tokens: output,
      reasoning_output_tokens: Math.floor(output * (0.2 + 0.5 * this.chance.next())),
      total_tokens: input + output,
    };
    this.context = Math.min(220_000, input + output);
    for (const kind of /** @type {(keyof typeof usage)[]} */ (Object.keys(usage))) this.total[kind] += usage[kind];
    this.of.truth.call(this.model, {
      input: usage.input_tokens - usage.cached_input_tokens,
      cache_read: usage.cached_input_tokens,
      cache_write: 0,
      output: usage.output_tokens - usage.reasoning_output_tokens,
      reasoning: usage.reasoning_output_tokens,
    });
    return usage;
  }

  /** @param {Row} last */
  tokenCount(last) {
    this.row('event_msg', {
      type: 'token_count',
      info: { total_token_usage: { ...this.total }, last_token_usage: last },
    });
  }

  /** @param {Call} call */
  call(call) {
    const start = this.now;
    this.now += this.chance.around(11_000, 0.7);
    this.usage = this.spend();
    if (call.says) {
      if (this.old) this.row('event_msg', { type: 'agent_message', message: call.says });
      else
        this.item(
          { type: 'AgentMessage', id: `msg_${this.chance.hex(16)}`, content: [{ type: 'Text', text: call.says }] },
          start,
        );
      this.said('assistant', call.says, '');
    }
    const asked = call.uses.map(use => ({ use, id: `call_${this.chance.text(10)}` }));
    for (const { use, id } of asked) this.row('response_item', this.asks(use, id));
    if (this.old) this.tokenCount(this.usage);
    else {
      const ids = { thread_id: this.id, turn_id: this.turn, session_id: this.of.parent?.id ?? this.id };
      this.row('token_usage_record', { ...ids, response_id: `resp_${this.chance.hex(16)}`, usage: this.usage });
    }
    this.of.truth.tool_calls += asked.length;
    for (const { use, id } of asked) this.answer(use, id);
    // 0.98 says the same once more when it goes on after the tools.
    if (this.old && asked.length > 0) this.tokenCount(this.usage);
  }

  /** @param {Use} use @param {string} call_id @returns {Row} */
  asks(use, call_id) {
    const asking = (/** @type {string} */ name, /** @type {Row} */ args) => ({
      type: 'function_call',
      name,
      arguments: JSON.stringify(args),
      call_id,
    });
    if (use.does === 'plan')
      return asking('update_plan', { plan: use.about.split('|').map(step => ({ step, status: 'pending' })) });
    if (use.does === 'search') {
      return {
        type: 'web_search_call',
        id: call_id,
        status: 'completed',
        action: { type: 'search', query: use.about },
      };
    }
    if (use.does === 'agent') return { ...asking('spawn_agent', { message: use.about }), namespace: 'multi_agent_v1' };
    if (use.does === 'edit' || use.does === 'write') {
      if (this.old)
        return { type: 'custom_tool_call', status: 'completed', call_id, name: 'apply_patch', input: patchOf(use) };
      return asking('exec_command', { cmd: `apply_patch <<'EOF'\n${patchOf(use)}\nEOF` });
    }
    return asking('exec_command', { cmd: commandOf(use) });
  }

  /** @param {Use} use @param {string} call_id */
  answer(use, call_id) {
    const start = this.now;
    this.now += use.ms;
    if (use.does === 'search') return;
    const code = use.fails ? 1 : 0;
    const seconds = (use.ms / 1000).toFixed(4);
    const ended = `Wall time: ${seconds} seconds\nProcess exited with code ${code}\nOutput:\n`;
    let output = `${ended}${use.fails ?? use.output ?? ''}`;
    if (use.does === 'plan') output = 'Plan updated';
    else if (use.does === 'agent') output = JSON.stringify({ agent_id: this.spawn(use, call_id), nickname: 'Noether' });
    else if (use.does === 'edit' || use.does === 'write') output = this.patched(use, call_id, start, ended);
    else if (!this.old) {
      const command = ['/bin/bash', '-lc', commandOf(use)];
      const status = code === 0 ? 'completed' : 'failed';
      this.item({ type: 'CommandExecution', id: call_id, command, status, exit_code: code }, start);
    }
    const custom = this.old && (use.does === 'edit' || use.does === 'write');
    this.row('response_item', { type: custom ? 'custom_tool_call_output' : 'function_call_output', call_id, output });
  }

  /** @param {Use} use @param {string} id @param {number} start @param {string} ended */
  patched(use, id, start, ended) {
    const said = use.fails ?? `Success. Updated the following files:\nM ${use.about}\n`;
    if (this.old)
      return JSON.stringify({ output: said, metadata: { exit_code: use.fails ? 1 : 0, duration_seconds: 0 } });
    const file = path.posix.join(this.of.cwd, use.about);
    const change =
      use.does === 'write'
        ? { type: 'add', content: '// new\n' }
        : { type: 'update', unified_diff: '@@ -1 +1 @@\n-before\n+after\n' };
    this.item(
      { type: 'FileChange', id, changes: { [file]: change }, status: use.fails ? 'failed' : 'completed' },
      start,
    );
    return `${ended}${said}`;
  }

  /** Runs the subagent to its end before the parent goes on. @param {Use} use @param {string} id @returns {string} the id of its thread */
  spawn(use, id) {
    const start = this.now;
    const child = new CodexSession({ ...this.of, model: this.of.helper, parent: this, start });
    child.prompt(use.about);
    for (const call of use.calls ?? []) child.call(call);
    child.done('Found.');
    this.children.push(child);
    this.item(
      {
        type: 'CollabAgentToolCall',
        id,
        tool: 'spawn_agent',
        status: 'completed',
        receiver_thread_ids: [child.id],
        prompt: use.about,
      },
      start,
    );
    this.now = child.now;
    return child.id;
  }

  /** The history is summarised: a call like any other, then the summary in place of the history. */
  compact() {
    const start = this.now;
    this.turn = this.chance.timedUuid(start);
    this.row('event_msg', { type: 'task_started', turn_id: this.turn, started_at: Math.floor(start / 1000) });
    this.now += 20_000;
    this.usage = this.spend();
    const ids = { thread_id: this.id, turn_id: this.turn, session_id: this.id };
    this.row('token_usage_record', { ...ids, response_id: `resp_${this.chance.hex(16)}`, usage: this.usage });
    this.row('compacted', { message: 'The fix is half done.', replacement_history: [] });
    this.context = 7_000;
    this.turnContext();
    this.tokenCount({ ...noUsage(), total_tokens: this.context });
    this.item({ type: 'ContextCompaction', id: this.chance.timedUuid(this.now) }, start);
    this.row('event_msg', { type: 'task_complete', turn_id: this.turn, last_agent_message: null, duration_ms: 20_000 });
  }
}
