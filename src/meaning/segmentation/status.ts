import { counted } from '../../trace/counted.ts';
import { hashKey } from '../../trace/keys.ts';
import { leavesOf, type Segment } from './marks.ts';
import type { Renaming } from './near-names.ts';

/**
 * Facts about marks that say where to look again. `key` names the thing, `fingerprint` its state: what has the same of
 * both as in an earlier status needs no second look.
 */
export interface StatusFact {
  readonly kind: 'reused' | 'singleton' | 'near-name' | 'mass' | 'coarse-leaf' | 'unary-chain';
  readonly key: string;
  readonly fingerprint: string;
  /** In words. */
  readonly says: string;
}

export interface MarkedSession {
  readonly key: string;
  readonly nodes: number;
  readonly segments: readonly Segment[];
}

/** A leaf with more than this share of its session, and more nodes than a person reads at a glance, hides what is in it. */
const COARSE_SHARE = 0.5;
const COARSE_NODES = 30;

export function statusOf(sessions: readonly MarkedSession[], renaming: Renaming): StatusFact[] {
  return [
    ...nameFacts(sessions, renaming),
    ...massFacts(sessions),
    ...sessions.flatMap(session => [...coarseLeaves(session), ...unaryChains(session)]),
  ];
}

function fact(kind: StatusFact['kind'], key: string, state: string, says: string): StatusFact {
  const { high, low } = hashKey(`${kind} ${key} ${state}`);
  const fingerprint = high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0');
  return { kind, key: `${kind}:${key}`, fingerprint, says };
}

function nameFacts(sessions: readonly MarkedSession[], renaming: Renaming): StatusFact[] {
  const uses = new Map<string, { count: number; readonly sessions: Set<string> }>();
  const count = (segment: Segment, session: string) => {
    const name = renaming.get(segment.tag) ?? segment.tag;
    let use = uses.get(name);
    if (!use) uses.set(name, (use = { count: 0, sessions: new Set() }));
    use.count++;
    use.sessions.add(session);
    for (const child of segment.children) count(child, session);
  };
  for (const { key, segments } of sessions) for (const segment of segments) count(segment, key);
  const ranked = [...uses].sort(([a, m], [b, n]) => n.count - m.count || (a < b ? -1 : 1));
  return [
    ...ranked
      .filter(([, use]) => use.sessions.size > 1)
      .map(([name, use]) =>
        fact(
          'reused',
          name,
          `${use.count} ${use.sessions.size}`,
          `${name}: ${counted(use.count, 'segment')} in ${counted(use.sessions.size, 'session')}`,
        ),
      ),
    ...ranked.filter(([, use]) => use.count === 1).map(([name]) => fact('singleton', name, '', `${name}: once`)),
    ...[...renaming].map(([from, to]) => fact('near-name', from, to, `${from} is shown as ${to}`)),
  ];
}

/** Nodes whose innermost mark is this deep. */
function massFacts(sessions: readonly MarkedSession[]): StatusFact[] {
  const mass: number[] = [];
  const weigh = (segment: Segment, depth: number) => {
    const inside = segment.children.reduce((sum, child) => sum + child.end - child.begin, 0);
    mass[depth] = (mass[depth] ?? 0) + segment.end - segment.begin - inside;
    for (const child of segment.children) weigh(child, depth + 1);
  };
  for (const { segments } of sessions) for (const segment of segments) weigh(segment, 1);
  return Array.from(mass, (nodes, depth) => ({ nodes: nodes ?? 0, depth }))
    .filter(({ depth }) => depth > 0)
    .map(({ nodes, depth }) =>
      fact('mass', `depth ${depth}`, String(nodes), `depth ${depth}: ${counted(nodes, 'node')}`),
    );
}

function coarseLeaves({ key, nodes, segments }: MarkedSession): StatusFact[] {
  return leavesOf(segments)
    .filter(({ begin, end }) => end - begin > COARSE_NODES && end - begin > COARSE_SHARE * nodes)
    .map(({ start, begin, end, tag }) =>
      fact(
        'coarse-leaf',
        start,
        `${end - begin} ${tag}`,
        `${tag} of session ${key}: ${end - begin} of ${counted(nodes, 'node')} in one piece`,
      ),
    );
}

/** A mark that holds one other of the same extent says the same twice. */
function unaryChains({ segments }: MarkedSession): StatusFact[] {
  return segments.flatMap(segment => {
    const [only] = segment.children;
    const chain = only && segment.children.length === 1 && only.begin === segment.begin && only.end === segment.end;
    const own = chain
      ? [
          fact(
            'unary-chain',
            segment.start,
            `${segment.tag} ${only.tag}`,
            `${segment.tag} holds nothing but ${only.tag}`,
          ),
        ]
      : [];
    return [...own, ...unaryChains({ key: '', nodes: 0, segments: segment.children })];
  });
}
