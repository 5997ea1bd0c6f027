import { StringColumn } from '../../trace/columns.ts';
import type { Segment } from './marks.ts';
import type { Renaming } from './near-names.ts';
import type { SessionNodes } from './nodes.ts';

/** Separates the names of a path: each becomes a frame of its own. */
const LIST = '\u001f';

/** The column `task`: the path of segments around each node, outermost first. */
export function taskColumn(
  sessions: Iterable<readonly [nodes: SessionNodes, segments: readonly Segment[]]>,
  renaming: Renaming,
): StringColumn {
  const column = new StringColumn();
  const shown = (tag: string) => renaming.get(tag) ?? tag;
  for (const [nodes, segments] of sessions) {
    const fill = (segment: Segment, above: string) => {
      // The same name twice in a row says nothing more.
      const name = shown(segment.tag);
      const last = above.slice(above.lastIndexOf(LIST) + 1);
      const path = above === '' ? name : last === name ? above : `${above}${LIST}${name}`;
      const code = column.code(path);
      for (let at = segment.begin; at < segment.end; at++) column.setCode(nodes.rows[at] as number, code);
      for (const child of segment.children) fill(child, path);
    };
    for (const segment of segments) fill(segment, '');
  }
  return column;
}
