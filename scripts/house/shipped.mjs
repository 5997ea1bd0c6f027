// @ts-check

/**
 * Files of packages that are copied into dist/ as they are, because the code looks for them beside itself
 * (`new URL('./x.wasm', import.meta.url)`). All outputs lie flat in dist/, so "beside" holds for every chunk. A CommonJS
 * file is called .cjs there, because the package is one of ES modules.
 *
 * @type {readonly { from: string, as: string }[]}
 */
export const SHIPPED = [
  { from: 'node_modules/web-tree-sitter/web-tree-sitter.wasm', as: 'web-tree-sitter.wasm' },
  { from: 'node_modules/tree-sitter-bash/tree-sitter-bash.wasm', as: 'tree-sitter-bash.wasm' },
  { from: 'node_modules/node-sqlite3-wasm/dist/node-sqlite3-wasm.js', as: 'node-sqlite3-wasm.cjs' },
  { from: 'node_modules/node-sqlite3-wasm/dist/node-sqlite3-wasm.wasm', as: 'node-sqlite3-wasm.wasm' },
];
