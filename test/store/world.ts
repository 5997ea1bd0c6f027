import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Tagging } from '../../src/cli/tags.ts';
import { loadPriceTable } from '../../src/money/price.ts';
import { redactorFor } from '../../src/privacy/redact.ts';
import { discover } from '../../src/sources/discover.ts';
import type { SearchPlan } from '../../src/sources/find.ts';
import { READERS } from '../../src/sources/registry.ts';
import { priced } from '../../src/store/costs.ts';
import type { StoredHistory } from '../../src/store/history.ts';
import { Store } from '../../src/store/store.ts';
import type { Trace } from '../../src/trace/trace.ts';

/** A home with histories, and a cache and an archive that belong to it. */
export interface World {
  readonly path: string;
  readonly home: string;
  readonly cache: string;
  readonly archive: string;
  /** Writes a file below the home. */
  write(relative: string, content: string | Uint8Array): string;
  remove(): void;
}

export function world(name: string): World {
  const path = mkdtempSync(join(tmpdir(), `agentpprof-${name}-`));
  const home = join(path, 'home');
  mkdirSync(home);
  return {
    path,
    home,
    cache: join(path, 'cache', 'agentpprof'),
    archive: join(path, 'data', 'agentpprof', 'archive'),
    write(relative, content) {
      const file = join(home, relative);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      return file;
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

export function planOf({ home, archive }: World, changes: Partial<SearchPlan> = {}): SearchPlan {
  return { homes: [{ path: home, env: {} }], sessionFiles: [], sessionDirs: [], agents: [], archive, ...changes };
}

export interface Read {
  readonly stored: StoredHistory;
  readonly store: Store;
  /** Files of which bytes were read, by the path at which they go. */
  readonly opened: number;
  readonly problems: number;
  /** Everything a command could look at, as plain values by column and row. */
  readonly dump: Dump;
}

export type Dump = Readonly<Record<string, readonly unknown[]>>;

interface ReadOptions {
  /** Without it nothing is kept or taken from a cache. */
  readonly cache?: boolean;
  readonly plan?: Partial<SearchPlan>;
  readonly tagRule?: readonly string[];
  readonly operationFiles?: readonly string[];
}

/** What a command does up to the selection: with the world's cache, or reading everything. */
export async function read(from: World, options: ReadOptions = {}): Promise<Read> {
  const { cache = false, tagRule = [], operationFiles = [] } = options;
  const plan = planOf(from, options.plan);
  const store = new Store({ directory: cache ? from.cache : undefined, plan, readers: READERS, operationFiles });
  const tagging = await Tagging.of({ tagRule: [...tagRule], tagRules: [], opMap: [], opMapFile: [] });
  const texts = await tagging.texts(store);
  const discovery = discover(plan, READERS, operationFiles, store.verdicts);
  let opened = 0;
  const stored = await store.read(discovery, { texts, progress: () => opened++ });
  const tags = await tagging.tag(stored, { redactor: () => redactorFor([]), quiet: true, cache });
  const money = await priced(stored, undefined, () => loadPriceTable());
  stored.trace.cost = money.cost;
  stored.save();
  const said = {
    tags: { ...tags, samples: tags.samples(5) },
    money: money.summary,
    priced: money.priced,
    problems: discovery.problems,
  };
  return {
    stored,
    store,
    opened,
    problems: discovery.problems.length,
    dump: {
      ...dumpOf(stored.trace),
      ledgers: [...stored.histories.ledgers],
      said: Object.entries(said),
      costs: costs(money.cost, stored),
    },
  };
}

function costs(cost: object, { trace }: StoredHistory): unknown[] {
  return Object.entries(cost).map(([name, column]) => [name, ...rowsOf(trace, row => column.get(row))]);
}

function rowsOf<T>({ ops }: Trace, value: (row: number) => T): T[] {
  return Array.from({ length: ops.length }, (_, row) => value(row));
}

/** Numbers as they are, strings without their codes: two histories are equal if their dumps are. */
export function dumpOf(trace: Trace): Dump {
  const { ops, links, times } = trace;
  const dump: Record<string, unknown[]> = {};
  const { numbers, strings } = ops.columns();
  for (const [name, column] of numbers) dump[name] = rowsOf(trace, row => column.get(row));
  for (const [name, column] of strings) {
    if (!name.startsWith('free.') || ops.free.has(name.slice(5))) dump[name] = rowsOf(trace, row => column.get(row));
  }
  for (const name of ['turn', 'prompt', 'call', 'tool'] as const)
    dump[`links.${name}`] = rowsOf(trace, row => links[name][row]);
  for (const name of ['spawn', 'root', 'depth'] as const)
    dump[`links.${name}`] = ops.sessions.all.map((_, at) => links[name][at]);
  dump.time = rowsOf(trace, row => times.time.get(row));
  dump.idle = ops.sessions.all.map((_, at) => times.idle[at]);
  dump.sessions = ops.sessions.all.map(({ labels: _, ...session }) => session);
  dump.names = trace.names();
  for (const name of ['prompt', 'call', 'turn']) dump[`field.${name}`] = rowsOf(trace, row => trace.value(name, row));
  for (const kind of ops.texts.kinds()) dump[`text.${kind}`] = rowsOf(trace, row => ops.texts.get(kind, row));
  return dump;
}

/** Where two dumps differ, a line each; empty if they are equal. */
export function differences(expected: Dump, actual: Dump): string[] {
  const lines: string[] = [];
  for (const name of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const [a, b] = [expected[name] ?? [], actual[name] ?? []];
    if (a.length !== b.length) lines.push(`${name}: ${a.length} instead of ${b.length} values`);
    for (let at = 0; at < Math.max(a.length, b.length); at++) {
      const [x, y] = [text(a[at]), text(b[at])];
      if (x === y) continue;
      lines.push(`${name}[${at}]: ${x} became ${y}`.slice(0, 2000));
      break;
    }
  }
  return lines;
}

function text(value: unknown): string {
  return (
    JSON.stringify(value, (_, each) => {
      if (typeof each === 'bigint') return `${each}n`;
      if (each instanceof Map) return Object.fromEntries(each);
      return each !== null && typeof each === 'object' && !Array.isArray(each)
        ? Object.fromEntries(Object.entries(each).sort())
        : each;
    }) ?? 'nothing'
  );
}
