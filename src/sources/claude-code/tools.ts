import { Flag } from '../../trace/flags.ts';
import { Kind, NO_ROW } from '../../trace/kinds.ts';
import { type Digest, digest } from '../digest.ts';
import { countOf, isObject, NOTHING, type Obj, objectOf, plainText, textOf } from '../shapes.ts';
import { addRow, type Context } from './context.ts';
import { commandOf, SPAWNING, serverOf, skillOf, touchesOf, WAITING } from './inputs.ts';
import { outcomeOf } from './outcome.ts';
import { firstSight, wasSeen } from './seen.ts';
import { type Chain, recall, remember } from './state.ts';

const scratch: Digest = { high: 0, low: 0, characters: 0 };

/** Blocks of an answer that ask for a tool: by the client, or run by the provider itself. */
export function isToolUse(block: Obj): boolean {
  return block.type === 'tool_use' || block.type === 'server_tool_use' || block.type === 'mcp_tool_use';
}

/** `tool_result` in a user row; `web_search_tool_result` and the like inside the answer, for provider-run tools. */
export function isToolResult(block: Obj): boolean {
  return typeof block.type === 'string' && block.type.endsWith('tool_result');
}

/** Whether a block asks for a tool that was not asked for yet, or answers one that waits. Without an id nobody can tell. */
export function isNewTool({ state }: Context, block: Obj): boolean {
  if (isToolResult(block)) return state.tools.has(textOf(block.tool_use_id));
  const id = textOf(block.id);
  return isToolUse(block) && id !== '' && !wasSeen(state.seen, id);
}

/**
 * A tool row under its call; gives the characters of its arguments, undefined where the row is there already. `index`
 * tells blocks without id apart.
 */
export function toolUse(context: Context, chain: Chain, call: number, block: Obj, index: number): number | undefined {
  const { out, state } = context;
  const id = textOf(block.id);
  if (!firstSight(state.seen, id)) return undefined;
  const name = textOf(block.name);
  const input = objectOf(block.input);
  const row = addRow(context, Kind.tool, chain, call, context.time);
  const { field } = out;
  out.setKey(row, id || `${context.uuid || `${context.file.path}:${context.offset}`}#${index}`);
  const args = digest(block.input, scratch);
  out.argsKey.set(row, args.high, args.low);
  field.tool.set(row, name);
  field.mcp_server.set(row, serverOf(name));
  field.skill.set(row, skillOf(name, input) || textOf(context.record.attributionSkill));
  field.status.set(row, 'unanswered');
  if (WAITING.has(name)) out.flag(row, Flag.waits);
  if (input.run_in_background === true) out.flag(row, Flag.background);
  if (SPAWNING.has(name)) {
    const prompt = textOf(input.prompt);
    if (prompt !== '') out.setSpawnPrompt(row, prompt);
    out.spawnedType.set(row, textOf(input.subagent_type).slice(0, 120));
  }
  const command = commandOf(name, input);
  if (command !== '') out.texts.put('command', row, command);
  if (id !== '') {
    state.tools.set(id, { row, touches: touchesOf(name, input) });
    takeEarly(context, chain, id);
  }
  return args.characters;
}

/** So many results may wait for their calls: a client that runs tools while the answer streams writes them just before. */
const MOST_EARLY = 16;

function keepEarly({ state, record, time }: Context, id: string, block: Obj, result: unknown): void {
  const { early } = state;
  const [oldest] = early.keys();
  if (early.size >= MOST_EARLY && oldest !== undefined) early.delete(oldest);
  const { toolDenialKind, entrypoint } = record;
  early.set(id, { block, result, record: { toolDenialKind, entrypoint }, time });
}

/** Ends a tool call whose result stood before it. */
function takeEarly(context: Context, chain: Chain, id: string): void {
  const early = context.state.early.get(id);
  if (early === undefined) return;
  context.state.early.delete(id);
  const { record, time } = context;
  context.record = early.record;
  context.time = early.time;
  toolResult(context, chain, early.block, early.result);
  context.record = record;
  context.time = time;
}

/** Ends the tool call that a result answers. `result` is the row's `toolUseResult`, if it belongs to this block. */
export function toolResult(context: Context, chain: Chain, block: Obj, result: unknown): void {
  const { out, state, record } = context;
  const id = textOf(block.tool_use_id);
  const open = state.tools.get(id);
  if (open === undefined) {
    if (id !== '' && !wasSeen(state.seen, id)) keepEarly(context, id, block, result);
    return;
  }
  state.tools.delete(id);
  const { row } = open;
  const details = isObject(result) ? result : NOTHING;
  const attended = !textOf(record.entrypoint).startsWith('sdk');
  const tool = out.field.tool.get(row);
  const outcome = outcomeOf(tool, block, result, textOf(record.toolDenialKind), attended);
  out.field.status.set(row, outcome.status);
  out.field.error.set(row, outcome.error);
  // What was refused never ran: until then it waited for the person.
  if (outcome.status === 'denied') out.flag(row, Flag.waits);
  close(context, row, outcome.late === true ? chain.seen : context.time, details);
  const agent = textOf(details.agentId);
  if (agent !== '') {
    out.spawnedId.set(row, agent);
    if (out.spawnedType.get(row) === '') out.spawnedType.set(row, textOf(details.agentType));
  }
  if (details.isAsync === true || details.status === 'async_launched' || textOf(details.backgroundTaskId) !== '') {
    out.flag(row, Flag.background);
  }
  if (out.has(row, Flag.background)) remember(state.background, id, row);
  if (outcome.ran) {
    for (const { kind, value } of open.touches) {
      out.touches.add(row, kind === 'write' && tool === 'Write' && details.type === 'create' ? 'create' : kind, value);
    }
  }
  if (out.texts.wants('result')) out.texts.put('result', row, plainText(block.content));
}

/**
 * The end of a tool call is its result; where the tool tells how long it ran, what came before was a queue or a wait
 * for permission and the start moves up.
 */
function close(context: Context, row: number, end: number, details: Obj): void {
  const { out } = context;
  const start = out.start.get(row);
  if (end <= start) return;
  out.end.set(row, end);
  const ran =
    countOf(details.durationMs) * 1000 ||
    countOf(details.totalDurationMs) * 1000 ||
    Math.floor(positive(details.durationSeconds) * 1e6);
  if (ran > 0 && start > 0 && ran < end - start) out.start.set(row, end - ran);
}

function positive(value: unknown): number {
  return typeof value === 'number' && value > 0 && value < 1e9 ? value : 0;
}

/** A notification that a background call failed: its result row could not know. */
export function backgroundEnded(context: Context, notification: string): void {
  const head = notification.slice(0, 4096);
  const id = /<tool-use-id>([^<]{1,120})<\/tool-use-id>/.exec(head)?.[1] ?? '';
  const row = recall(context.state.background, id) ?? NO_ROW;
  if (row === NO_ROW) return;
  const { status, error } = context.out.field;
  switch (/<status>([a-z_]{1,20})<\/status>/.exec(head)?.[1]) {
    case 'failed':
      status.set(row, 'error');
      error.set(row, exitClass(/exit code (\d{1,5})/.exec(head)?.[1]));
      break;
    case 'killed':
    case 'stopped':
      status.set(row, 'interrupted');
      error.set(row, 'interrupted');
      break;
    default:
  }
}

function exitClass(code: string | undefined): string {
  return code === undefined ? 'background-failed' : `exit-${code}`;
}
