import { Flag } from '../../trace/flags.ts';
import { Kind } from '../../trace/kinds.ts';
import { modelItem, noteResult } from './calls.ts';
import { type Fields, fieldsOf, parsedFields, textOf } from './fields.ts';
import { failure, type Outcome, outcomeOf, processName, reportedOutcome, resultText } from './outcome.ts';
import { changedFiles } from './patch.ts';
import { addRow, type OpenTool, occurrence, originOf, type Reading, setEnd } from './state.ts';
import { emitPatch, readArguments } from './touching.ts';

/** Tools that wait for other agents, whose time that is, or for the person. */
const WAITS: ReadonlySet<string> = new Set(['wait_agent', 'request_user_input', 'ask_user_question']);

interface Asked {
  callId: string;
  name: string;
  namespace: string;
  /** As written: JSON, a patch, a script. */
  text: string;
  /** Parsed, where they are JSON. */
  args: Fields | undefined;
  /** It has no result row of its own: the answer's server ran it. */
  complete: boolean;
}

/** function_call, custom_tool_call, local_shell_call and the server's own tools. */
export function readToolCall(reading: Reading, payload: Fields): void {
  const call = askedOf(payload);
  if (call) startTool(reading, call, payload);
}

function askedOf(payload: Fields): Asked | undefined {
  const callId = textOf(payload.call_id) || textOf(payload.id);
  switch (payload.type) {
    case 'function_call': {
      const text = argumentText(payload.arguments);
      return asked(callId, textOf(payload.name), textOf(payload.namespace), text, parsedFields(text));
    }
    case 'custom_tool_call':
      return asked(callId, textOf(payload.name), textOf(payload.namespace), argumentText(payload.input), undefined);
    case 'local_shell_call':
      return asked(callId, 'local_shell', '', argumentText(payload.action), fieldsOf(payload.action));
    case 'tool_search_call':
      return asked(callId, 'tool_search', '', argumentText(payload.arguments), undefined);
    case 'web_search_call':
      return asked(callId, 'web_search', '', argumentText(payload.action), fieldsOf(payload.action), true);
    case 'image_generation_call':
      return asked(callId, 'image_generation', '', '', undefined, true);
    default:
      return undefined;
  }
}

function asked(
  callId: string,
  name: string,
  namespace: string,
  text: string,
  args: Fields | undefined,
  complete = false,
): Asked {
  return { callId, name, namespace, text, args, complete };
}

function argumentText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined ? '' : JSON.stringify(value);
}

function startTool(reading: Reading, { callId, name, namespace, text, args, complete }: Asked, payload: Fields): void {
  const { out, state } = reading;
  const known = callId !== '' && !complete ? state.tools.get(callId) : undefined;
  if (known && !known.answered) {
    reading.ledger.repeatedRows++;
    return;
  }
  const call = modelItem(reading);
  const row = addRow(reading, Kind.tool, call);
  if (state.call) state.call.tools++;
  const id = callId !== '' ? callId : `${name} ${occurrence(state, `t|${name}`)}`;
  out.setKey(row, `${originOf(state)}|t|${id}`);
  out.setArgs(row, text);
  nameTool(reading, row, namespace.startsWith('mcp__') ? joined(namespace, name) : name);
  // `wait` is for agents as well, unless it names the cell of a script.
  if (WAITS.has(name) || (name === 'wait' && args && !('cell_id' in args))) out.flag(row, Flag.waits);
  const tool: OpenTool = {
    row,
    name: name,
    ended: false,
    answered: false,
    background: false,
    process: processOf(args),
    patch: [],
  };
  readArguments(reading, tool, text, args);
  if (complete) {
    if (payload.status === 'failed') setOutcome(reading, tool, failure('tool-error'));
    return;
  }
  out.field.status.set(row, 'unanswered');
  if (name === 'exec') state.script = id;
  state.tools.set(id, tool);
}

/** Names of MCP tools are `mcp__server__tool`, whether the version splits them or not. */
function nameTool(reading: Reading, row: number, name: string): void {
  const { out } = reading;
  out.field.tool.set(row, name === '' ? 'unknown' : name);
  const server = name.startsWith('mcp__') ? /^mcp__(.+?)__./.exec(name)?.[1] : undefined;
  if (server !== undefined) out.field.mcp_server.set(row, server);
}

function joined(namespace: string, name: string): string {
  return name.startsWith(`${namespace}__`) ? name : `${namespace}${namespace.endsWith('__') ? '' : '__'}${name}`;
}

/** The running command that write_stdin or wait speaks to. */
function processOf(args: Fields | undefined): string {
  const session = args?.session_id;
  if (typeof session === 'number' || typeof session === 'string') return processName('session', String(session));
  const cell = args?.cell_id;
  return typeof cell === 'number' || typeof cell === 'string' ? processName('cell', String(cell)) : '';
}

/** A result row: function_call_output and its kin. */
export function readToolResult(reading: Reading, payload: Fields): void {
  const { out, state } = reading;
  noteResult(reading);
  const id = textOf(payload.call_id);
  const tool = state.tools.get(id);
  if (!tool) return;
  const outcome = outcomeOf(payload.output);
  if (!tool.ended) setEnd(reading, tool.row, reading.at);
  if (tool.answered) return;
  tool.answered = true;
  tool.ended = true;
  if (id === state.script) state.script = '';
  if (outcome.running !== '' && tool.process === '') {
    tool.background = true;
    out.flag(tool.row, Flag.background);
    state.processes.set(outcome.running, tool.row);
  }
  settleOutcome(reading, tool, outcome);
  if (outcome.status === '') emitPatch(reading, tool);
  if (tool.name === 'spawn_agent') noteSpawn(reading, tool, spawnedIn(payload.output));
  if (out.texts.wants('result')) out.texts.put('result', tool.row, resultText(payload.output));
  placeInBatch(reading, tool, outcome);
}

/** What a later call learns of an earlier command counts for that command, once. */
function settleOutcome(reading: Reading, tool: OpenTool, outcome: Outcome): void {
  const { state } = reading;
  const command = tool.process === '' ? undefined : state.processes.get(tool.process);
  if (command === undefined || command === tool.row || !outcome.error.startsWith('exit-')) {
    setOutcome(reading, tool, outcome);
  } else {
    setOutcome(reading, tool, { ...outcome, status: '', error: '' });
    setRowOutcome(reading, command, outcome);
  }
  if (outcome.running === '' && tool.process !== '') state.processes.delete(tool.process);
}

function setOutcome(reading: Reading, tool: OpenTool, outcome: Outcome): void {
  setRowOutcome(reading, tool.row, outcome);
}

const WEIGHT: Readonly<Record<string, number>> = { unanswered: 0, '': 1, error: 2, denied: 3, interrupted: 4 };

/** Two rows tell of one end: the graver word stays (a command killed by an interruption also has an exit code). */
function setRowOutcome(reading: Reading, row: number, outcome: Outcome): void {
  const { status, error } = reading.out.field;
  const before = status.get(row);
  if ((WEIGHT[outcome.status] ?? 0) < (WEIGHT[before] ?? 0)) return;
  if (before === outcome.status && error.get(row) !== '') return;
  status.set(row, outcome.status);
  error.set(row, outcome.error);
}

/** An event or item that tells the end of a tool call; in parallel batches it is the real end, results wait. */
export function readToolEnd(reading: Reading, id: string, report: Fields): void {
  const { out, state } = reading;
  const patch = 'changes' in report;
  const own = state.tools.get(id);
  const tool = own ?? state.tools.get(state.script);
  if (!tool) return;
  const outcome = reportedOutcome(report, patch);
  if (patch && outcome?.status === '') {
    tool.patch = changedFiles(report.changes);
    emitPatch(reading, tool);
  }
  if (!own) return;
  if (!tool.ended) {
    tool.ended = true;
    setEnd(reading, tool.row, reading.at);
  }
  if (outcome) setOutcome(reading, tool, outcome);
  const invocation = fieldsOf(report.invocation) ?? report;
  const server = textOf(invocation.server);
  if (server !== '' && textOf(invocation.tool) !== '') {
    out.field.tool.set(tool.row, `mcp__${server}__${textOf(invocation.tool)}`);
    out.field.mcp_server.set(tool.row, server);
  }
}

/** The thread that a spawn_agent call started, from whichever row tells it. */
export function noteSpawn(reading: Reading, tool: OpenTool | undefined, thread: string): void {
  if (!tool || thread === '' || tool.name !== 'spawn_agent') return;
  reading.out.spawnedId.set(tool.row, thread);
  reading.out.flag(tool.row, Flag.background);
}

export function toolOf(reading: Reading, id: string): OpenTool | undefined {
  return reading.state.tools.get(id);
}

function spawnedIn(output: unknown): string {
  return textOf(parsedFields(resultText(output))?.agent_id);
}

/**
 * 0.39 writes call and result together after all tools of the answer ran, one after the other; the result tells
 * how long each took. They are laid back to back before the moment they were written.
 */
function placeInBatch(reading: Reading, tool: OpenTool, outcome: Outcome): void {
  const { out, state, at } = reading;
  const { call } = state;
  if (!call || outcome.seconds === undefined || out.start.get(tool.row) !== at || out.has(tool.row, Flag.replayed))
    return;
  if (!call.filled || call.toolsAtFill > 0 || out.parentOf(tool.row) !== call.row) return;
  const span = Math.round(outcome.seconds * 1e6);
  const earliest = out.start.get(call.row);
  const back = (micros: number) => Math.max(earliest, micros - span);
  if (call.batch.length > 0 && out.end.get(call.batch.at(-1) as number) !== at) call.batch = [];
  for (const row of call.batch) {
    out.start.set(row, back(out.start.get(row)));
    out.end.set(row, back(out.end.get(row)));
  }
  out.start.set(tool.row, back(at));
  out.end.set(tool.row, at);
  call.batch.push(tool.row);
  const first = out.start.get(call.batch[0] as number);
  if (out.end.get(call.row) > first) out.end.set(call.row, Math.max(earliest, first));
}
