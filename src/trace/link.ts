import { dedupe, rowNumbers, rowsWithKeys } from './dedupe.ts';
import { Flag } from './flags.ts';
import { hashKey, keyText } from './keys.ts';
import { Kind, NO_ROW } from './kinds.ts';
import type { Operations } from './operations.ts';

/**
 * The tree over all files: which turn, call and tool call each row belongs to, and which tool call spawned each
 * subagent. All arrays have one entry a row (or a session) and hold rows or NO_ROW.
 */
export interface Links {
  /** The row that opened the turn inside the row's own session: a prompt, or an event that opens a turn. */
  readonly turn: Uint32Array;
  /** What a person asked that led to the row: the turn of the main session, also for all work of its subagents. */
  readonly prompt: Uint32Array;
  /** The call that a tool call or effect belongs to; a call itself; else the row itself. */
  readonly call: Uint32Array;
  /** The tool call that an effect belongs to; every other row itself. */
  readonly tool: Uint32Array;
  /** By session: the tool call that spawned it; NO_ROW for main sessions and unlinked subagents. */
  readonly spawn: Uint32Array;
  /** By session: the main session at the top of its chain of parents. */
  readonly root: Uint32Array;
  /** By session: how many parents it has. */
  readonly depth: Uint8Array;
  /** Sessions that name a parent of which nothing was found. */
  readonly orphans: number;
}

/** Chains of subagents deeper than this are cut; a cycle of parents ends here too. */
const MAX_DEPTH = 64;

export function link(ops: Operations): Links {
  const { survivor, hasCopies } = dedupe(ops);
  const { cells: parents } = ops.parent;
  for (let row = 0; hasCopies && row < ops.length; row++) {
    const parent = (parents[row] ?? 0) - 1;
    if (parent >= 0 && survivor[parent] !== parent) ops.setParent(row, survivor[parent] as number);
  }
  const turn = turns(ops, survivor);
  const above = parentSessions(ops);
  const spawn = spawns(ops, above);
  nameSubagents(ops, spawn);
  const { root, depth } = roots(ops, above, spawn);
  const { call, tool } = owners(ops);
  return {
    turn,
    prompt: prompts(ops, turn, above, spawn, depth),
    call,
    tool,
    spawn,
    root,
    depth,
    orphans: orphans(ops, above),
  };
}

/** Links of the same sessions with more rows: effects under tool calls that are linked already. */
export function withAppended(ops: Operations, links: Links): Links {
  const longer = (old: Uint32Array, ofTool: (tool: number) => number): Uint32Array => {
    const rows = new Uint32Array(ops.length);
    rows.set(old);
    for (let row = old.length; row < ops.length; row++) rows[row] = ofTool(ops.parentOf(row));
    return rows;
  };
  const { turn, prompt, call } = links;
  return {
    turn: longer(turn, tool => turn[tool] as number),
    prompt: longer(prompt, tool => prompt[tool] as number),
    call: longer(call, tool => call[tool] as number),
    tool: longer(links.tool, tool => tool),
    spawn: links.spawn,
    root: links.root,
    depth: links.depth,
    orphans: links.orphans,
  };
}

function opensTurn(ops: Operations, row: number): boolean {
  const kind = ops.kind.get(row);
  return kind === Kind.prompt || (kind === Kind.event && ops.has(row, Flag.opensTurn));
}

function turns(ops: Operations, survivor: Uint32Array): Uint32Array {
  const turn = new Uint32Array(ops.length).fill(NO_ROW);
  if (!ops.hasKind(Kind.prompt) && !ops.hasKind(Kind.event)) return turn;
  const open = new Uint32Array(ops.sessions.all.length).fill(NO_ROW);
  const opens = turnOpeners(ops);
  const { cells: sessions } = ops.session;
  const { cells: parents } = ops.parent;
  for (let row = 0; row < ops.length; row++) {
    const session = sessions[row] ?? 0;
    if (opens[row] === 1) open[session] = turn[row] = survivor[row] as number;
    else {
      const parent = (parents[row] ?? 0) - 1;
      if (parent < 0) turn[row] = open[session] as number;
      else if (opens[parent] === 1) turn[row] = parent;
      else turn[row] = parent < row ? (turn[parent] as number) : (open[session] as number);
    }
  }
  return turn;
}

/** 1 for rows that open a turn. */
function turnOpeners(ops: Operations): Uint8Array {
  const opens = new Uint8Array(ops.length);
  const { cells: kinds } = ops.kind;
  const { cells: flags } = ops.flags;
  for (let row = 0; row < ops.length; row++) {
    const kind = kinds[row] ?? 0;
    if (kind === Kind.prompt || (kind === Kind.event && ((flags[row] ?? 0) & Flag.opensTurn) !== 0)) opens[row] = 1;
  }
  return opens;
}

function parentSessions(ops: Operations): Uint32Array {
  return Uint32Array.from(ops.sessions.all, session =>
    session.parent === undefined ? NO_ROW : (ops.sessions.find(session.agent, session.parent) ?? NO_ROW),
  );
}

function orphans(ops: Operations, parents: Uint32Array): number {
  let count = 0;
  ops.sessions.all.forEach((session, at) => {
    if (session.parent !== undefined && parents[at] === NO_ROW) count++;
  });
  return count;
}

/** The spawning tool call, by what the agent recorded, best first: the call's id, the subagent's id, its prompt. */
function spawns(ops: Operations, parents: Uint32Array): Uint32Array {
  const sessions = ops.sessions.all;
  const spawn = new Uint32Array(sessions.length).fill(NO_ROW);
  if (!sessions.some(session => session.parent !== undefined)) return spawn;
  const byCall = rowsWithKeys(
    ops,
    Kind.tool,
    sessions.flatMap(session => (session.spawnCall === undefined ? [] : [hashKey(session.spawnCall)])),
  );
  const byId = new Map<string, number>();
  const byPrompt = new Map<string, number[]>();
  for (const row of spawningRows(ops)) {
    const session = ops.session.get(row);
    const id = ops.spawnedId.get(row);
    if (id !== '') byId.set(`${sessions[session]?.agent}\u0000${id}`, row);
    if (ops.spawnedPrompt.has(row)) {
      const name = `${session} ${keyText(ops.spawnedPrompt.high[row] ?? 0, ops.spawnedPrompt.low[row] ?? 0)}`;
      const list = byPrompt.get(name);
      if (list) list.push(row);
      else byPrompt.set(name, [row]);
    }
  }
  const claimed = new Set<number>();
  sessions.forEach((session, at) => {
    if (session.parent === undefined) return;
    let row = NO_ROW;
    if (session.spawnCall !== undefined) row = byCall(session.agent, hashKey(session.spawnCall));
    if (row === NO_ROW) row = byId.get(`${session.agent}\u0000${session.id}`) ?? NO_ROW;
    if (row !== NO_ROW) claimed.add((spawn[at] = row));
  });
  sessions.forEach((session, at) => {
    if (session.parent === undefined || spawn[at] !== NO_ROW || session.spawnPrompt === undefined) return;
    const name = `${parents[at]} ${keyText(session.spawnPrompt.high, session.spawnPrompt.low)}`;
    const row = byPrompt.get(name)?.find(candidate => !claimed.has(candidate));
    if (row !== undefined) claimed.add((spawn[at] = row));
  });
  return spawn;
}

/** Tool calls, copies left out, that tell the id or the prompt of the session they spawned. */
function spawningRows(ops: Operations): number[] {
  const rows: number[] = [];
  const { cells: kinds } = ops.kind;
  const { codes: ids } = ops.spawnedId;
  const { high, low } = ops.spawnedPrompt;
  const end = Math.min(ops.length, Math.max(ids.length, high.length, low.length));
  for (let row = 0; row < end; row++)
    if (((ids[row] ?? 0) | (high[row] ?? 0) | (low[row] ?? 0)) !== 0 && kinds[row] === Kind.tool) rows.push(row);
  return rows.filter(row => !ops.has(row, Flag.copy));
}

/** A subagent whose file does not say its kind has the kind that the spawning call asked for. */
function nameSubagents(ops: Operations, spawn: Uint32Array): void {
  ops.sessions.all.forEach((session, at) => {
    const row = spawn[at] as number;
    if (row === NO_ROW || session.subagent) return;
    const type = ops.spawnedType.get(row);
    if (type !== '') session.subagent = type;
  });
}

function roots(ops: Operations, parents: Uint32Array, spawn: Uint32Array): { root: Uint32Array; depth: Uint8Array } {
  const count = ops.sessions.all.length;
  const root = new Uint32Array(count);
  const depth = new Uint8Array(count);
  for (let session = 0; session < count; session++) {
    let at = session;
    let steps = 0;
    for (; steps < MAX_DEPTH; steps++) {
      const row = spawn[at] as number;
      const up = row !== NO_ROW ? ops.session.get(row) : (parents[at] as number);
      if (up === NO_ROW || up === at) break;
      at = up;
    }
    // A cycle of parents has no top: its smallest member stands for it, whichever member one starts from.
    root[session] = steps === MAX_DEPTH ? smallestOfCycle(at, parents) : at;
    depth[session] = steps === MAX_DEPTH ? 0 : steps;
    if (steps === MAX_DEPTH) spawn[session] = NO_ROW;
  }
  return { root, depth };
}

function smallestOfCycle(from: number, parents: Uint32Array): number {
  let smallest = from;
  for (
    let at = parents[from] as number, i = 0;
    at !== from && at !== NO_ROW && i < MAX_DEPTH;
    at = parents[at] as number, i++
  ) {
    if (at < smallest) smallest = at;
  }
  return smallest;
}

function owners(ops: Operations): { call: Uint32Array; tool: Uint32Array } {
  const call = rowNumbers(ops.length);
  const tool = call.slice();
  const effects: number[] = [];
  const { cells: kinds } = ops.kind;
  const { cells: parents } = ops.parent;
  const rows = Math.min(kinds.length, parents.length, ops.length);
  for (let row = 0; row < rows; row++) {
    const parent = (parents[row] as number) - 1;
    if (parent < 0) continue;
    const kind = kinds[row];
    const parentKind = kinds[parent];
    if (kind === Kind.effect && parentKind === Kind.tool) effects.push(row);
    else if ((kind === Kind.tool || kind === Kind.effect) && parentKind === Kind.call) call[row] = parent;
  }
  const { codes: tools } = ops.field.tool;
  for (const row of effects) {
    const parent = (parents[row] as number) - 1;
    if ((tools[row] ?? 0) === 0) tool[row] = parent;
    call[row] = call[parent] as number;
  }
  return { call, tool };
}

/** Work of a subagent belongs to the prompt of the call that spawned it; without a link, to the turn open at its start. */
function prompts(
  ops: Operations,
  turn: Uint32Array,
  parents: Uint32Array,
  spawn: Uint32Array,
  depth: Uint8Array,
): Uint32Array {
  const sessions = ops.sessions.all;
  const order = sessions.map((_, at) => at).sort((a, b) => (depth[a] as number) - (depth[b] as number));
  const outer = new Uint32Array(sessions.length).fill(NO_ROW);
  const loose = looseTurns(ops, parents, spawn);
  const { cells: sessionOf } = ops.session;
  const isNested = Uint8Array.from(sessions, ({ parent }, at) => (parent === undefined || depth[at] === 0 ? 0 : 1));
  const promptOf = (row: number): number => {
    const session = sessionOf[row] ?? 0;
    return (isNested[session] === 1 ? outer[session] : turn[row]) as number;
  };
  for (const at of order) {
    if (depth[at] === 0) continue;
    const row = spawn[at] as number;
    outer[at] = row !== NO_ROW ? promptOf(row) : (loose.get(at) ?? NO_ROW);
  }
  const prompt = turn.slice();
  if (!isNested.includes(1)) return prompt;
  for (let row = 0; row < ops.length; row++) prompt[row] = promptOf(row);
  return prompt;
}

/** For subagents that no tool call claims: the turn of the parent session that was open when they began. */
function looseTurns(ops: Operations, parents: Uint32Array, spawn: Uint32Array): Map<number, number> {
  const loose = new Map<number, number>();
  const wanted = new Map<number, number[]>();
  const first = new Map<number, number>();
  ops.sessions.all.forEach((session, at) => {
    const parent = parents[at] as number;
    if (session.parent === undefined || spawn[at] !== NO_ROW || parent === NO_ROW) return;
    wanted.set(parent, [...(wanted.get(parent) ?? []), at]);
    first.set(at, Number.MAX_SAFE_INTEGER);
  });
  if (wanted.size === 0) return loose;
  for (let row = 0; row < ops.length; row++) {
    const session = ops.session.get(row);
    const before = first.get(session);
    const start = ops.start.get(row);
    if (before !== undefined && start > 0 && start < before) first.set(session, start);
  }
  for (let row = 0; row < ops.length; row++) {
    if (!opensTurn(ops, row)) continue;
    for (const at of wanted.get(ops.session.get(row)) ?? []) {
      if (ops.start.get(row) <= (first.get(at) as number)) loose.set(at, row);
    }
  }
  return loose;
}
