import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../../trace/usage-error.ts';
import type { Annotation, Ordered, Segment } from './marks.ts';
import { type Renaming, renamingOf } from './near-names.ts';
import { sessionOfId } from './nodes.ts';
import { writePrivately } from './private-file.ts';
import type { TraceNode } from './trace-lines.ts';

/** The three files between this program and whoever segments: what happened, marks on it, what follows from both. */
export const TRACE = 'trace.jsonl';
export const ANNOTATION = 'annotation.json';
export const STACKS = 'stacks.folded';

export function writeTrace(directory: string, nodes: readonly TraceNode[]): void {
  writePrivately(join(directory, TRACE), nodes.map(node => `${JSON.stringify(node)}\n`).join(''));
}

export function writeAnnotation(directory: string, annotation: Annotation): void {
  writePrivately(join(directory, ANNOTATION), `${JSON.stringify(annotation, null, 1)}\n`);
}

export function writeStacks(
  directory: string,
  nodes: readonly TraceNode[],
  segments: ReadonlyMap<string, readonly Segment[]>,
  renaming: Renaming,
): void {
  writePrivately(join(directory, STACKS), stacksOf(nodes, segments, renaming));
}

/** Throws UsageError, which names file and line. */
export function readTrace(directory: string): TraceNode[] {
  const file = join(directory, TRACE);
  return readFile(file, 'agentpprof segment export makes it')
    .split('\n')
    .flatMap((line, at) => {
      if (line.trim() === '') return [];
      const node = parsed(line, `${file}:${at + 1}`) as TraceNode;
      if (typeof node?.id !== 'string' || !node.id.includes('.'))
        throw new UsageError(`--workspace: ${file}:${at + 1}: this line is no node of a trace.`);
      return [node];
    });
}

/** Throws UsageError. */
export function readAnnotation(directory: string): unknown {
  const file = join(directory, ANNOTATION);
  return parsed(readFile(file, 'a segmenter writes it, agentpprof segment run for example'), file);
}

function readFile(file: string, way: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(
      `--workspace: cannot read ${file} (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}); ${way}.`,
    );
  }
}

function parsed(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`--workspace: ${where}: this is not JSON: ${error instanceof Error ? error.message : error}.`);
  }
}

/** The sessions of a trace, each with its ids in order. */
export function sessionsOf(nodes: readonly TraceNode[]): (Ordered & { readonly nodes: readonly TraceNode[] })[] {
  const sessions = new Map<string, TraceNode[]>();
  for (const node of nodes) {
    const key = sessionOfId(node.id);
    const own = sessions.get(key);
    if (own) own.push(node);
    else sessions.set(key, [node]);
  }
  return [...sessions].map(([key, own]) => ({ key, ids: own.map(({ id }) => id), nodes: own }));
}

/** How often each name is used, over all segments. */
export function usesOf(segments: Iterable<readonly Segment[]>): Map<string, number> {
  const uses = new Map<string, number>();
  const count = (segment: Segment) => {
    uses.set(segment.tag, (uses.get(segment.tag) ?? 0) + 1);
    segment.children.forEach(count);
  };
  for (const own of segments) own.forEach(count);
  return uses;
}

export function renamingFor(segments: Iterable<readonly Segment[]>, overrules: Renaming): Renaming {
  return renamingOf(usesOf(segments), overrules);
}

function stacksOf(
  nodes: readonly TraceNode[],
  segments: ReadonlyMap<string, readonly Segment[]>,
  renaming: Renaming,
): string {
  const counts = new Map<string, number>();
  const frame = (kind: string, value: string) => `${kind}:${value.replace(/[;\n]/g, ' ')}`;
  for (const session of sessionsOf(nodes)) {
    const visit = (segment: Segment, above: readonly string[]) => {
      const name = frame('task', renaming.get(segment.tag) ?? segment.tag);
      const path = above.at(-1) === name ? above : [...above, name];
      let at = segment.begin;
      const take = (until: number) => {
        for (; at < until; at++) {
          const node = session.nodes[at] as TraceNode;
          const stack = [...path, frame(node.kind, node.data.tool ?? node.data.action ?? node.kind)].join(';');
          counts.set(stack, (counts.get(stack) ?? 0) + (node.metrics.operations ?? 0));
        }
      };
      for (const child of segment.children) {
        take(child.begin);
        visit(child, path);
        at = child.end;
      }
      take(segment.end);
    };
    for (const segment of segments.get(session.key) ?? []) visit(segment, []);
  }
  return [...counts]
    .filter(([, count]) => count > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([stack, count]) => `${stack} ${count}\n`)
    .join('');
}
