import type { FileEffect } from '../../trace/fields.ts';
import { ARCHIVE_PROGRAMS } from './archives.ts';
import type { Program } from './call.ts';
import { hasFlag, options, readArguments, type Shape, shapes } from './operands.ts';
import { lastPart } from './program.ts';
import { UNKNOWN } from './syntax.ts';

/** Programs whose operands are files of one effect. The notation is that of `shapes`. */
const PLAIN = shapes(`
< cat tac nl rev od hexdump strings file stat du md5sum sha1sum sha256sum sha512sum b2sum cksum less more most bat batcat view readlink realpath column paste cmp comm diff colordiff fold expand fmt tree ls ll dir exa eza zcat bzcat xzcat zless  -n: -N: -w: -j: -t: -s: -A: -L: -I: -P: -d: -f: -c: -l: --exclude: --max-depth: --language: --color: --sort: --time-style: --level: --exclude-from: --ignore: --theme: --line-range: -r: -H:
< head tail  -n: -c: -s: --lines: --bytes: --pid:
< wc  --files0-from<
< source pytest mypy pylint flake8 shellcheck hadolint yamllint markdownlint tsx ts-node deno-fmt  -c: -k: -m: -n: -p: -o: -W: --rootdir: --cov: --maxfail: --tb: --config: --ignore: --rcfile:
<1 grep egrep fgrep zgrep ag ack  -e! -f<! -A: -B: -C: -m: -d: -D: --include: --exclude: --exclude-dir: --color: --context: --max-count: --regexp! --file<! --label: --type: --ignore-dir:
<1 rg  -e! -f<! -A: -B: -C: -m: -g: -t: -T: -d: -j: -E: -M: -r: --glob: --iglob: --type: --type-not: --max-depth: --max-count: --regexp! --file<! --context: --after-context: --before-context: --sort: --sortr: --color: --colors: --encoding: --threads: --max-columns: --replace: --ignore-file: --max-filesize: --pre: --engine: --type-add:
<1 jq yq  -f<! --from-file<! --arg: --argjson: --slurpfile: --rawfile: --indent: -L: -p: -o:
<1 fd fdfind  -e: -E: -t: -d: -x: -X: -j: -c: -S: -o: --extension: --exclude: --type: --max-depth: --min-depth: --exec: --exec-batch: --color: --size: --owner: --changed-within: --changed-before:
< sort  -o> -k: -t: -S: -T: --output> --key: --field-separator: --parallel: --buffer-size:
< cut  -d: -f: -c: -b: --delimiter: --fields: --characters: --output-delimiter:
< shuf  -n: -o> -i: --output>
< sqlite3 duckdb =1 =  -c: -cmd: -init: -separator:
< gcc g++ cc c++ clang clang++ rustc = -o> -I: -L: -l: -D: -x: -std: -MF> -MT: -isystem: -include< --edition: --crate-type: --crate-name: --out-dir: -C:
< gofmt shfmt clang-format =  -r: -ln: -style: -d:
< base64 rustfmt prettier eslint biome black ruff isort stylua yapf standard tslint  -w: -i: --config: --config-path: --parser: --ext: --format: --line-length: --target-version: --select: --ignore: --extend-ignore: --edition: --style: -f: -l: --max-warnings: --rule: --ignore-path: --ignore-pattern:
+ mkdir touch  -m: -d: -t: -r: --mode: --date: --reference:
+ mkfifo  -m: --mode:
x rm rmdir unlink shred trash srm  -n: -s:
>1 chmod chown chgrp  --reference:
> tee truncate fallocate  -s: -r: -l: -o: --size: --reference: --length:
`);

const plain: Program = call => {
  const shape = PLAIN.get(call.program) as Shape;
  const found = readArguments(
    call.args,
    shape.options,
    (_, value, option) => {
      if (option.effect) call.touch(option.effect, value);
    },
    shape.unbundled,
  );
  const from = found.replaced ? 0 : shape.skip;
  if (shape.effect) call.touchAll(shape.effect, found.operands.slice(from, from + shape.most));
};

/** `path::test` names a test in a file. */
const pytest: Program = call => {
  const { operands } = readArguments(call.args, (PLAIN.get('pytest') as Shape).options);
  call.touchAll(
    'read',
    operands.map(operand => operand.replace(/::.*$/, '')),
  );
};

/** Formatters read, unless a flag makes them write in place. */
const IN_PLACE: Readonly<Record<string, readonly string[]>> = {
  gofmt: ['-w'],
  goimports: ['-w'],
  shfmt: ['-w'],
  'clang-format': ['-i'],
  yapf: ['-i'],
  prettier: ['--write', '-w'],
  eslint: ['--fix'],
  ruff: ['--fix'],
  biome: ['--write', '--fix', '--apply'],
  standard: ['--fix'],
};
/** These write unless a flag keeps them from it. */
const CHECKS: Readonly<Record<string, readonly string[]>> = {
  black: ['--check', '--diff'],
  isort: ['--check', '--check-only', '--diff'],
  rustfmt: ['--check'],
  stylua: ['--check'],
};
const NO_PATH = new Set(['check', 'format', 'lint', 'ci']);

const formatter: Program = call => {
  const shape = PLAIN.get(call.program === 'goimports' ? 'gofmt' : call.program) as Shape;
  const writes = CHECKS[call.program]
    ? !call.args.some(arg => CHECKS[call.program]?.includes(arg))
    : call.args.some(arg => IN_PLACE[call.program]?.includes(arg)) ||
      (call.program === 'ruff' && call.args[0] === 'format');
  const args = call.args.filter(arg => !IN_PLACE[call.program]?.includes(arg));
  const { operands } = readArguments(args, shape.options);
  const files = NO_PATH.has(operands[0] ?? '') ? operands.slice(1) : operands;
  call.touchAll(writes ? 'write' : 'read', files);
};

const COPY = options('-t: -S: -m: -o: -g: --target-directory: --suffix: --mode: --owner: --group: --backup:');

/**
 * `cp`: the source is read, the target written. `mv`: `move` on the source and `create` on the target, the name
 * that is new. `ln`: the link is created. Into a directory the source's own name is added where the target is
 * surely a directory (a trailing slash, `.`, several sources).
 */
const copies =
  (source: FileEffect | undefined, target: FileEffect): Program =>
  call => {
    let into = '';
    const { operands } = readArguments(call.args, COPY, (name, value) => {
      if (name === '-t' || name === '--target-directory') into = value;
    });
    if (call.program === 'install' && hasFlag(call.args, 'd', '--directory')) return call.touchAll('create', operands);
    const directory = into !== '' || operands.length > 2;
    const sources = into === '' ? operands.slice(0, -1) : operands;
    const to = into === '' ? (operands.at(-1) ?? '') : into;
    if (into === '' && operands.length < 2) {
      if (call.program === 'ln' && operands[0]) call.touch(target, lastPart(operands[0]));
      return;
    }
    if (source) call.touchAll(source, sources);
    if (directory || /(^|\/)\.{0,2}$/.test(to)) {
      for (const from of sources) call.touch(target, `${to.replace(/(.)\/+$/, '$1')}/${lastPart(from)}`);
    } else call.touch(target, to);
  };

const SED = options('-e! -f<! -l: --expression! --file<! --line-length:');

const sed: Program = call => {
  // In place, GNU takes a suffix glued to the flag, BSD an own argument (often empty).
  const at = call.args.findIndex(arg => /^(-[nrEsuz]*i|--in-place)/.test(arg));
  const empty =
    at >= 0 && call.args[at] === '-i' && (call.args[at + 1] === '' || /^\.\w+$/.test(call.args[at + 1] ?? ''));
  const args = call.args.filter((_, index) => index !== at && !(empty && index === at + 1));
  const found = readArguments(args, SED, (_, value, option) => {
    if (option.effect) call.touch(option.effect, value);
  });
  call.touchAll(at >= 0 ? 'write' : 'read', found.replaced ? found.operands : found.operands.slice(1));
};

const PERL = options('-e! -E! -I: -M: -m: -F:');

const perl: Program = call => {
  const inPlace = call.args.some(arg => /^-[a-zA-Z0]*i/.test(arg) && !/^-[IMmF]/.test(arg));
  const found = readArguments(call.args, PERL);
  if (!found.replaced) call.touchAll('read', found.operands.slice(0, 1));
  else call.touchAll(inPlace ? 'write' : 'read', found.operands);
};

const AWK = options('-f<! -F: -v: --file<! --field-separator: --assign:');

const awk: Program = call => {
  const found = readArguments(call.args, AWK, (_, value, option) => {
    if (option.effect) call.touch(option.effect, value);
  });
  for (const file of found.replaced ? found.operands : found.operands.slice(1)) {
    if (!/^\w+=/.test(file)) call.touch('read', file);
  }
};

const dd: Program = call => {
  for (const arg of call.args) {
    if (arg.startsWith('if=')) call.touch('read', arg.slice(3));
    else if (arg.startsWith('of=')) call.touch('write', arg.slice(3));
  }
};

const FIND_FILES: ReadonlyMap<string, FileEffect> = new Map([
  ['-newer', 'read'],
  ['-fprint', 'write'],
  ['-fprintf', 'write'],
  ['-fls', 'write'],
  ['-files0-from', 'read'],
]);

/** What an action is done to is only known to lie under the starting points. */
const find: Program = call => {
  const { args } = call;
  let i = 0;
  while (i < args.length && /^-[HLPDO]/.test(args[i] as string)) i++;
  const starts: string[] = [];
  while (i < args.length && !/^[-(!]/.test(args[i] as string)) starts.push(args[i++] as string);
  const under = (starts.length > 0 ? starts : ['.']).map(start => `${start.replace(/(.)\/+$/, '$1')}/*`);
  call.touchAll('read', starts);
  for (; i < args.length; i++) {
    const arg = args[i] as string;
    const effect = FIND_FILES.get(arg);
    if (effect) call.touch(effect, args[++i] ?? '');
    else if (arg === '-delete') call.touchAll('delete', under);
    else if (/^-(exec|execdir|ok|okdir)$/.test(arg)) {
      const from = i + 1;
      while (i < args.length && args[i] !== ';' && args[i] !== '+') i++;
      const words = args.slice(from, i);
      if (words.length > 0)
        for (const one of under) call.execute(words.map(word => (word === '{}' ? one : unfilled(word))));
    }
  }
};

function unfilled(word: string): string {
  return word.replaceAll('{}', UNKNOWN);
}

const FILTER = options('-f: -s: -w: -l: -c: -g: -o: -n:');

/** One operand is read, a second is written. */
const filter: Program = call => {
  const { operands } = readArguments(call.args, FILTER);
  call.touchAll('read', operands.slice(0, 1));
  call.touchAll('write', operands.slice(1, 2));
};

/** Inputs stand behind `-i`; the output is the last word, unless that is a flag or its value. */
const ffmpeg: Program = call => {
  call.args.forEach((arg, index) => {
    if (arg === '-i') call.touch('read', call.args[index + 1] ?? '');
  });
  const last = call.args.at(-1) ?? '';
  if (/^[^-].*\.\w{2,5}$/.test(last) && call.args.at(-2) !== '-i') call.touch('write', last);
};

const SPLIT = options('-b: -l: -n: -a: -C: -d: --bytes: --lines: --number: --suffix-length:');

const split: Program = call => {
  call.touchAll('read', readArguments(call.args, SPLIT).operands.slice(0, 1));
};

const PATCH = options('-i< -o> -d: -p: -F: -r: -D: -B: -z: -V: --input< --output> --directory: --strip:');

const patch: Program = call => {
  const { operands } = readArguments(call.args, PATCH, (_, value, option) => {
    if (option.effect) call.touch(option.effect, value);
  });
  call.touchAll('write', operands.slice(0, 1));
  call.touchAll('read', operands.slice(1, 2));
};

export const FILE_PROGRAMS: ReadonlyMap<string, Program> = new Map<string, Program>([
  ...ARCHIVE_PROGRAMS,
  ...[...PLAIN.keys()].map((name): [string, Program] => [name, plain]),
  ...[...Object.keys(IN_PLACE), ...Object.keys(CHECKS)].map((name): [string, Program] => [name, formatter]),
  ['cp', copies('read', 'write')],
  ['install', copies('read', 'write')],
  ['mv', copies('move', 'create')],
  ['ln', copies(undefined, 'create')],
  ['sed', sed],
  ['gsed', sed],
  ['perl', perl],
  ['awk', awk],
  ['gawk', awk],
  ['mawk', awk],
  ['dd', dd],
  ['find', find],
  ['gfind', find],
  ['uniq', filter],
  ['xxd', filter],
  ['pytest', pytest],
  ['ffmpeg', ffmpeg],
  ['split', split],
  ['patch', patch],
]);
