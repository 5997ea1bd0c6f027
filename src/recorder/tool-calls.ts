import type { Project } from '../effects/paths.ts';
import { Flag } from '../trace/flags.ts';
import { Kind } from '../trace/kinds.ts';
import type { Trace } from '../trace/trace.ts';
import type { Clock } from './clock.ts';
import type { Deed } from './events.ts';
import { processKey } from './events.ts';
import type { RecordedCall } from './links.ts';
import type { ProcessRecord } from './summary.ts';

/** What correlation needs of a history, beside its operations. */
export interface CallSource {
  readonly trace: Trace;
  /** Commands of the tool rows of a session, whole. */
  readonly commands: ReadonlyMap<number, string>;
  /** Effect rows that were parsed, by tool row. */
  readonly parsed: ReadonlyMap<number, readonly number[]>;
  readonly projectOf: (session: number) => Project;
  /** The record of a row as it lies in its file; '' where it cannot be read. */
  readonly recordOf: (row: number) => string;
}

/**
 * The tool call of a row as correlation wants it; undefined where nothing could be found of it: a call that never ran,
 * has no time, or is of a tool that leaves neither a process nor a file.
 */
export function callOf(row: number, source: CallSource, clock: Clock, opened: Opened): RecordedCall | undefined {
  const { ops } = source.trace;
  const start = ops.start.get(row);
  const status = ops.field.status.get(row);
  if (ops.kind.get(row) !== Kind.tool || start === 0 || status === 'denied') return undefined;
  if (ops.has(row, Flag.copy | Flag.replayed)) return undefined;
  const answered = status !== 'unanswered' && ops.end.get(row) >= start;
  const command = source.commands.get(row) ?? '';
  const server = ops.field.mcp_server.get(row);
  const files = command === '' ? filesOf(row, source, opened) : [];
  if (command === '' && server === '' && files.length === 0 && !namesFiles(row, source)) return undefined;
  const cwd = ops.field.cwd.get(row) || (ops.sessions.all[ops.session.get(row)]?.cwd ?? '');
  return {
    id: String(row),
    start_ns: clock.mono(start),
    ...(answered && { end_ns: clock.mono(ops.end.get(row)) }),
    ...(command !== '' && { command }),
    ...(files.length > 0 && { files }),
    ...(server !== '' && { server }),
    ...(cwd !== '' && { cwd }),
  };
}

const namesFiles = (row: number, { parsed, trace }: CallSource): boolean =>
  (parsed.get(row) ?? []).some(effect => trace.ops.field.file.codeAt(effect) !== 0);

/** Paths that one process opened or renamed to itself, by where they lie in each project. */
export class Opened {
  private readonly paths: Set<string>;
  private readonly byProject = new Map<Project, Map<string, string[]>>();

  constructor(deeds: readonly Deed[], { key }: ProcessRecord) {
    this.paths = new Set(
      deeds
        .filter(deed => processKey(deed) === key)
        .flatMap(deed => (deed.type === 'file.open' ? [deed.path] : deed.type === 'file.rename' ? [deed.to] : [])),
    );
  }

  at(place: string, project: Project): readonly string[] {
    let known = this.byProject.get(project);
    if (!known) {
      known = new Map();
      for (const path of this.paths) {
        const own = project.place(path, '');
        const list = known.get(own);
        if (list) list.push(path);
        else known.set(own, [path]);
      }
      this.byProject.set(project, known);
    }
    return known.get(place) ?? [];
  }
}

/**
 * The files that a tool inside the agent names, as the recording calls them. Histories keep where a file lies: inside the
 * project that is one path; outside it stands for many, and the record itself must name the one.
 */
function filesOf(row: number, source: CallSource, opened: Opened): NonNullable<RecordedCall['files']>[number][] {
  const { trace, parsed, projectOf, recordOf } = source;
  const { field, session } = trace.ops;
  const files = new Map<string, { path: string; access: 'r' | 'w' }>();
  let record: string | undefined;
  for (const effect of parsed.get(row) ?? []) {
    const place = field.file.get(effect);
    if (place === '') continue;
    const access = field.effect.get(effect) === 'read' ? 'r' : 'w';
    for (const path of opened.at(place, projectOf(session.get(row)))) {
      if (place.startsWith('external/')) {
        record ??= recordOf(row);
        if (!record.includes(JSON.stringify(path).slice(1, -1))) continue;
      }
      files.set(`${access} ${path}`, { path, access });
    }
  }
  return [...files.values()];
}
