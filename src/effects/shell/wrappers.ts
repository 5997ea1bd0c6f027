import type { Call, Program } from './call.ts';
import { type Option, options } from './operands.ts';
import { isAssignment } from './program.ts';
import { SHELLS, shellArguments } from './shell-arguments.ts';
import { UNKNOWN } from './syntax.ts';

/**
 * Programs that run another one given in their arguments. `operands` counts their own before it, `assigns` allows
 * `NAME=value` there; `builtin` ones are no process.
 */
interface Wrapper {
  readonly options: ReadonlyMap<string, Option>;
  readonly operands: number;
  readonly assigns: boolean;
  readonly builtin: boolean;
  /** Words after the program's name that make it a wrapper (`uv run`), any of them; none where it always is. */
  readonly verbs: readonly string[];
  /** The program is named as a package and may carry a version (`npx eslint@9`). */
  readonly package: boolean;
}

/** Name, then marks: `=` takes assignments, `1` an own operand, `b` builtin, `p` a package; `+verb`; options. */
const WRAPPERS = new Map<string, Wrapper>(
  `
sudo = -u: -g: -h: -p: -C: -D: -R: -T: -U: -r: -t: --user: --group: --host: --prompt: --chdir:
doas -u: -C:
env = -u: -C: --unset: --chdir:
time -f: -o: --format: --output:
timeout 1 -s: -k: --signal: --kill-after:
gtimeout 1 -s: -k: --signal: --kill-after:
nohup
setsid
nice -n: --adjustment:
ionice -c: -n: -p:
chrt 1
taskset 1
stdbuf -i: -o: -e:
unbuffer
caffeinate -t: -w:
watch -n: --interval:
flock 1 -w: -E: -c:
xvfb-run -n: -s: -f: -e: --server-args: --server-num:
strace -o: -e: -p: -s: -E: -u:
ltrace -o: -e: -p: -s: -l: -n:
valgrind
gdb --args
proxychains -f:
proxychains4 -f:
torsocks
sshpass -p: -f: -e
command b
builtin b
exec b -a:
npx p -p: --package: -c: --call: -w: --workspace:
bunx p
pnpx p
uvx p --from: --with: -p: --python: --index-url:
pnpm p +exec +dlx +x
yarn p +exec +dlx
npm p +exec +x
bun p +x
uv +run --with: --python: -p: --from: --extra: --group: --env-file: --directory: --project: --package: --index-url:
poetry +run
pipenv +run
pdm +run
rye +run
hatch +run
pixi +run -e:
conda +run -n: -p: --name: --prefix:
mamba +run -n: -p:
bundle +exec
mise +exec +x
asdf +exec 1
direnv +exec 1
doppler +run
op +run
dotenvx +run -f:
dotenv -e: -c: -v: -f:
rtk p
`
    .trim()
    .split('\n')
    .map((line): [string, Wrapper] => {
      const [name = '', ...marks] = line.split(' ');
      return [
        name,
        {
          options: options(marks.filter(mark => mark.startsWith('-')).join(' ')),
          operands: marks.includes('1') ? 1 : 0,
          assigns: marks.includes('='),
          builtin: marks.includes('b'),
          package: marks.includes('p'),
          verbs: marks.filter(mark => mark.startsWith('+')).map(mark => mark.slice(1)),
        },
      ];
    }),
);

/** The command inside a wrapper's arguments, or undefined if `program` runs nothing else here. */
export function wrapped(program: string, args: readonly string[]): { words: string[]; builtin: boolean } | undefined {
  const wrapper = WRAPPERS.get(program);
  if (!wrapper) return undefined;
  let i = 0;
  if (wrapper.verbs.length > 0) {
    while (i < args.length && (args[i] as string).startsWith('-')) i++;
    if (!wrapper.verbs.includes(args[i] ?? '')) return undefined;
    i++;
  }
  // `command -v name` asks, it does not run.
  if (program === 'command' && /^-[vV]/.test(args[i] ?? '')) return undefined;
  for (let own = wrapper.operands; i < args.length; i++) {
    const arg = args[i] as string;
    if (arg === '--') {
      i++;
      break;
    }
    if (arg.startsWith('-') && arg.length > 1) {
      if (wrapper.options.has(arg)) i++;
    } else if (wrapper.assigns && isAssignment(arg)) continue;
    else if (own > 0) own--;
    else break;
  }
  if (i >= args.length) return undefined;
  const words = args.slice(i);
  if (wrapper.package) words[0] = (words[0] as string).replace(/(.)@[^/]*$/, '$1').replace(/^@[^/]+\/(?=.)/, '');
  return { words, builtin: wrapper.builtin };
}

/** `bash -c TEXT`, `bash FILE`, `bash <<EOF`: the script runs in a scope of its own, below the shell. */
const shell: Program = call => {
  const { script, file } = shellArguments(call.args, call.program);
  if (script !== undefined) call.script(script, call.input);
  else if (file !== '') call.touch('read', file);
  else if (call.input !== '') call.script(call.input);
};

const su: Program = call => {
  const at = call.args.findIndex(arg => arg === '-c' || arg === '--command');
  if (at >= 0) call.script(call.args[at + 1] ?? '');
};

const evaluate: Program = call => call.inline(call.args.join(' '));

const XARGS = options(
  '-I: -i -n: -P: -L: -l -d: -s: -E: -a< --replace --max-args: --max-procs: --max-lines: --delimiter: --arg-file< --max-chars: -J: -R: -S:',
);

/** The files come from standard input and are not known; only what the line itself names counts. */
const xargs: Program = call => {
  let hole = '';
  let i = 0;
  for (; i < call.args.length; i++) {
    const arg = call.args[i] as string;
    if (!arg.startsWith('-')) break;
    if (arg === '-I' || arg === '-J') hole = call.args[i + 1] ?? '';
    else if (/^-I./.test(arg)) hole = arg.slice(2);
    else if (/^-i/.test(arg)) hole = arg.slice(2) || '{}';
    const option = XARGS.get(arg);
    if (option?.effect) call.touch(option.effect, call.args[i + 1] ?? '');
    if (option && arg !== '-i' && arg !== '-l' && arg !== '--replace') i++;
  }
  const words = call.args.slice(i);
  if (words.length === 0) return;
  if (hole !== '') call.execute(words.map(word => word.replaceAll(hole, UNKNOWN)));
  else call.execute([...words, UNKNOWN]);
};

/** Programs named by an interpreter's first operand: a script file that is read. */
const INTERPRETER = options(
  '-c: -m: -e: -p: -r: -W: -X: -I: -E: --eval: --print: --require: --import: --loader: --experimental-loader: --env-file< --test-name-pattern: --test-reporter: -C: --conditions:',
);

const interpreter: Program = call => {
  for (let i = 0; i < call.args.length; i++) {
    const arg = call.args[i] as string;
    if (arg === '-m' && call.program === 'python') return python(call, call.args.slice(i + 1));
    if (/^(-c|-e|-p|-m|--eval|--print)$/.test(arg) || arg === '-') return;
    if (arg.startsWith('-')) {
      const option = INTERPRETER.get(arg);
      if (option?.effect) call.touch(option.effect, call.args[i + 1] ?? '');
      if (option) i++;
      continue;
    }
    if ((call.program === 'deno' || call.program === 'bun') && !/[./]/.test(arg)) {
      if (arg !== 'run' && arg !== 'test') return;
      continue;
    }
    return call.touch('read', arg);
  }
};

/** `python -m MODULE`: a module with the name of a program runs as that; others are scripts of the project. */
function python(call: Call, words: readonly string[]): void {
  const [module = '', ...rest] = words;
  if (module === 'venv' || module === 'virtualenv')
    call.touchAll('create', rest.filter(arg => !arg.startsWith('-')).slice(0, 1));
  else if (module === 'json.tool') call.touchAll('read', rest.filter(arg => !arg.startsWith('-')).slice(0, 1));
  else if (/^[a-z][a-z0-9]{1,19}$/.test(module)) call.execute([module, ...rest]);
}

/** `npx -y` and the like fetch what is not there; without the flag a local program is the rule. */
export function fetchesPackage(program: string, args: readonly string[]): boolean {
  if (program === 'npx') return args[0] === '-y' || args[0] === '--yes';
  return (program === 'pnpm' || program === 'yarn') && args[0] === 'dlx';
}

export const WRAPPER_PROGRAMS: ReadonlyMap<string, Program> = new Map<string, Program>([
  ...[...SHELLS].map((name): [string, Program] => [name, shell]),
  ['su', su],
  ['eval', evaluate],
  ['xargs', xargs],
  ['gxargs', xargs],
  ...'python node nodejs ruby php bun deno Rscript lua julia'
    .split(' ')
    .map((name): [string, Program] => [name, interpreter]),
]);
