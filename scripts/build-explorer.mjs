// @ts-check
// The program of the explorer's page: one script and one style, minified, for src/formats/html.ts to put into a file.
import path from 'node:path';
import { ROOT } from './house/paths.mjs';

/** @returns {Promise<{ script: string, style: string, inputs: string[] }>} `inputs` are the files that went in */
export async function explorerPage() {
  const esbuild = await import('esbuild');
  const { outputFiles, metafile } = await esbuild.build({
    absWorkingDir: ROOT,
    entryPoints: { explorer: 'src/explorer/main.tsx', style: 'src/explorer/style.css' },
    outdir: path.join(ROOT, 'dist'),
    bundle: true,
    minify: true,
    format: 'iife',
    target: ['chrome103', 'firefox113', 'safari16.4'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    charset: 'utf8',
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  const text = (/** @type {string} */ end) => outputFiles.find(file => file.path.endsWith(end))?.text ?? '';
  return {
    script: text('explorer.js').trimEnd(),
    style: text('style.css').trimEnd(),
    inputs: Object.keys(metafile.inputs),
  };
}
