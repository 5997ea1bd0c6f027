/**
 * The string fields of an operation that are stored row by row. Fields of the session (agent, project, session,
 * parent_session, subagent, entrypoint, host) live in the session table; prompt-level fields (prompt, turn,
 * prompt_id) are read through the row of the prompt; day, week and month come from the start time.
 */
export const ROW_FIELDS = [
  'agent_version',
  'branch',
  'cwd',
  'model',
  'tool',
  'command',
  'process',
  'file',
  'effect',
  'domain',
  'status',
  'skill',
  'mcp_server',
  'error',
  'event',
  'unsafe',
] as const;
export type RowField = (typeof ROW_FIELDS)[number];

/** `status` of a tool call or call. Absent means ok; a tool call with no result at all is `unanswered`. */
export const STATUSES = ['ok', 'error', 'interrupted', 'denied', 'unanswered'] as const;

/** `effect` of an effect operation. */
export type FileEffect = 'read' | 'write' | 'create' | 'delete' | 'move';
