import { NO_ROW } from '../trace/kinds.ts';
import type { Trace } from '../trace/trace.ts';
import type { ChainLevel } from './cells.ts';
import { type FrameColumn, LIST } from './columns.ts';
import type { Shown } from './fold.ts';
import { columnOf } from './stack-spec.ts';

/** A column of frames by the values that may be shown: values that are shown alike have one code. */
export class Dimension {
  readonly name: string;
  private readonly column: FrameColumn;
  private readonly shown: Shown;
  private readonly known: number[] = [];
  private readonly values: string[] = [''];
  private readonly index = new Map<string, number>([['', 0]]);

  constructor(column: FrameColumn, shown: Shown) {
    this.name = column.name;
    this.column = column;
    this.shown = shown;
  }

  code(row: number): number {
    const raw = this.column.code(row);
    let code = this.known[raw];
    if (code === undefined) code = this.known[raw] = this.intern(this.column.values[raw] as string);
    return code;
  }

  private intern(raw: string): number {
    const parts = raw.split(LIST).filter(part => part !== '');
    const value = parts.map(part => this.shown(this.name, part)).join(LIST);
    let code = this.index.get(value);
    if (code === undefined) this.index.set(value, (code = this.values.push(value) - 1));
    return code;
  }

  /** The values in code unit order ('' is first), and the place of each code among them. */
  sorted(): { values: string[]; rank: Uint32Array } {
    return sortedValues(this.values);
  }
}

function sortedValues(values: readonly string[]): { values: string[]; rank: Uint32Array } {
  const order = values.map((_, at) => at).sort((a, b) => ((values[a] as string) < (values[b] as string) ? -1 : 1));
  const rank = new Uint32Array(values.length);
  order.forEach((code, at) => {
    rank[code] = at;
  });
  return { values: order.map(code => values[code] as string), rank };
}

export interface Dictionaries {
  readonly chains: readonly (readonly ChainLevel[])[];
  readonly rank: Uint32Array;
}

/**
 * The chain of each subagent's session, equal chains once: for every level the task and kind of the call that led to
 * the spawning tool call, the tool, and the kind of subagent. The same frames as chain.ts puts into a stack.
 */
export function sharedChains(trace: Trace, shown: Shown): Dictionaries & { of(row: number): number } {
  const { ops, links } = trace;
  const task = columnOf(trace, 'task');
  const call = columnOf(trace, 'call');
  const said = (column: FrameColumn, row: number) => {
    const value = column.values[column.code(row)] as string;
    return value === '' ? '' : shown(column.name, value);
  };
  const levels = new Map<number, readonly ChainLevel[]>();
  const levelsOf = (session: number): readonly ChainLevel[] => {
    let chain = levels.get(session);
    if (chain) return chain;
    chain = [];
    if ((links.depth[session] as number) > 0) {
      const spawn = links.spawn[session] as number;
      const subagent = shown('subagent', ops.sessions.all[session]?.subagent || 'subagent');
      if (spawn === NO_ROW) chain = [{ task: '', call: '', tool: '', subagent }];
      else {
        const tool = ops.field.tool.get(spawn);
        const level = {
          task: said(task, spawn),
          call: said(call, spawn),
          tool: tool === '' ? '' : shown('tool', tool),
          subagent,
        };
        chain = [...levelsOf(ops.session.get(spawn)), level];
      }
    }
    levels.set(session, chain);
    return chain;
  };
  const texts = ['[]'];
  const index = new Map<string, number>([['[]', 0]]);
  const codes = ops.sessions.all.map((_, session) => {
    const text = JSON.stringify(levelsOf(session).map(level => [level.task, level.call, level.tool, level.subagent]));
    let code = index.get(text);
    if (code === undefined) index.set(text, (code = texts.push(text) - 1));
    return code;
  });
  // '[]' sorts before every other list of lists only by its length, so it is put first by hand.
  const rest = sortedValues(texts.slice(1));
  const rank = Uint32Array.from(texts, (_, code) => (code === 0 ? 0 : (rest.rank[code - 1] as number) + 1));
  const chains = ['[]', ...rest.values].map(text =>
    (JSON.parse(text) as [string, string, string, string][]).map(([task, call, tool, subagent]) => ({
      task,
      call,
      tool,
      subagent,
    })),
  );
  return { chains, rank, of: row => codes[ops.session.get(row)] ?? 0 };
}
