/**
 * The kinds of call, a closed list, written `llm/<kind>`. Where a call asked for several tools, the first of this list
 * stands for it: what changes things and what cannot be taken back says more of a call than what only looks.
 *
 * - delegate: hands work to another agent. edit: changes files. test: runs tests. web: reads the network.
 *   run: runs anything else. read: looks at files, history, state. plan: to-do lists, plan mode, questions to the person.
 * - analysis: no tool, so it thought or answered (or gave its answer through a tool made for it).
 * - other: tools of MCP servers and tools nobody knows.
 * - compact: a compaction request. usage: only its usage is recorded, nothing of what it said or asked for.
 */
export const CATEGORIES = [
  'delegate',
  'edit',
  'test',
  'web',
  'run',
  'read',
  'plan',
  'analysis',
  'other',
  'compact',
  'usage',
] as const;
export type Category = (typeof CATEGORIES)[number];
