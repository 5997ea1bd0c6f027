// Builds the recorder's engine, dist/agentsight-engine, from recorder/*.c with Debian's tools. Nothing else of the project needs it.
// One that was built from the same sources before is taken again; --force builds it anew.
import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { carryEngine, engineSources, keepEngine } from './house/engine.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const source = join(root, 'recorder');
const target = join(root, 'dist', 'agentsight-engine');
const sources = engineSources(root);
const KERNEL_TYPES = '/sys/kernel/btf/vmlinux';
const ARCH = { x64: ['x86', 'x86_64-linux-gnu'], arm64: ['arm64', 'aarch64-linux-gnu'] }[process.arch];

const onPath = name =>
  (process.env.PATH ?? '')
    .split(':')
    .concat('/usr/sbin', '/sbin')
    .map(dir => join(dir, name))
    .find(existsSync);

if (process.platform !== 'linux' || ARCH === undefined) {
  console.error(
    `The recorder's engine exists for Linux on x64 and arm64; this is ${process.platform} on ${process.arch}. Everything else works without it.`,
  );
  process.exit(1);
}
if (!process.argv.includes('--force') && carryEngine(root, dirname(target)) === 'carried') {
  console.log(`${target} is that of these sources already`);
  process.exit(0);
}
const [arch, triple] = ARCH;
const needed = [
  ['clang', onPath('clang')],
  ['bpftool', onPath('bpftool')],
  ['libbpf-dev', [`/usr/lib/${triple}/libbpf.a`, '/usr/lib64/libbpf.a', '/usr/lib/libbpf.a'].find(existsSync)],
  ['libelf-dev', [`/usr/lib/${triple}/libelf.a`, '/usr/lib64/libelf.a', '/usr/lib/libelf.a'].find(existsSync)],
  ['zlib1g-dev', [`/usr/lib/${triple}/libz.a`, '/usr/lib64/libz.a', '/usr/lib/libz.a'].find(existsSync)],
];
const missing = needed.filter(([, found]) => !found).map(([name]) => name);
if (missing.length > 0) {
  console.error(
    `The recorder's engine cannot be built: missing ${missing.join(', ')}.\n  apt-get install -y ${missing.join(' ')}\nWithout it agentsight record uses strace, if installed.`,
  );
  process.exit(1);
}
if (!existsSync(KERNEL_TYPES)) {
  console.error(`The recorder's engine cannot be built here: this kernel has no type information (${KERNEL_TYPES}).`);
  process.exit(1);
}

mkdirSync(dirname(target), { recursive: true });
const work = mkdtempSync(join(dirname(target), '.engine-'));
const run = (name, args, out) => {
  const fd = out === undefined ? 'inherit' : openSync(join(work, out), 'w');
  try {
    execFileSync(onPath(name), args, { stdio: ['ignore', fd, 'inherit'] });
  } finally {
    if (typeof fd === 'number') closeSync(fd);
  }
};
try {
  run('bpftool', ['btf', 'dump', 'file', KERNEL_TYPES, 'format', 'c'], 'vmlinux.h');
  for (const name of ['engine', 'tls']) {
    const object = join(work, `${name}.bpf.o`);
    run('clang', [
      '-g',
      '-O2',
      '-Wall',
      '-target',
      'bpf',
      `-D__TARGET_ARCH_${arch}`,
      `-I${work}`,
      `-I${source}`,
      `-I/usr/include/${triple}`,
      '-c',
      join(source, `${name}.bpf.c`),
      '-o',
      object,
    ]);
    run('bpftool', ['gen', 'skeleton', object, 'name', `${name}_bpf`], `${name}.skel.h`);
  }
  run('clang', [
    '-O2',
    '-Wall',
    '-static',
    `-I${work}`,
    `-I${source}`,
    join(source, 'loader.c'),
    '-o',
    join(work, 'engine'),
    '-lbpf',
    '-lelf',
    '-lz',
  ]);
  keepEngine(root, join(work, 'engine'), sources);
  renameSync(join(work, 'engine'), target);
  console.log(`built ${target}`);
} catch (error) {
  console.error(`The recorder's engine could not be built: ${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}
