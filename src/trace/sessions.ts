/**
 * Sessions: one conversation with an agent. A subagent is a session with a parent; which tool call spawned it is
 * found after all files are read, from whatever the agent wrote down (see `link.ts`).
 */
export interface Session {
  readonly agent: string;
  /** The agent's own id: a session uuid, a thread id, a subagent id. Never shown as it is, see privacy/. */
  readonly id: string;
  /** Index of the file that holds most of it (the first that named it). */
  file: number;
  /** Id of the session that started this one (subagents only). */
  parent?: string;
  /** Kind of subagent ("Explore", "general-purpose"); '' where the agent does not say; absent for main sessions. */
  subagent?: string;
  /** Id of the tool call that spawned it, where the agent recorded it. */
  spawnCall?: string;
  /** The prompt the spawning tool call gave it, hashed: the last resort of linking. */
  spawnPrompt?: { high: number; low: number };
  /** Id of the session whose history this one began with (a fork), where known. */
  forkedFrom?: string;
  /** The file itself tells which of its rows were copied from there, and those have Flag.replayed. */
  forkMarked?: boolean;
  /** True where the agent itself started it and nobody asked (Claude Code's cache warmers). */
  warmer?: boolean;
  entrypoint?: string;
  /** First working directory seen; projects are resolved from it. */
  cwd?: string;
  project?: string;
  /** Directories that are this project here (repository, worktree, the path as written), for selection and for effects. */
  roots?: readonly string[];
  host?: string;
  /** Facts joined from outside with --labels, and free session fields of operation files. */
  labels?: Map<string, string>;
}

export class Sessions {
  readonly all: Session[] = [];
  private index: Map<string, number> | undefined;

  /** The index of a session, made if it is new. Sessions of different agents never meet. */
  of(agent: string, id: string, file: number): number {
    const index = this.indexed();
    const name = nameOf(agent, id);
    let at = index.get(name);
    if (at === undefined) {
      at = this.all.length;
      this.all.push({ agent, id, file });
      index.set(name, at);
    }
    return at;
  }

  clear(): void {
    this.all.length = 0;
    this.index = undefined;
  }

  /** Takes sessions that an earlier run made, to an empty table. */
  restore(sessions: readonly Session[]): void {
    for (const session of sessions) this.all.push(session);
  }

  /** Adds what one file tells about a session; gives its index. The first file to tell a fact is believed. */
  join(facts: Session, file: number): number {
    const at = this.of(facts.agent, facts.id, file);
    const session = this.all[at] as Session;
    for (const fact of ['parent', 'spawnCall', 'entrypoint', 'cwd', 'project', 'host'] as const) {
      const told = facts[fact];
      if (told !== undefined) session[fact] ??= told;
    }
    // '' stands for "has one, but the file does not say which".
    for (const fact of ['subagent', 'forkedFrom'] as const) {
      const told = facts[fact];
      if (told !== undefined && !session[fact]) session[fact] = told;
    }
    if (facts.spawnPrompt) session.spawnPrompt ??= facts.spawnPrompt;
    if (facts.forkMarked) session.forkMarked = true;
    if (facts.warmer) session.warmer = true;
    return at;
  }

  find(agent: string, id: string): number | undefined {
    return this.indexed().get(nameOf(agent, id));
  }

  private indexed(): Map<string, number> {
    this.index ??= new Map(this.all.map(({ agent, id }, at) => [nameOf(agent, id), at]));
    return this.index;
  }
}

function nameOf(agent: string, id: string): string {
  return `${agent}\u0000${id}`;
}
