// @ts-check
// Writes work as Claude Code 2.1 does: one row for each content block of an answer, each with the answer's whole usage;
// tool results as user rows; subagents in files of their own beside the session.
import path from 'node:path';

/** @typedef {import('./work.mjs').Use} Use */
/** @typedef {import('./work.mjs').Call} Call */
/** @typedef {Record<string, unknown>} Row */

/** @type {Record<Use['does'], (use: Use, cwd: string) => { name: string, input: Row }>} */
const TOOLS = {
  read: (use, cwd) => ({ name: 'Read', input: { file_path: path.posix.join(cwd, use.about) } }),
  edit: (use, cwd) => ({
    name: 'Edit',
    input: { file_path: path.posix.join(cwd, use.about), old_string: 'before', new_string: 'after' },
  }),
  write: (use, cwd) => ({ name: 'Write', input: { file_path: path.posix.join(cwd, use.about), content: '// new\n' } }),
  run: use => ({ name: 'Bash', input: { command: use.about } }),
  grep: (use, cwd) => ({ name: 'Grep', input: { pattern: use.about, path: cwd } }),
  fetch: use => ({ name: 'WebFetch', input: { url: use.about, prompt: 'Summarise.' } }),
  search: use => ({ name: 'WebSearch', input: { query: use.about } }),
  issue: use => ({
    name: 'mcp__github__get_issue',
    input: { owner: 'dev', repo: 'app', issue_number: Number(use.about) },
  }),
  plan: use => ({
    name: 'TodoWrite',
    input: { todos: use.about.split('|').map(content => ({ content, status: 'pending', activeForm: content })) },
  }),
  agent: use => {
    const [subagent_type = '', description = ''] = use.about.split(': ');
    return { name: 'Agent', input: { description, prompt: `${description}. Report files and lines.`, subagent_type } };
  },
};

export class ClaudeSession {
  /**
   * @param {object} of
   * @param {import('./chance.mjs').Chance} of.chance
   * @param {import('./truth.mjs').Truth} of.truth
   * @param {string} of.cwd
   * @param {string} of.branch
   * @param {string} of.version
   * @param {string} of.model
   * @param {string} of.helper the model of its subagents
   * @param {number} of.start ms since the epoch
   * @param {string} [of.id]
   * @param {string} [of.agentId] of a subagent
   * @param {boolean} [of.keepsAnHour] caches are written for an hour instead of five minutes
   */
  constructor(of) {
    this.of = of;
    this.chance = of.chance;
    this.id = of.id ?? of.chance.uuid();
    this.now = of.start;
    this.model = of.model;
    /** @type {Row[]} */
    this.rows = [];
    /** @type {string | null} */
    this.last = null;
    this.promptId = '';
    this.context = of.chance.between(22_000, 36_000);
    /** Other files of this session: path below the session's folder, and text. @type {Map<string, string>} */
    this.beside = new Map();
    /** What all calls used, subagents and compaction included. @type {Map<string, import('./truth.mjs').Usage>} */
    this.spent = new Map();
    if (!of.agentId) of.truth.sessions++;
    of.truth.files++;
  }

  get name() {
    return `projects/${this.of.cwd.replace(/[^A-Za-z0-9]/g, '-')}/${this.id}`;
  }

  get text() {
    return textOf(this.rows);
  }

  /** @param {Row} fields @returns {string} the row's uuid */
  row(fields) {
    const { cwd, branch, version, agentId } = this.of;
    const uuid = this.chance.uuid();
    this.rows.push({
      parentUuid: this.last,
      isSidechain: agentId !== undefined,
      ...(agentId ? { agentId } : {}),
      ...fields,
      uuid,
      timestamp: new Date(this.now).toISOString(),
      cwd,
      sessionId: this.id,
      version,
      gitBranch: branch,
    });
    this.last = uuid;
    return uuid;
  }

  /** @param {string} text what a person typed, or what the parent gives a subagent */
  prompt(text) {
    this.promptId = this.chance.uuid();
    this.row({ promptId: this.promptId, type: 'user', message: { role: 'user', content: text } });
    if (!this.of.agentId) this.of.truth.prompts++;
  }

  /** @param {string} model @returns {import('./truth.mjs').Usage} the usage of one answer, counted */
  spend(model) {
    const written = this.chance.around(3_000, 0.9);
    const usage = {
      input: this.chance.between(3, 14),
      cache_read: this.context,
      cache_write: written,
      output: this.chance.around(320, 0.8),
      reasoning: 0,
    };
    this.context = Math.min(170_000, this.context + written + usage.output);
    this.of.truth.call(model, usage);
    addTo(this.spent, model, usage);
    return usage;
  }

  /** @param {Call} call */
  call(call) {
    const usage = this.spend(this.model);
    const message = { id: `msg_01${this.chance.text(12)}`, role: 'assistant', model: this.model };
    const stop_reason = call.uses.length > 0 ? 'tool_use' : 'end_turn';
    const recorded = usageRow(usage, this.of.keepsAnHour ?? false);
    const uses = call.uses.map(use => ({
      use,
      id: `toolu_01${this.chance.text(10)}`,
      ...TOOLS[use.does](use, this.of.cwd),
    }));
    const blocks = [
      ...(call.says ? [{ type: 'text', text: call.says }] : []),
      ...uses.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })),
    ];
    this.now += this.chance.around(9_000, 0.7);
    for (const block of blocks) {
      this.row({
        type: 'assistant',
        message: { ...message, content: [block], stop_reason, usage: recorded },
      });
      this.now += this.chance.between(80, 600);
    }
    this.of.truth.tool_calls += uses.length;
    this.results(uses);
  }

  /** Tools of one answer run side by side; each result is written when it ends. @param {{ use: Use, id: string, input: Row }[]} uses */
  results(uses) {
    const began = this.now;
    const ends = uses.map(({ use, id, input }) => {
      const spawned = use.calls ? this.subagent(use.calls, id, input, began) : undefined;
      return { use, id, spawned, at: spawned?.end ?? began + use.ms };
    });
    for (const { use, id, spawned, at } of ends.sort((a, b) => a.at - b.at)) {
      this.now = at;
      const said = use.does === 'run' && use.fails ? `Exit code 1\n${use.fails}` : (use.fails ?? use.output ?? 'ok');
      this.row({
        type: 'user',
        message: {
          role: 'user',
          content: [{ tool_use_id: id, type: 'tool_result', content: said, ...(use.fails ? { is_error: true } : {}) }],
        },
        ...(use.fails ? { toolUseResult: `Error: ${said}` } : {}),
        ...(spawned ? { toolUseResult: spawned.result } : {}),
      });
    }
  }

  /** @param {readonly Call[]} calls @param {string} toolUseId @param {Row} input @param {number} start */
  subagent(calls, toolUseId, input, start) {
    const { truth, helper } = this.of;
    const agentId = `a${this.chance.hex(16)}`;
    const child = new ClaudeSession({ ...this.of, id: this.id, agentId, start, model: helper });
    truth.subagents++;
    child.prompt(String(input.prompt));
    for (const call of calls) child.call(call);
    for (const [model, usage] of child.spent) addTo(this.spent, model, usage);
    const { subagent_type, description } = input;
    this.beside.set(`subagents/agent-${agentId}.jsonl`, child.text);
    this.beside.set(
      `subagents/agent-${agentId}.meta.json`,
      JSON.stringify({
        agentType: subagent_type,
        description,
        toolUseId,
        spawnDepth: 1,
        model: helper,
        finished: true,
      }),
    );
    const result = {
      status: 'completed',
      agentId,
      totalDurationMs: child.now - start,
      totalTokens: child.context,
      totalToolUseCount: calls.length - 1,
    };
    return { end: child.now, result };
  }

  /** The history is summarised; the request for that is in no row, only in the running totals of `costState`. */
  compact() {
    const before = this.context;
    this.spend(this.model);
    this.now += 24_000;
    const logicalParentUuid = this.last;
    this.last = null;
    this.context = 9_000;
    this.row({
      logicalParentUuid,
      type: 'system',
      subtype: 'compact_boundary',
      content: 'Conversation compacted',
      isMeta: false,
      level: 'info',
      compactMetadata: { trigger: 'auto', preTokens: before, postTokens: this.context, durationMs: 24_000 },
    });
    const content =
      'This session is being continued from a previous conversation that ran out of context.\nSummary:\nThe fix is half done.';
    this.row({
      type: 'user',
      message: { role: 'user', content },
      isVisibleInTranscriptOnly: true,
      isCompactSummary: true,
    });
  }

  /** A request the service refused once and answered later. */
  retry() {
    this.now += 1_200;
    const error = { status: 529 };
    this.row({
      type: 'system',
      subtype: 'api_error',
      level: 'error',
      error,
      retryInMs: 600,
      retryAttempt: 1,
      maxRetries: 10,
    });
  }

  /** A request the service refused for good, as the client shows it: no call, no tokens. */
  refused() {
    this.now += 900;
    const text = 'API Error: 500 Internal server error';
    this.row({
      type: 'assistant',
      message: {
        id: this.chance.uuid(),
        role: 'assistant',
        model: '<synthetic>',
        content: [{ type: 'text', text }],
        stop_reason: 'stop_sequence',
        usage: usageRow({ input: 0, cache_read: 0, cache_write: 0, output: 0, reasoning: 0 }, false),
      },
      isApiErrorMessage: true,
      apiErrorStatus: 500,
    });
  }

  interrupted() {
    this.now += 3_000;
    const text = '[Request interrupted by user]';
    this.row({ promptId: this.promptId, type: 'user', message: { role: 'user', content: [{ type: 'text', text }] } });
  }

  /** The running totals that 2.1.33x writes at the end of a run. */
  costState() {
    const modelUsage = Object.fromEntries(
      [...this.spent].map(([model, usage]) => [
        model,
        {
          inputTokens: usage.input,
          outputTokens: usage.output,
          cacheReadInputTokens: usage.cache_read,
          cacheCreationInputTokens: usage.cache_write,
          cacheCreationEphemeral5mInputTokens: this.of.keepsAnHour ? 0 : usage.cache_write,
          cacheCreationEphemeral1hInputTokens: this.of.keepsAnHour ? usage.cache_write : 0,
        },
      ]),
    );
    this.rows.push({ type: 'cost-state', sessionId: this.id, modelUsage });
  }

  /** A session that begins with a copy of this one's rows under a new id, and goes on by itself. @param {number} start */
  fork(start) {
    const child = new ClaudeSession({ ...this.of, id: this.chance.uuid(), start });
    child.rows = this.rows.map(row => ({ ...row, sessionId: child.id }));
    child.last = this.last;
    child.context = this.context;
    const ids = this.rows.map(row => /** @type {{ message?: { role: string, id: string } }} */ (row).message);
    this.of.truth.dropped.copied_history += new Set(ids.filter(m => m?.role === 'assistant').map(m => m?.id)).size;
    return child;
  }
}

/** @param {Map<string, import('./truth.mjs').Usage>} sums @param {string} model @param {import('./truth.mjs').Usage} usage */
function addTo(sums, model, usage) {
  const sum = sums.get(model) ?? { input: 0, cache_read: 0, cache_write: 0, output: 0, reasoning: 0 };
  for (const kind of /** @type {(keyof typeof sum)[]} */ (Object.keys(sum))) sum[kind] += usage[kind];
  sums.set(model, sum);
}

/** @param {import('./truth.mjs').Usage} usage @param {boolean} hour */
function usageRow(usage, hour) {
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: usage.cache_write,
    cache_read_input_tokens: usage.cache_read,
    output_tokens: usage.output,
    // Where it is absent, as in older versions, writes are for five minutes.
    ...(hour ? { cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: usage.cache_write } } : {}),
  };
}

/** @param {readonly Row[]} rows */
export function textOf(rows) {
  return rows.map(row => `${JSON.stringify(row)}\n`).join('');
}
