import type { Node } from './forest.ts';

/** Of a person who asks nothing for so long, the next question opens a new session: 30 minutes, in microseconds. */
export const SESSION_GAP = 30 * 60 * 1_000_000;

export interface TraceSettings {
  /** Pause in microseconds that ends a session where spans name neither a conversation nor a trace. */
  readonly sessionGap: number;
}

/** How a reader with these settings is told apart; nothing for the usual ones. */
export function variantOf(settings: TraceSettings): { settings?: TraceSettings; variant?: string } {
  const { sessionGap } = settings;
  return sessionGap === SESSION_GAP ? {} : { settings, variant: `session gap ${sessionGap}` };
}

/**
 * To which session the spans below each root belong. In this order:
 * 1. The conversation that the root names, else the one conversation that all spans below it name which name one.
 *    (Some frameworks write the id of the last response as that of the conversation, another one in each span.)
 * 2. The trace.
 * 3. Without a trace id: the spans of one user (else of one service) up to a pause of at least `gap`.
 */
export function sessionsOf(roots: readonly Node[], gap: number): { names: Map<Node, string>; byPause: number } {
  const names = new Map<Node, string>();
  const open = new Map<string, { name: string; end: number }>();
  let byPause = 0;
  for (const root of roots) {
    const { conversation, user, end } = lookBelow(root);
    const { trace, service, start } = root.span;
    if (conversation !== '') names.set(root, conversation);
    else if (trace !== '') names.set(root, trace);
    else {
      byPause++;
      const who = user !== '' ? `user ${user}` : `service ${service}`;
      const before = open.get(who);
      const name = before && start - before.end < gap ? before.name : `${who} from ${start}`;
      open.set(who, { name, end: Math.max(end, before?.name === name ? before.end : 0) });
      names.set(root, name);
    }
  }
  return { names, byPause };
}

function lookBelow(root: Node): { conversation: string; user: string; end: number } {
  const found = new Set<string>();
  let user = '';
  let end = 0;
  const pending = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const { span } = node;
    if (span.session !== '') found.add(span.session);
    if (user === '') user = span.user;
    end = Math.max(end, span.end);
    for (const child of node.children) pending.push(child);
  }
  const [only = ''] = found;
  return { conversation: root.span.session || (found.size === 1 ? only : ''), user, end };
}
