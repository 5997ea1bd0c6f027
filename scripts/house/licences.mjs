// @ts-check
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { ROOT } from './paths.mjs';

/** @param {string} input a path relative to the root @returns {string | undefined} the folder of the package it belongs to */
function packageOf(input) {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0];
}

/**
 * The licences of the packages that files come from, as one text in alphabetical order.
 *
 * @param {string[]} inputs files of packages and others, relative to the root
 */
export async function licencesOf(inputs) {
  const folders = new Set(inputs.map(packageOf).filter(folder => folder !== undefined));
  const parts = ['Packages contained in the files of this folder, with their licences.\n'];
  for (const folder of [...folders].sort()) {
    const place = path.join(ROOT, folder);
    const { name, version, license } = JSON.parse(await readFile(path.join(place, 'package.json'), 'utf8'));
    const file = (await readdir(place)).find(entry => /^licen[cs]e/i.test(entry));
    const text = file ? (await readFile(path.join(place, file), 'utf8')).trim() : `Licence: ${license}`;
    parts.push(`${'-'.repeat(80)}\n${name} ${version}\n\n${text}\n`);
  }
  return parts.join('\n');
}
