import { StringColumn } from '../../trace/columns.ts';
import { Flag } from '../../trace/flags.ts';
import { Kind, NO_ROW } from '../../trace/kinds.ts';
import type { Operations } from '../../trace/operations.ts';
import { CATEGORIES, type Category } from './categories.ts';
import { commandCategory, saysNothing } from './commands.ts';
import { categoryOfName } from './tools.ts';

/**
 * What one tool call does. `command` is its field of that name ('' where it has none); `mcpServer` its server ('' for
 * the agent's own tools).
 */
export function toolCategory(tool: string, command: string, mcpServer: string): Category {
  if (mcpServer !== '' || tool.startsWith('mcp__')) return 'other';
  const named = categoryOfName(tool);
  if (named === undefined) return command === '' ? 'other' : commandCategory(command);
  return named === 'run' && command !== '' ? commandCategory(command) : named;
}

/**
 * One value a call row: `llm/edit` and so on. Absent for other rows, and for calls of an operation file that name no
 * tool: what they did is for that file to say. Needs effects attached, see `writesFiles`.
 */
export function callKinds(ops: Operations): StringColumn {
  if (!ops.hasKind(Kind.call)) return new StringColumn();
  const writing = writesFiles(ops);
  const best = new Uint8Array(ops.length).fill(NO_TOOL);
  const ranks = new Ranks(ops);
  const { cells: kinds } = ops.kind;
  for (let row = 0; row < ops.length; row++) {
    if (kinds[row] !== Kind.tool) continue;
    const call = callAbove(ops, row);
    if (call === NO_ROW) continue;
    const rank = ranks.of(row, writing[row] === 1);
    if (rank < (best[call] as number)) best[call] = rank;
  }
  const column = new StringColumn();
  const codes = new Map<Category, number>();
  for (let row = 0; row < ops.length; row++) {
    if (kinds[row] !== Kind.call || (best[row] === NO_TOOL && ops.has(row, Flag.given))) continue;
    const kind = kindOf(ops, row, best[row] as number);
    let code = codes.get(kind);
    if (code === undefined) codes.set(kind, (code = column.code(`llm/${kind}`)));
    column.setCode(row, code);
  }
  return column;
}

const NO_TOOL = CATEGORIES.length;

function kindOf(ops: Operations, row: number, best: number): Category {
  const flags = ops.flags.get(row);
  if ((flags & Flag.compaction) !== 0) return 'compact';
  if (best !== NO_TOOL) return CATEGORIES[best] as Category;
  return (flags & (Flag.usageOnly | Flag.inferred)) !== 0 ? 'usage' : 'analysis';
}

function callAbove(ops: Operations, tool: number): number {
  const { cells: kinds } = ops.kind;
  const { cells: parents } = ops.parent;
  // A parent is a row plus one, and 0 where there is none.
  let above = parents[tool] ?? 0;
  while (above !== 0 && kinds[above - 1] === Kind.tool) above = parents[above - 1] ?? 0;
  return above !== 0 && kinds[above - 1] === Kind.call ? above - 1 : NO_ROW;
}

/** 1 for each tool row with an effect that changes a file: tells `sed -i` and `cat > file` from reading. */
function writesFiles(ops: Operations): Uint8Array {
  const writes = new Uint8Array(ops.length);
  const { effect } = ops.field;
  const { codes } = effect;
  const read = effect.find('read');
  const { cells: kinds } = ops.kind;
  const { cells: parents } = ops.parent;
  for (let row = 0; row < codes.length; row++) {
    const code = codes[row] as number;
    if (code === 0 || code === read || kinds[row] !== Kind.effect) continue;
    const parent = parents[row] ?? 0;
    if (parent !== 0) writes[parent - 1] = 1;
  }
  return writes;
}

/** Ranks of tool rows in CATEGORIES, worked out once for each pair of tool and command. */
class Ranks {
  private readonly ops: Operations;
  private readonly known = new Map<number, number>();

  constructor(ops: Operations) {
    this.ops = ops;
  }

  of(row: number, writes: boolean): number {
    const { tool, command, mcp_server: server } = this.ops.field;
    const key =
      ((tool.codeAt(row) * 0x1000000 + command.codeAt(row)) * 2 + (writes ? 1 : 0)) * 2 +
      (server.codeAt(row) === 0 ? 0 : 1);
    let rank = this.known.get(key);
    if (rank === undefined) {
      rank = CATEGORIES.indexOf(withEffects(tool.get(row), command.get(row), server.get(row), writes));
      this.known.set(key, rank);
    }
    return rank;
  }
}

function withEffects(tool: string, command: string, server: string, writes: boolean): Category {
  const category = toolCategory(tool, command, server);
  const mayWrite = category === 'read' || (category === 'run' && saysNothing(command));
  return writes && mayWrite ? 'edit' : category;
}
