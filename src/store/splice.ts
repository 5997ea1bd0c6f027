import type { Discovery, FoundFile } from '../sources/find.ts';
import type { Project } from '../sources/projects.ts';
import { dropEmptyFields, ofRuns } from '../trace/blocks.ts';
import { codesBelow, Room } from '../trace/cells.ts';
import { NumberColumn, StringColumn } from '../trace/columns.ts';
import { NO_ROW } from '../trace/kinds.ts';
import type { Links } from '../trace/link.ts';
import type { Operations } from '../trace/operations.ts';
import type { Session, Sessions } from '../trace/sessions.ts';
import { Texts } from '../trace/texts.ts';
import type { Times } from '../trace/time.ts';
import { Trace } from '../trace/trace.ts';
import type { EarlierHistory } from './earlier.ts';
import type { Entry, Range, StoredLedger } from './files.ts';
import { loadLinks, loadTimes } from './links.ts';
import type { PackReader } from './pack.ts';
import type { PartColumns } from './parts.ts';
import { placesPlusOne, Side, type Stretch } from './places.ts';
import { oneByOne, unpackText } from './texts.ts';
import type { Undo } from './undo.ts';
import type { WholeFile, WholeHistory } from './whole.ts';

/**
 * An earlier history in which some families were worked out anew, put together: the rows of every file stand where one
 * reading of everything has them, and what points to rows, sessions and files points to where they stand now.
 */
export interface Spliced {
  readonly whole: WholeHistory;
  /** Columns of all, from those of an earlier run and those of the families worked out anew. */
  join(earlier: PartColumns, piece: PartColumns): PartColumns;
}

interface Source {
  readonly side: Side;
  /** The number of the file on its side. */
  readonly number: number;
  readonly file: WholeFile;
}

/** Rows of a side that stand together in the whole. */
interface SideRun extends Stretch {
  readonly side: Side;
  end: number;
}

/** `piece` has all files of `discovery` that are not as they were, and the families of these. */
export function splice(earlier: EarlierHistory, piece: WholeHistory, discovery: Discovery): Spliced {
  const then = new Side(earlier.ops);
  const now = new Side(piece.trace.ops);
  const sources = sourcesOf(earlier, piece, discovery, then, now);
  const runs = runsOf(sources);
  const kinds = piece.trace.ops.texts.kinds();
  const ops = ofRuns(
    runs.map(({ side, first, end }) => ({ from: side.ops, first, end })),
    new Texts(kinds),
  );
  joinSessions(ops.sessions, sources);
  pointAtFiles(ops, sources);
  pointAtSessionsAndParents(ops, runs);
  dropEmptyFields(ops);
  ops.fileRank = Uint32Array.from(sources, (_, at) => at);
  const files = filesOf(sources);
  for (const kind of kinds) {
    ops.texts.stored(kind, function* () {
      for (const file of files)
        for (const text of oneByOne(file.texts(kind))) yield [file.made[0] + text.row, unpackText(text)] as const;
    });
  }
  const { pack } = earlier.stored;
  const links = linksOf([then, loadLinks(pack)], [now, piece.trace.links], runs, ops, pack);
  const times = timesOf([then, loadTimes(pack)], [now, piece.trace.times], runs, ops);
  return {
    whole: {
      trace: new Trace(ops, { links, times }),
      discovery,
      files,
      changes: changesOf([
        [then, earlier.changes],
        [now, piece.changes],
      ]),
      projects: projectsOf(earlier, piece, ops),
      hasLost: discovery.files.filter(file => earlier.usedOf(file)).length < earlier.stored.files.length,
    },
    join: (old, made) => joinedParts([then, old], [now, made], runs),
  };
}

function sourcesOf(
  earlier: EarlierHistory,
  piece: WholeHistory,
  discovery: Discovery,
  then: Side,
  now: Side,
): Source[] {
  const anew = new Map(
    piece.files.map((file, number): [FoundFile, Source] => [file.file, { side: now, number, file }]),
  );
  return discovery.files.map(file => anew.get(file) ?? { side: then, ...keptFile(earlier, file) });
}

function keptFile(earlier: EarlierHistory, file: FoundFile): { number: number; file: WholeFile } {
  const number = earlier.numberOf(file) as number;
  const { family, made, settled, effects, siblings, problem } = earlier.stored.files[number] as Entry;
  const { sessions, resumes } = earlier.readings;
  return {
    number,
    file: {
      file,
      family,
      made,
      settled,
      effects,
      siblings,
      problem,
      told: sessions[number] as Session[],
      resume: resumes[number],
      ledger: earlier.ledgers[number] as StoredLedger,
      texts: kind => [earlier.storedTexts(kind).stretch(made[0], made[0] + made[1], 0)],
    },
  };
}

/** First the rows that readers made, by file, then those of settling, then effects: as one reading has them. */
function runsOf(sources: readonly Source[]): SideRun[] {
  const runs: SideRun[] = [];
  const rows = sources.reduce(
    (sum, { file: { made, settled, effects } }) => sum + made[1] + settled[1] + effects[1],
    0,
  );
  const places = placesPlusOne(rows);
  let at = 0;
  for (const region of ['made', 'settled', 'effects'] as const) {
    for (const { side, file } of sources) {
      const [first, count] = file[region];
      if (count === 0) continue;
      const last = runs.at(-1);
      if (last && last.side === side && last.end === first) last.end += count;
      else runs.push({ side, at, first, end: first + count });
      side.stand(first, places.subarray(at, at + count));
      at += count;
    }
  }
  return runs;
}

function joinSessions(into: Sessions, sources: readonly Source[]): void {
  const all: Session[] = [];
  for (const [number, { side, file }] of sources.entries()) {
    const { sessions } = side.ops;
    for (const { agent, id } of file.told) {
      const at = sessions.find(agent, id) as number;
      if (side.sessions[at] !== NO_ROW) continue;
      side.sessions[at] = all.push({ ...(sessions.all[at] as Session), file: number }) - 1;
    }
  }
  into.restore(all);
}

function pointAtFiles(ops: Operations, sources: readonly Source[]): void {
  const files = codesBelow(sources.length + 1, ops.length);
  for (const [number, { side, file }] of sources.entries()) {
    for (const [first, count] of [file.made, file.settled, file.effects]) {
      if (count === 0) continue;
      const at = side.placeOf(first);
      files.fill(number, at, at + count);
    }
  }
  ops.file.replace(files);
}

function pointAtSessionsAndParents(ops: Operations, runs: readonly SideRun[]): void {
  const sessions = codesBelow(ops.sessions.all.length + 1, ops.length);
  const parents = codesBelow(ops.length + 1, ops.length);
  for (const [side, own] of bySide(runs)) {
    side.sessionsIn(own, side.ops.session.glance(), sessions);
    side.rowsPlusOneIn(own, side.ops.parent.glance(), parents);
  }
  ops.session.replace(sessions);
  ops.parent.replace(parents);
}

function bySide(runs: readonly SideRun[]): Map<Side, SideRun[]> {
  const sides = new Map<Side, SideRun[]>();
  for (const run of runs) {
    const own = sides.get(run.side);
    if (own) own.push(run);
    else sides.set(run.side, [run]);
  }
  return sides;
}

/** The files as they lie in the whole. */
function filesOf(sources: readonly Source[]): WholeFile[] {
  const numbers = new Map<Side, Map<number, number>>();
  for (const [at, { side, number }] of sources.entries()) {
    const own = numbers.get(side) ?? new Map<number, number>();
    numbers.set(side, own.set(number, at));
  }
  return sources.map(({ side, file }) => {
    const placed = ([first, count]: Range): Range => [count === 0 ? 0 : side.placeOf(first), count];
    const family = numbers.get(side)?.get(file.family) as number;
    return { ...file, family, made: placed(file.made), settled: placed(file.settled), effects: placed(file.effects) };
  });
}

const BY_ROW = ['turn', 'prompt', 'call', 'tool'] as const;

function linksOf(
  then: readonly [Side, Links],
  now: readonly [Side, Links],
  runs: readonly SideRun[],
  ops: Operations,
  pack: PackReader,
): Links {
  const byRow = Object.fromEntries(
    BY_ROW.map(name => {
      const to = new Uint32Array(ops.length);
      for (const [side, own] of bySide(runs)) {
        side.rowsIn(own, side === then[0] ? pack.glance(`links/${name}`) : now[1][name], to);
      }
      return [name, to];
    }),
  ) as Record<(typeof BY_ROW)[number], Uint32Array>;
  const count = ops.sessions.all.length;
  const spawn = new Uint32Array(count);
  const root = new Uint32Array(count);
  const depth = new Uint8Array(count);
  for (const [side, links] of [then, now]) {
    side.sessions.forEach((to, at) => {
      if (to === NO_ROW) return;
      const row = links.spawn[at] as number;
      spawn[to] = row === NO_ROW ? NO_ROW : side.placeOf(row);
      root[to] = side.sessions[links.root[at] as number] as number;
      depth[to] = links.depth[at] as number;
    });
  }
  const isOrphan = ({ agent, parent }: Session) =>
    parent !== undefined && ops.sessions.find(agent, parent) === undefined;
  return { ...byRow, spawn, root, depth, orphans: ops.sessions.all.filter(isOrphan).length };
}

function timesOf(
  then: readonly [Side, Times],
  now: readonly [Side, Times],
  runs: readonly SideRun[],
  ops: Operations,
): Times {
  const of = (side: Side) => (side === then[0] ? then[1] : now[1]);
  const idle = new Float64Array(ops.sessions.all.length);
  for (const [side, times] of [then, now]) {
    const from = times.idle;
    side.sessions.forEach((to, at) => {
      if (to !== NO_ROW) idle[to] = from[at] as number;
    });
  }
  return {
    time: NumberColumn.joined(
      runs.map(({ side, first, end }) => ({ column: of(side).time, first, end })),
      new Room(),
    ),
    idle,
  };
}

/** The changes of rows that are part of the whole, by their place there: a column that both sides have changed is one. */
function changesOf(sides: readonly (readonly [Side, readonly Undo[]])[]): Undo[] {
  const columns = new Map<string, { readonly rows: number[]; readonly before: NumberColumn | StringColumn }>();
  for (const [side, changes] of sides) {
    for (const { name, rows, before } of changes) {
      let into = columns.get(name);
      if (!into) {
        const none = before instanceof StringColumn ? new StringColumn(before.dictionary) : new NumberColumn();
        columns.set(name, (into = { rows: [], before: none }));
      }
      for (const [at, row] of rows.entries()) {
        const place = side.placeOf(row);
        if (place === NO_ROW) continue;
        const to = into.rows.push(place) - 1;
        if (into.before instanceof StringColumn) into.before.set(to, (before as StringColumn).get(at));
        else into.before.set(to, placed(name, (before as NumberColumn).get(at), side));
      }
    }
  }
  return [...columns].map(([name, { rows, before }]) => ({ name, rows: Uint32Array.from(rows), before }));
}

/** A parent is a row plus one, and rows have other places in the whole; all else is as it was. */
function placed(name: string, value: number, side: Side): number {
  return name === 'parent' && value !== 0 ? side.placeOf(value - 1) + 1 : value;
}

function projectsOf(earlier: EarlierHistory, piece: WholeHistory, ops: Operations): [string, Project][] {
  const projects = new Map([...earlier.stored.projects, ...piece.projects]);
  const used = new Set(ops.sessions.all.map(session => session.cwd));
  return [...projects].filter(([cwd]) => used.has(cwd));
}

function joinedParts(
  then: readonly [Side, PartColumns],
  now: readonly [Side, PartColumns],
  runs: readonly SideRun[],
): PartColumns {
  const of = (side: Side) => (side === then[0] ? then[1] : now[1]);
  const namesIn = (kind: keyof PartColumns) => new Set([...Object.keys(then[1][kind]), ...Object.keys(now[1][kind])]);
  const columns = <Column>(kind: keyof PartColumns, columnOf: (name: string) => Column): Record<string, Column> =>
    Object.fromEntries([...namesIn(kind)].map(name => [name, columnOf(name)]));
  const room = new Room();
  return {
    numbers: columns('numbers', name => {
      const none = new NumberColumn();
      return NumberColumn.joined(
        runs.map(({ side, first, end }) => ({ column: of(side).numbers[name] ?? none, first, end })),
        room,
      );
    }),
    strings: columns('strings', name => {
      const joined = new StringColumn(then[1].strings[name]?.dictionary);
      for (const { side, at, first, end } of runs) {
        const column = of(side).strings[name];
        if (column) joined.place(at, column, first, end);
      }
      return joined;
    }),
    bySession: columns('bySession', name => {
      const joined = new StringColumn();
      for (const [side, part] of [then, now]) {
        side.sessions.forEach((to, at) => {
          if (to !== NO_ROW) joined.set(to, part.bySession[name]?.get(at) ?? '');
        });
      }
      return joined;
    }),
  };
}
