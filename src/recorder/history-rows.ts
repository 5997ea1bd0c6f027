import { Project } from '../effects/paths.ts';
import { Kind } from '../trace/kinds.ts';
import type { Trace } from '../trace/trace.ts';
import { type Spans, spansOf } from './belonging.ts';

/** Rows of a history as correlation asks for them. */
export class HistoryRows {
  readonly spans: Spans;
  /** Effect rows by tool row. */
  readonly parsed = new Map<number, number[]>();
  private readonly trace: Trace;
  private readonly commands = new Map<number, ReadonlyMap<number, string>>();
  private readonly projects = new Map<string, Project>();
  private readonly tools = new Map<number, number[]>();

  constructor(trace: Trace) {
    this.trace = trace;
    this.spans = spansOf(trace);
    const { ops } = trace;
    for (let row = 0; row < ops.length; row++) {
      const kind = ops.kind.get(row);
      const [at, by] = kind === Kind.effect ? [ops.parentOf(row), this.parsed] : [ops.session.get(row), this.tools];
      if (kind !== Kind.effect && kind !== Kind.tool) continue;
      const list = by.get(at);
      if (list) list.push(row);
      else by.set(at, [row]);
    }
  }

  toolsOf(session: number): readonly number[] {
    return this.tools.get(session) ?? [];
  }

  /** Fetched for the stretch of rows that the session has. */
  commandsOf(session: number): ReadonlyMap<number, string> {
    let known = this.commands.get(session);
    if (!known) {
      const rows = this.toolsOf(session);
      const { ops } = this.trace;
      const [first = 0, last = -1] = [rows[0], rows.at(-1)];
      known = new Map(
        [...ops.texts.in('command', first, last + 1)].filter(([row]) => ops.session.get(row) === session),
      );
      this.commands.set(session, known);
    }
    return known;
  }

  projectOf(session: number): Project {
    const roots = this.trace.ops.sessions.all[session]?.roots ?? [];
    const key = roots.join('\n');
    let project = this.projects.get(key);
    if (!project) this.projects.set(key, (project = new Project(roots)));
    return project;
  }
}
