import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Parser, TreeCursor } from 'web-tree-sitter';

/** A syntax node, copied out of the WebAssembly memory: only named nodes, with offsets in UTF-16 units. */
export interface SyntaxNode {
  readonly type: string;
  /** Name of the field it fills in its parent, or ''. */
  readonly field: string;
  readonly start: number;
  readonly end: number;
  /** The grammar could not make sense of something in it. */
  readonly broken: boolean;
  readonly children: readonly SyntaxNode[];
}

export interface ShellParser {
  /** Never throws; a text it cannot parse gives an empty broken node. */
  tree(text: string): SyntaxNode;
}

/** Nodes below this depth are left out and their parent counts as broken. */
const DEPTH = 200;
/** Texts beyond this length are not parsed: the grammar's time grows faster than its input. */
const LONGEST = 1 << 17;

let loading: Promise<ShellParser | undefined> | undefined;

/** The parser, loaded at the first call; undefined where its WebAssembly files cannot be found or started. */
export function loadShellParser(): Promise<ShellParser | undefined> {
  loading ??= load().catch(() => undefined);
  return loading;
}

async function load(): Promise<ShellParser | undefined> {
  const runtime = found('web-tree-sitter.wasm', 'web-tree-sitter/web-tree-sitter.wasm');
  const grammar = found('tree-sitter-bash.wasm', 'tree-sitter-bash/tree-sitter-bash.wasm');
  if (!runtime || !grammar) return undefined;
  const { Parser, Language } = await import('web-tree-sitter');
  await Parser.init({ locateFile: () => runtime });
  const language = await Language.load(readFileSync(grammar));
  const parser = new Parser();
  parser.setLanguage(language);
  return { tree: text => treeOf(parser, text) };
}

/** A file beside this module (as it lies in the bundle), else below a `node_modules` above it. */
function found(name: string, inModules: string): string | undefined {
  const here = dirname(fileURLToPath(import.meta.url));
  const beside = join(here, name);
  if (existsSync(beside)) return beside;
  try {
    const resolved = createRequire(import.meta.url).resolve(inModules);
    if (existsSync(resolved)) return resolved;
  } catch {
    // Not every package exports its wasm file; the walk below finds it by path.
  }
  for (let folder = here; ; folder = dirname(folder)) {
    const path = join(folder, 'node_modules', inModules);
    if (existsSync(path)) return path;
    if (folder === dirname(folder)) return undefined;
  }
}

function treeOf(parser: Parser, text: string): SyntaxNode {
  const nothing: SyntaxNode = { type: 'program', field: '', start: 0, end: text.length, broken: true, children: [] };
  if (text.length > LONGEST) return nothing;
  try {
    const tree = parser.parse(text);
    if (!tree) return nothing;
    const cursor = tree.walk();
    const root = copy(cursor, 0);
    cursor.delete();
    tree.delete();
    return root;
  } catch {
    parser.reset();
    return nothing;
  }
}

function copy(cursor: TreeCursor, depth: number): SyntaxNode {
  const type = cursor.nodeType;
  const children: SyntaxNode[] = [];
  let broken = type === 'ERROR' || cursor.nodeIsMissing;
  const node = {
    type,
    field: depth > 0 ? (cursor.currentFieldName ?? '') : '',
    start: cursor.startIndex,
    end: cursor.endIndex,
  };
  if (depth >= DEPTH) return { ...node, broken: true, children };
  if (cursor.gotoFirstChild()) {
    do {
      // `==`, `=~` and a lone `$` are arguments without a name of their own in the grammar.
      const kept = cursor.nodeIsNamed || cursor.currentFieldName === 'argument';
      if (!kept && !cursor.nodeIsMissing) continue;
      const child = copy(cursor, depth + 1);
      if (child.broken) broken = true;
      if (kept) children.push(child);
    } while (cursor.gotoNextSibling());
    cursor.gotoParent();
  }
  return { ...node, broken, children };
}
