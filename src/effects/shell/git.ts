import type { Call, Program } from './call.ts';
import { hasFlag, options, readArguments } from './operands.ts';
import { lastPart } from './program.ts';
import { remoteHost } from './remote.ts';
import { joined } from './touched.ts';

const GLOBAL = options('-C: -c: --git-dir: --work-tree: --namespace: --exec-path: --super-prefix: --config-env:');
const CLONE = options(
  '-b: -o: -u: -c: -j: --branch: --depth: --origin: --reference: --config: --filter: --jobs: --template: --separate-git-dir:',
);
const COMMIT = options(
  '-m: -F< -C: -c: -t< --message: --file< --author: --date: --template< --fixup: --squash: --cleanup: --trailer:',
);
const LOG = options(
  '-n: -S: -G: -L: -U: -O: --format: --pretty: --since: --until: --after: --before: --author: --grep: --max-count: --skip: --diff-filter: --output> --date:',
);
const REMOTE = options(
  '-o: -j: --depth: --jobs: --upload-pack: --receive-pack: --push-option: --refmap: --shallow-since: --repo:',
);
const APPLY = options('-p: -C: --directory: --include: --exclude:');
const INIT = options('-b: --initial-branch: --template:');
const WORKTREE = options('-b: -B: --reason:');
const MOVE = options('-s: --source: --pathspec-from-file<');

/** The subcommand, its arguments and the directory of `-C`, behind git's own options. */
export function gitCommand(args: readonly string[]): { name: string; rest: readonly string[]; directory: string } {
  let directory = '';
  let i = 0;
  while (i < args.length && (args[i] as string).startsWith('-')) {
    const arg = args[i] as string;
    if (arg === '-C') directory = joined(directory, args[i + 1] ?? '');
    i += GLOBAL.has(arg) ? 2 : 1;
  }
  return { name: args[i] ?? '', rest: args.slice(i + 1), directory };
}

/**
 * git: files named on the line (`add` and `diff` read, `checkout --` and `restore` write), and the hosts of URLs.
 * `push`, `pull` and `fetch` to a named remote contact a host that the line does not tell: no contact.
 */
export const git: Program = call => {
  const { name, rest, directory } = gitCommand(call.args);
  const inside = call.inside(directory === '' ? call.scope.cwd : joined(call.scope.cwd, directory), rest);
  SUBCOMMANDS.get(name)?.(inside);
};

/** Paths behind `--`. */
function behindDashes(call: Call): readonly string[] {
  const at = call.args.indexOf('--');
  return at < 0 ? [] : call.args.slice(at + 1);
}

const reads: Program = call => call.touchAll('read', behindDashes(call));

const restores: Program = call => {
  const paths = behindDashes(call);
  call.touchAll('write', paths);
};

/** The first operand where it is a URL or `host:path`. */
const contacts: Program = call => {
  const host = remoteHost(readArguments(call.args, REMOTE).operands[0] ?? '');
  if (host !== '') call.contact(host);
};

const SUBCOMMANDS: ReadonlyMap<string, Program> = new Map(
  Object.entries<Program>({
    add: call => call.touchAll('read', readArguments(call.args, MOVE).operands),
    stage: call => call.touchAll('read', readArguments(call.args, MOVE).operands),
    diff: reads,
    log: call => {
      readArguments(call.args, LOG, (_, value, option) => {
        if (option.effect) call.touch(option.effect, value);
      });
      reads(call);
    },
    show: reads,
    blame: call => call.touchAll('read', readArguments(call.args, LOG).operands.slice(-1)),
    checkout: restores,
    restore: call => {
      if (!hasFlag(call.args, 'S', '--staged')) call.touchAll('write', readArguments(call.args, MOVE).operands);
    },
    rm: call => {
      if (!hasFlag(call.args, '', '--cached')) call.touchAll('delete', readArguments(call.args, MOVE).operands);
    },
    mv: call => {
      const paths = readArguments(call.args, MOVE).operands;
      const target = paths.at(-1) ?? '';
      call.touchAll('move', paths.slice(0, -1));
      if (paths.length === 2 && !target.endsWith('/')) call.touch('create', target);
      else
        for (const path of paths.slice(0, -1)) call.touch('create', `${target.replace(/\/+$/, '')}/${lastPart(path)}`);
    },
    commit: call => {
      readArguments(call.args, COMMIT, (_, value, option) => {
        if (option.effect) call.touch(option.effect, value);
      });
      reads(call);
    },
    apply: call => call.touchAll('read', readArguments(call.args, APPLY).operands),
    am: call => call.touchAll('read', readArguments(call.args, APPLY).operands),
    init: call => call.touchAll('create', readArguments(call.args, INIT).operands),
    clone: call => {
      const [url = '', into] = readArguments(call.args, CLONE).operands;
      const host = remoteHost(url);
      if (host !== '') call.contact(host);
      else call.touch('read', url);
      call.touch('create', into ?? lastPart(url.replace(/\/+$/, '').replace(/:/g, '/')).replace(/\.git$/, ''));
    },
    worktree: call => {
      const { operands } = readArguments(call.args, WORKTREE);
      if (operands[0] === 'add') call.touchAll('create', operands.slice(1, 2));
      else if (operands[0] === 'remove') call.touchAll('delete', operands.slice(1, 2));
    },
    push: contacts,
    pull: contacts,
    fetch: contacts,
    'ls-remote': contacts,
    submodule: call => {
      if (call.args[0] === 'add') contacts(call.inside(call.scope.cwd, call.args.slice(1)));
    },
  }),
);
