import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { cycleOf, importsOfSource, roomOf } from './imports.ts';
import { files, text } from './source.ts';

/**
 * The arrows between the rooms of src/: the rooms that each may import. Data flows one way, from bytes to a file that
 * leaves (docs/architecture.md), so a room knows what comes before it and never what comes after.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[] | 'everything'>> = {
  trace: [],
  disk: [],
  ingest: ['trace'],
  otlp: [],
  sources: ['trace', 'ingest', 'otlp'],
  effects: ['trace'],
  money: ['trace'],
  store: ['trace', 'disk', 'ingest', 'sources', 'effects', 'money'],
  selection: ['trace', 'store'],
  privacy: ['trace', 'disk', 'profile'],
  llm: ['trace', 'disk', 'privacy'],
  meaning: ['trace', 'disk', 'store', 'selection', 'llm'],
  clusters: ['trace', 'store', 'selection', 'meaning', 'llm', 'privacy'],
  profile: ['trace', 'selection'],
  formats: ['trace', 'profile', 'privacy'],
  exports: ['trace', 'store', 'selection', 'profile', 'privacy', 'otlp', 'recorder'],
  recorder: ['trace', 'disk', 'ingest', 'effects', 'privacy'],
  top: ['trace', 'formats'],
  explorer: ['trace', 'money', 'profile', 'privacy', 'formats', 'exports'],
  evaluation: ['trace', 'store', 'selection', 'meaning', 'clusters'],
  cli: 'everything',
};

/** Rooms of pure functions: no file, no network, no clock, no process, no package. */
const PURE = ['trace', 'profile'];

const graph = importsOfSource();
const rooms = [...new Set([...graph.keys()].map(roomOf))];

describe('the arrows of the house go one way', () => {
  it('every room of src/ has its place in the picture', () => {
    expect(rooms.filter(room => !(room in MAY_IMPORT))).toEqual([]);
  });

  it.each(rooms)('%s imports only what comes before it', room => {
    const allowed = MAY_IMPORT[room];
    if (allowed === undefined || allowed === 'everything') return;
    const against: string[] = [];
    for (const [file, { ours }] of graph) {
      if (roomOf(file) !== room) continue;
      for (const target of ours) {
        const to = roomOf(target);
        if (to !== room && !allowed.includes(to)) against.push(`${file} -> ${target}`);
      }
    }
    expect(against).toEqual([]);
  });

  it('no files import each other in a circle', () => {
    expect(cycleOf(graph)).toBeUndefined();
  });

  it('a circle would be found', () => {
    const one = (target: string) => ({ ours: [target], others: [] });
    expect(
      cycleOf(
        new Map([
          ['a', one('b')],
          ['b', one('c')],
          ['c', one('b')],
        ]),
      ),
    ).toBe('b -> c -> b');
  });

  it('every import of ours names a file that is there', () => {
    const all = new Set(files('src'));
    const lost = [...graph].flatMap(([file, { ours }]) =>
      ours.filter(to => !all.has(to)).map(to => `${file} -> ${to}`),
    );
    // What lies outside src/ (package.json) is left to the compiler.
    expect(lost.filter(arrow => arrow.includes('-> src/') && !arrow.endsWith('.wasm'))).toEqual([]);
  });
});

/** The globals a TypeScript file uses (`name.x`, `name(...)`, `new name(...)`) and its string literals, without comments. */
function tokens(source: string): { used: Set<string>; strings: string[] } {
  const used = new Set<string>();
  const strings: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAccessExpression(node) || ts.isCallExpression(node) || ts.isNewExpression(node)) {
      if (ts.isIdentifier(node.expression)) used.add(node.expression.text);
    } else if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node)) strings.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('a.ts', source, ts.ScriptTarget.ES2022));
  return { used, strings };
}

const sourceOf = (room: string): string[] => [...graph.keys()].filter(file => roomOf(file) === room);

describe('what a room must not know', () => {
  it.each(PURE)('%s is pure: it imports no package and nothing of Node, and reads no clock and no process', room => {
    const impure = sourceOf(room).flatMap(file => {
      const { used } = tokens(text(file));
      const worldly = ['process', 'console', 'performance', 'setTimeout', 'globalThis'].filter(n => used.has(n));
      const clock = /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(/.test(text(file)) ? ['the clock or chance'] : [];
      return [...(graph.get(file)?.others ?? []), ...worldly, ...clock].map(what => `${file}: ${what}`);
    });
    expect(impure).toEqual([]);
  });

  it.each(['formats', 'profile', 'trace', 'ingest'])('%s names no agent', room => {
    const agent = /claude|codex|gemini|qwen|opencode|copilot|openhands/i;
    const found = sourceOf(room).flatMap(file =>
      tokens(text(file))
        .strings.filter(s => agent.test(s))
        .map(s => `${file}: ${s}`),
    );
    expect(found).toEqual([]);
  });

  it('only commands print', () => {
    const printing = [...graph.keys()].filter(file => {
      if (roomOf(file) === 'cli') return false;
      const { used } = tokens(text(file));
      return used.has('console') || /\bprocess\.(stdout|stderr)\b/.test(text(file));
    });
    expect(printing).toEqual([]);
  });
});
