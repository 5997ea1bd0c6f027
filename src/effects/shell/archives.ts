import type { Program } from './call.ts';
import { hasFlag, options, readArguments } from './operands.ts';

const TAR = options(
  '-f: -C: -T< -X< -I: --file: --directory: --exclude: --files-from< --strip-components: --transform:',
);

const tar: Program = call => {
  const args = [...call.args];
  if (/^[a-zA-Z]+$/.test(args[0] ?? '')) args[0] = `-${args[0]}`;
  let archive = '';
  let into = '';
  const { operands } = readArguments(args, TAR, (name, value, option) => {
    if (name === '-f' || name === '--file') archive = value;
    else if (name === '-C' || name === '--directory') into = value;
    else if (option.effect) call.touch(option.effect, value);
  });
  if (hasFlag(args.slice(0, 1), 'cru', '--create', '--append') || args.includes('--create')) {
    call.touchAll(
      'read',
      operands.map(file => (into === '' ? file : `${into}/${file}`)),
    );
    call.touch('write', archive);
  } else {
    call.touch('read', archive);
    if (hasFlag(args.slice(0, 1), 'x', '--extract', '--get') && into !== '') call.touch('write', into);
  }
};

const ZIP = options('-x: -i: -t: -n: -b: -P:');
const UNZIP = options('-d: -x: -P:');
const COMPRESS = options('-S: -T: -o:');

const zip: Program = call => {
  const { operands } = readArguments(call.args, ZIP);
  call.touchAll('read', operands.slice(1));
  call.touchAll('write', operands.slice(0, 1));
};

const unzip: Program = call => {
  let into = '';
  const { operands } = readArguments(call.args, UNZIP, (name, value) => {
    if (name === '-d') into = value;
  });
  call.touchAll('read', operands.slice(0, 1));
  if (into !== '') call.touch('write', into);
};

const SUFFIX: Readonly<Record<string, string>> = { gzip: '.gz', bzip2: '.bz2', xz: '.xz', zstd: '.zst' };

/** A compressor replaces its file; a decompressor too. */
const compress: Program = call => {
  const { operands } = readArguments(call.args, COMPRESS);
  if (hasFlag(call.args, 'ctl', '--stdout', '--test', '--list')) return call.touchAll('read', operands);
  const suffix = SUFFIX[call.program.replace(/^(g|b|x|z)un/, '$1').replace(/^unxz$/, 'xz')] ?? '.gz';
  const unpacks = call.program.includes('un') || hasFlag(call.args, 'd', '--decompress', '--uncompress');
  const keeps = call.program === 'zstd' || hasFlag(call.args, 'k', '--keep');
  for (const file of operands) {
    if (unpacks && !file.endsWith(suffix)) continue;
    call.touch(keeps ? 'read' : 'delete', file);
    call.touch('create', unpacks ? file.slice(0, -suffix.length) : file + suffix);
  }
};

const sevenZip: Program = call => {
  const [action = '', archive = '', ...files] = call.args.filter(arg => !arg.startsWith('-'));
  const into = call.args.find(arg => /^-o./.test(arg))?.slice(2) ?? '';
  call.touch(action === 'a' || action === 'u' || action === 'd' ? 'write' : 'read', archive);
  if (action === 'a' || action === 'u') call.touchAll('read', files);
  if (into !== '' && (action === 'x' || action === 'e')) call.touch('write', into);
};

export const ARCHIVE_PROGRAMS: readonly (readonly [string, Program])[] = [
  ['tar', tar],
  ['bsdtar', tar],
  ['zip', zip],
  ['unzip', unzip],
  ...'gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd'
    .split(' ')
    .map((name): readonly [string, Program] => [name, compress]),
  ...'7z 7za 7zr 7zz'.split(' ').map((name): readonly [string, Program] => [name, sevenZip]),
];
