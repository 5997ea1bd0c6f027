// @ts-check
// A Claude Code history as 2.0 writes it: every content block of an answer repeats the answer's id and usage, tool
// output stands twice (in the message and in toolUseResult), subagents run inline as sidechains.

import { toolInput, toolResult } from './claude-tools.mjs';
import { someFile } from './shape.mjs';
import { Sink } from './sink.mjs';

const MODELS = [
  'claude-sonnet-4-5-20250929',
  'claude-opus-4-1-20250805',
  'claude-haiku-4-5-20251001',
  'claude-sonnet-4-20250514',
];

/** @type {readonly [string, number][]} tool names with the weight of each in a hundred */
const TOOLS = [
  ['Bash', 34],
  ['Read', 26],
  ['Edit', 14],
  ['Grep', 9],
  ['TodoWrite', 5],
  ['Write', 4],
  ['Glob', 4],
  ['mcp__github__get_file_contents', 2],
  ['Task', 1],
  ['WebFetch', 1],
];

/** Each tool as often as its weight says. */
const HUNDRED_TOOLS = TOOLS.flatMap(([name, weight]) => Array.from({ length: weight }, () => name));

export class ClaudeHistory {
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
    this.model = shape.chance.pick(MODELS);
    this.version = `2.0.${shape.chance.between(1, 60)}`;
    this.branch = shape.chance.pick(['main', 'main', 'feat/search', 'fix/login']);
    this.context = shape.chance.between(12_000, 22_000);
    this.sidechain = false;
    /** @type {string | null} */
    this.last = null;
  }

  /** Writes turns until the file has its size. */
  write() {
    const { chance, texts } = this.shape;
    if (chance.happens(0.4)) {
      this.sink.write({ type: 'summary', summary: texts.prose(60), leafUuid: chance.uuid() });
    }
    while (this.sink.bytes < this.target.bytes) this.turn();
    this.sink.close();
    return this.sink;
  }

  /** @param {object} fields @param {number} [pause] ms since the row before, about */
  row(fields, pause = 1800) {
    const { chance } = this.shape;
    const uuid = chance.uuid();
    this.now += chance.around(pause, 1.1);
    this.sink.write({
      parentUuid: this.last,
      isSidechain: this.sidechain,
      userType: 'external',
      cwd: this.target.cwd,
      sessionId: this.target.sessionId,
      version: this.version,
      gitBranch: this.branch,
      ...fields,
      uuid,
      timestamp: new Date(this.now).toISOString(),
    });
    this.last = uuid;
    return uuid;
  }

  turn() {
    const { chance, texts } = this.shape;
    const content = texts.prose(Math.min(20_000, chance.around(160, 1.3)));
    const uuid = this.row({
      type: 'user',
      message: { role: 'user', content },
      thinkingMetadata: { level: 'none', disabled: true, triggers: [] },
    });
    this.truth.prompts++;
    if (chance.happens(0.5)) this.snapshot(uuid);
    const calls = chance.around(7, 1);
    for (let left = calls - 1; left >= 0 && this.sink.bytes < this.target.bytes; left--) this.call(left === 0);
    if (chance.happens(0.03)) this.compaction();
    this.now += chance.around(60_000, 1.5);
  }

  /** @param {string} messageId */
  snapshot(messageId) {
    const { chance } = this.shape;
    const timestamp = new Date(this.now).toISOString();
    const backup = () => ({ backupFileName: `${chance.hex(16)}@v1`, version: 1, backupTime: timestamp });
    const files = Array.from({ length: chance.between(0, 6) }, () => [someFile(this.shape, this.target.cwd), backup()]);
    const snapshot = { messageId, trackedFileBackups: Object.fromEntries(files), timestamp };
    this.sink.write({ type: 'file-history-snapshot', messageId, snapshot, isSnapshotUpdate: false });
  }

  /** One answer: its blocks, a row each, then the results of its tools. @param {boolean} last of the turn */
  call(last) {
    const { chance, texts } = this.shape;
    const written = chance.around(900, 1.2);
    const output = chance.around(210, 1);
    const input = chance.between(1, 12);
    const usage = {
      input_tokens: input,
      cache_creation_input_tokens: written,
      cache_read_input_tokens: this.context,
      cache_creation: { ephemeral_5m_input_tokens: written, ephemeral_1h_input_tokens: 0 },
      output_tokens: output,
      service_tier: 'standard',
    };
    this.truth.call(this.model, { input, cache_read: this.context, cache_write: written, output, reasoning: 0 });
    this.context = Math.min(180_000, this.context + written);

    const blocks = [];
    if (chance.happens(0.25)) {
      const signature = texts.cut('base64', chance.between(300, 1800));
      blocks.push({ type: 'thinking', thinking: texts.prose(chance.around(500, 1)), signature });
    }
    if (last || chance.happens(0.4)) {
      blocks.push({ type: 'text', text: texts.prose(last ? chance.around(900, 0.9) : chance.around(120, 0.9)) });
    }
    const uses = last ? [] : Array.from({ length: chance.happens(0.15) ? chance.between(2, 4) : 1 }, () => this.use());
    const message = {
      model: this.model,
      id: `msg_01${chance.text(22)}`,
      type: 'message',
      role: 'assistant',
      stop_reason: last ? 'end_turn' : 'tool_use',
      stop_sequence: null,
    };
    const requestId = `req_011C${chance.text(20)}`;
    for (const block of [...blocks, ...uses]) {
      this.row({ message: { ...message, content: [block], usage }, requestId, type: 'assistant' });
    }
    this.truth.tool_calls += uses.length;
    for (const use of uses) this.result(use);
  }

  use() {
    const { chance } = this.shape;
    // A subagent starts no subagent.
    const picked = chance.pick(HUNDRED_TOOLS);
    const name = picked === 'Task' && this.sidechain ? 'Read' : picked;
    return {
      type: 'tool_use',
      id: `toolu_01${chance.text(22)}`,
      name,
      input: toolInput(this.shape, name, this.target.cwd),
    };
  }

  /** @param {{ id: string, name: string, input: Record<string, unknown> }} use */
  result(use) {
    if (use.name === 'Task') this.subagent(String(use.input.prompt));
    const { content, failed, result } = toolResult(this.shape, use.name, use.input, this.target.cwd);
    const block = { tool_use_id: use.id, type: 'tool_result', content, ...(failed ? { is_error: true } : {}) };
    this.row({ type: 'user', message: { role: 'user', content: [block] }, toolUseResult: result });
  }

  /** The rows of a subagent, inline, with a root of their own. @param {string} prompt */
  subagent(prompt) {
    const { chance } = this.shape;
    const { last, context, model } = this;
    Object.assign(this, { last: null, context: chance.between(8_000, 12_000), model: MODELS[2], sidechain: true });
    this.row({ type: 'user', message: { role: 'user', content: prompt } });
    for (let left = chance.between(1, 5); left >= 0; left--) this.call(left === 0);
    Object.assign(this, { last, context, model, sidechain: false });
  }

  compaction() {
    const logicalParentUuid = this.last;
    this.last = null;
    this.row({
      logicalParentUuid,
      type: 'system',
      subtype: 'compact_boundary',
      content: 'Conversation compacted',
      isMeta: false,
      level: 'info',
      compactMetadata: { trigger: 'auto', preTokens: this.context },
    });
    this.context = 20_000;
  }
}
