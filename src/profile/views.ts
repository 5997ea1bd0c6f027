/** The views: which measure is the width, which frames make the stack. `task` stands for a segment path of any depth. */
export interface View {
  readonly name: string;
  readonly measure: string;
  readonly stack: readonly string[];
  readonly question: string;
}

export const VIEWS: readonly View[] = [
  {
    name: 'operations',
    measure: 'operations',
    stack: ['agent', 'prompt', 'task', 'call', 'tool', 'command', 'status'],
    question: 'what was done, how often',
  },
  {
    name: 'tokens',
    measure: 'tokens',
    stack: ['agent', 'prompt', 'task', 'call', 'model', 'token'],
    question: 'which work used the tokens',
  },
  {
    name: 'cost',
    measure: 'cost',
    stack: ['agent', 'prompt', 'task', 'call', 'model', 'token'],
    question: 'which work cost the money',
  },
  {
    name: 'time',
    measure: 'time',
    stack: ['agent', 'prompt', 'task', 'call', 'tool', 'command'],
    question: 'where the time went',
  },
  {
    name: 'files',
    measure: 'files',
    stack: ['agent', 'prompt', 'task', 'tool', 'process', 'file', 'effect'],
    question: 'which files were touched, by what',
  },
  {
    name: 'network',
    measure: 'network',
    stack: ['agent', 'prompt', 'task', 'tool', 'process', 'domain'],
    question: 'which hosts were contacted, by what',
  },
  {
    name: 'failures',
    measure: 'errors',
    stack: ['agent', 'prompt', 'task', 'tool', 'command', 'error'],
    question: 'where operations failed',
  },
];

export function viewNamed(name: string): View | undefined {
  return VIEWS.find(view => view.name === name);
}

/**
 * Frames that say when, where and for whom. They stand above the chain of a subagent; all others (what was done)
 * stand below the tool call that spawned it.
 */
export const OUTER_FRAMES: ReadonlySet<string> = new Set([
  'project',
  'agent',
  'agent_version',
  'entrypoint',
  'session',
  'parent_session',
  'host',
  'branch',
  'cwd',
  'prompt',
  'prompt_id',
  'turn',
  'day',
  'week',
  'month',
  'cluster',
]);
