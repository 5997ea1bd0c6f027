import { NO_SPAN, type Span } from './span.ts';

/** A span among the others. */
export interface Node {
  span: Span;
  parent: Node | undefined;
  /** In the order in which they began. */
  children: Node[];
  /** It is a call: see `markCalls`. */
  call: '' | 'whole' | 'usageOnly' | 'inferred';
}

export interface Forest {
  /** In the order in which they began. */
  readonly roots: readonly Node[];
  /** Parents before their children. */
  readonly nodes: readonly Node[];
  readonly repeated: number;
  /** Spans whose parent is not there. They hang on a stand-in for it, so that they stay together. */
  readonly orphans: number;
  readonly cycles: number;
  /** Spans with usage that only repeat what the spans in them count, and those of them that count more. */
  readonly wrappers: number;
  readonly excessive: number;
}

/** Puts spans, in any order, under their parents, and decides which of them are calls. */
export function forestOf(spans: readonly Span[]): Forest {
  const byId = new Map<string, Node>();
  const own: Node[] = [];
  let repeated = 0;
  for (const span of spans) {
    const name = `${span.trace}/${span.id}`;
    const before = span.id === '' ? undefined : byId.get(name);
    if (before) {
      repeated++;
      // An exporter that sends a running span sends it again when it has ended.
      if (span.end > before.span.end) before.span = span;
      continue;
    }
    const node = newNode(span);
    own.push(node);
    if (span.id !== '') byId.set(name, node);
  }
  let orphans = 0;
  const roots: Node[] = [];
  for (const node of own) {
    const { trace, parent } = node.span;
    if (parent === '') {
      roots.push(node);
      continue;
    }
    const name = `${trace}/${parent}`;
    let above = byId.get(name);
    if (above === undefined) {
      above = newNode({ ...NO_SPAN, ...placeOf(node.span), trace, id: parent });
      byId.set(name, above);
      roots.push(above);
    }
    if (above.span.role === 'step' && above.span.name === STAND_IN) orphans++;
    node.parent = above;
    above.children.push(node);
  }
  const cycles = cutCycles(own, roots);
  const nodes = topDown(roots);
  return { roots, nodes, repeated, orphans, cycles, ...markCalls(nodes) };
}

/** The name of a step that stands for a span that is not there. */
const STAND_IN = '(missing)';

function placeOf({ start, offset, bytes, service, version }: Span) {
  return { name: STAND_IN, start, end: start, offset, bytes, service, version };
}

function newNode(span: Span): Node {
  return { span, parent: undefined, children: [], call: '' };
}

/** Spans that are their own ancestors: the first of each such ring becomes a root. */
function cutCycles(nodes: readonly Node[], roots: Node[]): number {
  const safe = new Set<Node>(roots);
  let cycles = 0;
  for (const node of nodes) {
    const path = new Set<Node>();
    let at: Node | undefined = node;
    for (; at !== undefined && !safe.has(at) && !path.has(at); at = at.parent) path.add(at);
    if (at !== undefined && path.has(at)) {
      cycles++;
      const above = at.parent as Node;
      above.children = above.children.filter(child => child !== at);
      at.parent = undefined;
      roots.push(at);
    }
    for (const each of path) safe.add(each);
  }
  return cycles;
}

function topDown(roots: Node[]): Node[] {
  const byStart = (a: Node, b: Node) => a.span.start - b.span.start;
  roots.sort(byStart);
  const nodes = [...roots];
  for (let i = 0; i < nodes.length; i++) {
    const { children } = nodes[i] as Node;
    children.sort(byStart);
    for (const child of children) nodes.push(child);
  }
  return nodes;
}

/** What is known of the spans below a span: `near` without those inside a tool call, which are calls of their own. */
interface Below {
  nearUsage: boolean;
  nearModel: boolean;
  usage: boolean;
  model: boolean;
  /** Tokens counted in the span and below. */
  tokens: number;
}

/**
 * A response is billed once, though frameworks put a span of the same usage around each and agents one with the sum of
 * all. So of spans with usage the innermost count; an agent or step with usage counts where nothing in it does.
 * A model span inside a tool call is a call of its own: the tool asked a model.
 */
function markCalls(nodes: readonly Node[]): { wrappers: number; excessive: number } {
  const below = new Map<Node, Below>();
  let wrappers = 0;
  let excessive = 0;
  for (let i = nodes.length - 1; i >= 0; i--) {
    const node = nodes[i] as Node;
    const { role, used, model } = node.span;
    const sum = belowOf(node, below);
    const own = used === undefined ? 0 : used.input + used.cacheRead + used.cacheWrite + used.output;
    if (own > 0) {
      const inside = role === 'model' ? sum.nearUsage : sum.usage;
      if (!inside) node.call = role === 'model' || !sum.model ? 'whole' : 'usageOnly';
      else {
        wrappers++;
        // Input may or may not hold the cached part: only what no reading explains is too much.
        if (used !== undefined && used.input + used.output > sum.tokens) excessive++;
      }
    } else if (role === 'model') node.call = sum.nearModel || sum.nearUsage ? '' : 'whole';
    else if (role === 'agent' && model !== '' && !sum.model && !sum.usage) node.call = 'inferred';
    below.set(node, {
      nearUsage: sum.nearUsage || own > 0,
      nearModel: sum.nearModel || role === 'model',
      usage: sum.usage || own > 0,
      model: sum.model || role === 'model',
      tokens: node.call === '' ? sum.tokens : sum.tokens + own,
    });
  }
  for (const node of nodes) if (repeatsWrapper(node)) node.call = '';
  return { wrappers, excessive };
}

function belowOf({ children }: Node, below: ReadonlyMap<Node, Below>): Below {
  const sum: Below = { nearUsage: false, nearModel: false, usage: false, model: false, tokens: 0 };
  for (const child of children) {
    const part = below.get(child) as Below;
    const near = child.span.role !== 'tool';
    sum.nearUsage ||= near && part.nearUsage;
    sum.nearModel ||= near && part.nearModel;
    sum.usage ||= part.usage;
    sum.model ||= part.model;
    sum.tokens += part.tokens;
  }
  return sum;
}

/** A model span without usage inside one that is a call because it has the usage: the same response. */
function repeatsWrapper(node: Node): boolean {
  if (node.call !== 'whole' || node.span.used !== undefined) return false;
  for (let at = node.parent; at !== undefined && at.span.role !== 'tool' && at.span.role !== 'agent'; at = at.parent) {
    if (at.span.role === 'model' && at.call === 'whole') return true;
  }
  return false;
}
