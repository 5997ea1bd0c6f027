import { gitCommand } from './git.ts';
import { hasFlag } from './operands.ts';
import { SHELLS, shellArguments } from './shell-arguments.ts';
import { UNKNOWN } from './syntax.ts';

/**
 * True for a command that destroys much, or what no one can bring back: `rm -r` of a broad target, discarded or
 * overwritten git history, dropped tables, formatted disks, permissions opened to everybody.
 * A recursive delete below a project (`rm -rf node_modules`) is none.
 */
export function isDestructive(program: string, args: readonly string[], input: string): boolean {
  return DESTRUCTIVE.get(program)?.(args, input) ?? program.startsWith('mkfs');
}

type Test = (args: readonly string[], input: string) => boolean;

const SYSTEM =
  /^\/(?:bin|boot|dev|etc|home|lib|lib64|media|mnt|opt|proc|root|sbin|srv|sys|usr|var|Applications|Library|System|Users|Volumes)\/?\*?$/;

/** Whole file systems, homes, the directory one stands in, all of it by a pattern, and a repository's history. */
function broad(target: string): boolean {
  // An unset variable leaves nothing behind: `rm -rf "$DIR"/*` may be `rm -rf /*`.
  if (target.includes(UNKNOWN)) return target === `${UNKNOWN}/*`;
  const path = target.replace(/\/+/g, '/');
  if (path === '' || /^\/?tmp(\/|$)/.test(path)) return false;
  if (/^(\/|~|\.{1,2})?\/?(\*|\.\*|\.\[.*)?$/.test(path)) return true;
  if (SYSTEM.test(path)) return true;
  return /^\/(home|Users)\/[^/]+\/?\*?$/.test(path) || /(^|\/)\.git\/?$/.test(path);
}

const operands = (args: readonly string[]) => args.filter(arg => !arg.startsWith('-'));

const removal: Test = args => hasFlag(args, 'rR', '--recursive') && operands(args).some(broad);

const git: Test = args => {
  const { name, rest } = gitCommand(args);
  switch (name) {
    case 'reset':
      return rest.includes('--hard');
    case 'push':
      return hasFlag(rest, 'f', '--force', '--mirror') || rest.some(arg => /^\+./.test(arg));
    case 'clean':
      return hasFlag(rest, 'f', '--force') && !hasFlag(rest, 'n', '--dry-run');
    case 'checkout':
    case 'restore':
      return rest.some(arg => arg === '.' || arg === './' || arg === '*') && !hasFlag(rest, 'S', '--staged');
    case 'stash':
      return rest[0] === 'clear';
    case 'filter-branch':
    case 'filter-repo':
      return true;
    default:
      return false;
  }
};

const LOSES = /\b(drop\s+(table|database|schema)|truncate\s+(table\s+)?\w)|\bdelete\s+from\s+[\w."`]+\s*(;|$)/i;

const sql: Test = (args, input) => args.some(arg => LOSES.test(arg)) || LOSES.test(input);

const opens: Test = args =>
  hasFlag(args, 'R', '--recursive') && args.some(arg => /^0?777$|^(a|o|ugo)?\+rwx$/.test(arg));

const DEVICE = /^\/dev\/(sd|hd|vd|xvd|nvme|disk|rdisk|mmcblk|mapper\/)/;

const DESTRUCTIVE: ReadonlyMap<string, Test> = new Map(
  Object.entries<Test>({
    rm: removal,
    git,
    psql: sql,
    mysql: sql,
    mariadb: sql,
    sqlite3: sql,
    duckdb: sql,
    'clickhouse-client': sql,
    dropdb: () => true,
    'redis-cli': args => args.some(arg => /^flush(all|db)$/i.test(arg)),
    chmod: opens,
    chown: args => hasFlag(args, 'R', '--recursive') && operands(args).slice(1).some(broad),
    dd: args => args.some(arg => arg.startsWith('of=') && DEVICE.test(arg.slice(3))),
    wipefs: () => true,
    shred: args => operands(args).some(arg => DEVICE.test(arg)),
    find: args =>
      args.includes('-delete') &&
      !args.some(arg => /^-(i?name|i?path|i?regex|newer|[mac]time|mmin|empty|size)/.test(arg)) &&
      broad(args[0] ?? '.'),
    terraform: args => args[0] === 'destroy',
    docker: args => /^(system|volume) (prune|rm)$/.test(args.slice(0, 2).join(' ')),
    kubectl: args => args[0] === 'delete' && (args.includes('--all') || /^(ns|namespaces?)$/.test(args[1] ?? '')),
    aws: args => args[0] === 's3' && (args[1] === 'rb' || (args[1] === 'rm' && args.includes('--recursive'))),
  }),
);

/** True if a redirection to this path overwrites a disk. */
export function isDevice(path: string): boolean {
  return DEVICE.test(path);
}

/** Programs whose output, run as a script, is code from the network. */
export const FETCHERS = new Set(['curl', 'wget', 'http', 'xh', 'fetch']);

/** True if a program runs a script that comes from a download under way: by a pipe or by a substitution. */
export function runsItsInput(program: string, args: readonly string[]): boolean {
  if (SHELLS.has(program)) {
    const { script, file } = shellArguments(args, program);
    return (script ?? file) === '' || (script ?? file).includes(UNKNOWN);
  }
  if (program === 'source' || program === 'eval') return args.some(arg => arg.includes(UNKNOWN));
  return INTERPRETERS.has(program) && (args.length === 0 || args[0] === '-');
}

const INTERPRETERS = new Set(['python', 'node', 'perl', 'ruby', 'php']);
