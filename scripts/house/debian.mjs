// @ts-check
import { accessSync, constants, existsSync } from 'node:fs';
import path from 'node:path';
import { run } from './run.mjs';

/**
 * Programs that tests call and that npm cannot bring, with the Debian package of each.
 *
 * @typedef {{ name: string, package: string, file?: string }} Tool
 * @type {readonly Tool[]}
 */
export const TOOLS = [
  { name: 'go', package: 'golang-go' },
  { name: 'chromium', package: 'chromium' },
  { name: 'zstd', package: 'zstd' },
  { name: 'strace', package: 'strace' },
  { name: 'clang', package: 'clang' },
  { name: 'libbpf', package: 'libbpf-dev', file: '/usr/include/bpf/libbpf.h' },
  { name: 'bpftool', package: 'bpftool' },
  { name: 'libelf', package: 'libelf-dev', file: '/usr/include/libelf.h' },
  { name: 'zlib', package: 'zlib1g-dev', file: '/usr/include/zlib.h' },
  { name: 'pgrep', package: 'procps' },
  { name: 'openssl', package: 'openssl' },
  { name: 'curl', package: 'curl' },
  { name: 'python3 of Debian', package: 'python3', file: '/usr/bin/python3' },
];

/** @param {Tool} tool */
function present(tool) {
  if (tool.file) return existsSync(tool.file);
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin', '/sbin'];
  return folders.some(folder => {
    try {
      accessSync(path.join(folder, tool.name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * Installs what is missing with apt-get where that is allowed (root on a Debian), one package after the other if the
 * whole list fails, so that one absent package costs only itself.
 *
 * @param {(line: string) => void} say
 * @returns {Promise<Tool[]>} what is still missing
 */
export async function ensureTools(say) {
  const missing = TOOLS.filter(tool => !present(tool));
  if (missing.length === 0) return [];
  const mayInstall = process.getuid?.() === 0 && present({ name: 'apt-get', package: 'apt' });
  if (!mayInstall) return missing;

  say(`installing from Debian: ${missing.map(tool => tool.package).join(' ')}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (/** @type {string[]} */ ...args) => run('apt-get', ['-q', ...args], { env, capture: true });
  const install = (/** @type {string[]} */ packages) => apt('install', '-y', '--no-install-recommends', ...packages);

  const update = await apt('update');
  if (update.code !== 0) say(update.output.trimEnd());
  const all = await install(missing.map(tool => tool.package));
  if (all.code !== 0) {
    for (const tool of missing) {
      const one = await install([tool.package]);
      if (one.code !== 0) say(`apt-get install ${tool.package}: ${one.output.trimEnd().split('\n').at(-1)}`);
    }
  }
  return missing.filter(tool => !present(tool));
}
