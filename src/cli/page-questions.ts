import { framesOf } from '../profile/cells.ts';
import { placements, type Shown } from '../profile/fold.ts';
import { columnOf, stackColumns } from '../profile/stack-spec.ts';
import { rowsByRoot, type Timeline, timelineOf } from '../profile/timelines.ts';
import { evidenceOf } from '../sources/evidence.ts';
import { UsageError } from '../trace/usage-error.ts';
import type { History } from './history.ts';

/** What a served page asks for beyond its cells: the operations under a frame, and any session over time. */
export interface PageQuestions {
  operations(query: OperationsQuery): OperationsAnswer;
  /** By the pseudonym of any of its sessions. */
  timeline(session: string): Timeline | undefined;
}

/** What a page shows: a stack, the path of a frame in it, what is filtered, and which part of the answer is wanted. */
export interface OperationsQuery {
  readonly stack: readonly string[];
  readonly path: readonly { readonly kind: string; readonly value: string }[];
  /** Days, inclusive; '' for no bound. */
  readonly from: string;
  readonly to: string;
  /** Values to keep, by dimension. */
  readonly only: Readonly<Record<string, readonly string[]>>;
  /** Pseudonym of a session; '' for all. */
  readonly session: string;
  readonly offset: number;
  readonly limit: number;
}

export interface OperationsAnswer {
  readonly schema: 'agentpprof.operations/1';
  readonly total: number;
  readonly operations: readonly OperationShown[];
}

export interface OperationShown {
  readonly session: string;
  /** Milliseconds since the epoch; 0 where unknown. */
  readonly start: number;
  readonly what: readonly string[];
  readonly file: number;
  readonly offset: number;
  readonly bytes: number;
  readonly preview?: string;
}

const SAID = ['prompt', 'call', 'model', 'tool', 'command', 'effect', 'file', 'domain', 'status', 'error'] as const;
/** Of a recorded line, in characters. */
const LONGEST_PREVIEW = 300;

/** `rows` in the order of the files; nothing but what `shown` gives leaves. */
export function pageQuestions(history: History, rows: Uint32Array, shown: Shown, previews: boolean): PageQuestions {
  const { trace } = history;
  const { ops } = trace;
  const columns = new Map<string, (row: number) => string>();
  /** The value of a field of a row, as it may be shown; a list is joined as in a cell. */
  const said = (name: string): ((row: number) => string) => {
    let of = columns.get(name);
    if (!of) {
      const column = columnOf(trace, name);
      const known = new Map<number, string>();
      columns.set(
        name,
        (of = row => {
          const code = column.code(row);
          let value = known.get(code);
          if (value === undefined) {
            const frames = framesOf(column.values[code] as string);
            known.set(code, (value = frames.map(frame => shown(name, frame)).join(' › ')));
          }
          return value;
        }),
      );
    }
    return of;
  };
  /** The last answer: a person pages through one list before asking for another. */
  let last: { readonly key: string; readonly rows: readonly number[] } | undefined;
  const find = (query: OperationsQuery): readonly number[] => {
    const { offset: _, limit: __, ...what } = query;
    const key = JSON.stringify(what);
    if (last?.key !== key) last = { key, rows: rowsUnder(history, rows, shown, said, query) };
    return last.rows;
  };
  const groups = rowsByRoot(trace, rows);
  const of = timelineOf(trace, shown);
  let roots: Map<string, number> | undefined;
  return {
    operations: query => {
      const found = find(query);
      const operations = found.slice(query.offset, query.offset + query.limit).map((row): OperationShown => {
        const [file, offset, bytes] = [ops.file.get(row), ops.offset.get(row), ops.bytes.get(row)];
        return {
          session: said('session')(row),
          start: Math.floor(ops.start.get(row) / 1000),
          what: SAID.map(name => said(name)(row)).filter(value => value !== ''),
          file: ops.fileRank[file] ?? file,
          offset,
          bytes,
          ...(previews ? { preview: previewOf(history, row) } : {}),
        };
      });
      return { schema: 'agentpprof.operations/1', total: found.length, operations };
    },
    timeline: session => {
      roots ??= new Map(
        ops.sessions.all.map((each, at) => [shown('session', each.id), trace.links.root[at] as number]),
      );
      const root = roots.get(session);
      const group = root === undefined ? undefined : groups.get(root);
      return root === undefined || !group ? undefined : of(root, group);
    },
  };
}

/** A recorded line, secrets replaced, as far as it is shown; '' where the file is gone. */
export function previewOf(history: History, row: number): string {
  const { ops } = history.trace;
  const file = history.histories.discovery.files[ops.file.get(row)];
  try {
    if (file === undefined) return '';
    return history.redactor.text(evidenceOf(file, ops.offset.get(row), ops.bytes.get(row))).slice(0, LONGEST_PREVIEW);
  } catch {
    return '';
  }
}

/** Rows with a portion under the path, in the order given. */
function rowsUnder(
  { trace }: History,
  rows: Uint32Array,
  shown: Shown,
  said: (name: string) => (row: number) => string,
  query: OperationsQuery,
): number[] {
  const { from, to } = query;
  const names = new Set(trace.names());
  for (const name of Object.keys(query.only))
    if (!names.has(name)) throw new UsageError(`only: there is no field ${JSON.stringify(name)}.`);
  const only = Object.entries(query.only).map(([name, values]) => [said(name), new Set(values)] as const);
  const day = said('day');
  const session = query.session === '' ? undefined : said('session');
  const kept = rows.filter(row => {
    if (session && session(row) !== query.session) return false;
    const at = from === '' && to === '' ? '' : day(row);
    if ((from !== '' || to !== '') && (at === '' || (from !== '' && at < from) || (to !== '' && at > to))) return false;
    return only.every(([value, values]) => values.has(value(row)));
  });
  const placed: { readonly row: number; readonly node: number }[] = [];
  const stacks = placements(trace, kept, stackColumns(trace, query.stack, 'stack'), (row, node, values) => {
    if (values.some(value => value !== 0)) placed.push({ row, node });
  });
  /** Whether the path down to a node begins with the one asked for, by node. */
  const known: (boolean | undefined)[] = [];
  const under = (node: number): boolean => {
    let is = known[node];
    if (is === undefined) {
      const path: number[] = [];
      for (let at = node; at !== 0; at = stacks.parentOf(at)) path.push(stacks.frameOf(at));
      path.reverse();
      is = known[node] = query.path.every(({ kind, value }, at) => {
        const frame = stacks.frames[path[at] ?? -1];
        return frame !== undefined && frame.kind === kind && shown(kind, frame.value) === value;
      });
    }
    return is;
  };
  const found: number[] = [];
  for (const { row, node } of placed) if (found.at(-1) !== row && under(node)) found.push(row);
  return found;
}
