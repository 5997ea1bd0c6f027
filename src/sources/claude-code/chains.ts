import { hashKey } from '../../trace/keys.ts';
import { NO_ROW } from '../../trace/kinds.ts';
import type { Session } from '../../trace/sessions.ts';
import { type Obj, objectOf, textOf } from '../shapes.ts';
import { AGENT, type Context } from './context.ts';
import { metaName, stemOf } from './paths.ts';
import type { Chain } from './state.ts';

/** Subagents the client starts for itself; their ids begin with their purpose. */
const OWN_AGENTS: Readonly<Record<string, string>> = {
  acompact: 'compact',
  aprompt_suggestion: 'prompt-suggestion',
  aside_question: 'side-question',
};

/**
 * The chain a row belongs to: the main conversation, a subagent told by its `agentId` (or its file's name), or an
 * inline sidechain, which up to 2.0.2x has no name but its first row. A file named by an id is one session: a fork's
 * first rows may still carry the id of the session they were copied from.
 */
export function chainOf(context: Context, record: Obj): Chain {
  const { state, fileAgent } = context;
  const written = textOf(record.sessionId);
  const main = context.fileSession || written || state.main || stemOf(context.file.path);
  if (fileAgent === '' && record.isSidechain !== true) {
    state.main = main;
    return mainChain(context, record, main, written);
  }
  const agent = textOf(record.agentId) || fileAgent;
  const parent = fileAgent === '' ? main : context.fileParent || written || state.main;
  state.main = parent;
  if (agent !== '') return agentChain(context, record, agent, parent, '');
  return sideChain(context, record, parent);
}

function mainChain(context: Context, record: Obj, id: string, written: string): Chain {
  const chain = chainNamed(context, id);
  const session = sessionOf(context, chain);
  place(session, record);
  if (session.forkedFrom === undefined) {
    const fork = textOf(objectOf(record.forkedFrom).sessionId) || written;
    if (fork !== '' && fork !== id) session.forkedFrom = fork;
  }
  return chain;
}

/** The chain of a named subagent. `spawnCall` is the id of the call that started it, where the record tells it. */
export function agentChain(context: Context, record: Obj, agent: string, parent: string, spawnCall: string): Chain {
  const known = context.state.chains.get(agent);
  const chain = known ?? chainNamed(context, agent);
  const session = sessionOf(context, chain);
  place(session, record);
  if (session.parent === undefined && parent !== '' && parent !== agent) session.parent = parent;
  if (known === undefined) {
    const meta =
      context.fileAgent === '' || spawnCall !== '' ? {} : objectOf(context.file.sibling(metaName(context.file.path)));
    session.subagent ||= textOf(meta.agentType) || ownAgent(agent);
    const call = spawnCall || textOf(meta.toolUseId);
    if (session.spawnCall === undefined && call !== '') session.spawnCall = call;
  }
  if (session.subagent === '') session.subagent = textOf(record.attributionAgent);
  return chain;
}

function ownAgent(agent: string): string {
  const purpose = agent.slice(0, Math.max(agent.indexOf('-'), 0));
  return Object.hasOwn(OWN_AGENTS, purpose) ? (OWN_AGENTS[purpose] as string) : '';
}

/** True for a subagent that only writes the summary of a compaction. */
export function isCompactAgent(context: Context, chain: Chain): boolean {
  const session = sessionOf(context, chain);
  return session.subagent === 'compact' && session.id.startsWith('acompact-');
}

function sideChain(context: Context, record: Obj, parent: string): Chain {
  const { state } = context;
  const uuid = textOf(record.uuid);
  const before = textOf(record.parentUuid);
  let id = state.sides.get(before);
  if (id === undefined) {
    // A row whose parent is not of a sidechain begins one; a reply without a known parent goes on with the latest.
    const begins = before === '' || record.type === 'user' || state.lastSide === '';
    id = begins ? `${parent}:${uuid || context.offset}` : state.lastSide;
  }
  if (uuid !== '') state.sides.set(uuid, id);
  state.lastSide = id;
  const chain = chainNamed(context, id);
  const session = sessionOf(context, chain);
  place(session, record);
  if (session.parent === undefined && parent !== '' && parent !== id) session.parent = parent;
  session.subagent ??= '';
  return chain;
}

function chainNamed(context: Context, id: string): Chain {
  const { state, out, file } = context;
  let chain = state.chains.get(id);
  if (chain === undefined) {
    const session = out.sessions.of(AGENT, id, file.index);
    chain = { session, turn: NO_ROW, opener: NO_ROW, trigger: 0, seen: 0, last: 'nothing', tasked: false };
    state.chains.set(id, chain);
  }
  return chain;
}

/** How much earlier than the file's own beginning its first row must be to be history of another session, microseconds. */
const HISTORY = 1e6;

/**
 * A fork's file begins with what was asked now and goes on with history that is older (`--fork-session`); no row says
 * whose. An empty `forkedFrom` stands for that until all files are read.
 */
export function foundFork(context: Context, chain: Chain): void {
  const { state, time } = context;
  if (state.head === 0) return;
  if (time > 0 && time + HISTORY < state.head && context.fileAgent === '') sessionOf(context, chain).forkedFrom ??= '';
  state.head = 0;
}

function sessionOf(context: Context, chain: Chain): Session {
  return context.out.sessions.all[chain.session] as Session;
}

/** Where and by which door a session began: the first that a row says stays. */
function place(session: Session, record: Obj): void {
  if (session.cwd === undefined && textOf(record.cwd) !== '') session.cwd = textOf(record.cwd);
  if (session.entrypoint === undefined && textOf(record.entrypoint) !== '')
    session.entrypoint = textOf(record.entrypoint);
}

export function isSubagent(context: Context, chain: Chain): boolean {
  return sessionOf(context, chain).parent !== undefined || context.fileAgent !== '';
}

/** Notes a subagent's first prompt: the last resort of linking, and how cache warmers are told. */
export function giveTask(context: Context, chain: Chain, task: string): void {
  chain.tasked = true;
  const session = sessionOf(context, chain);
  if (task === '') return;
  session.spawnPrompt ??= hashKey(task);
  if (task === 'Warmup') session.warmer = true;
}
