import type { Category } from './categories.ts';

/**
 * What a shell command is for, from its `command` field: the program and the subcommand of programs that are many in
 * one ("git log", "npm run build"), wrappers such as `sudo` taken off. A line as it was typed works too, by its first
 * words. Names are compared in lower case (PowerShell does not mind the case).
 *
 * The field holds no arguments, so `sed -i` and `cat > file` look like reading here; that they write is known from the
 * effects under the tool call (see calls.ts).
 */
export function commandCategory(command: string): Category {
  const words = command.trim().toLowerCase().replace(RUNNERS, '').split(/\s+/);
  const program = (words[0] as string).replace(/^.*[/\\]/, '').replace(/\.(?:exe|cmd|bat|ps1)$/, '');
  if (isTest(program, words)) return 'test';
  const two = `${program} ${words[1] ?? ''}`;
  const three = `${two} ${words[2] ?? ''}`;
  return CATEGORY_OF.get(three) ?? CATEGORY_OF.get(two) ?? CATEGORY_OF.get(program) ?? 'run';
}

/** What runs the program that is meant, in lines as they were typed; the field has them taken off. */
const RUNNERS = /^(?:python[\d.]*\s+-m|npx|bunx|pnpx|uvx|sudo)\s+/;

/** Programs that only set the scene or talk: what else the line did says more. */
export function saysNothing(command: string): boolean {
  return command === '' || SCENERY.has(command.split(' ', 1)[0] as string);
}

const SCENERY = new Set([
  'cd',
  'echo',
  'printf',
  'export',
  'set',
  'true',
  'false',
  'sleep',
  'test',
  '[',
  'mkdir',
  'source',
  'shell',
]);

const words = (text: string): string[] => text.trim().split(/\s+/);
const phrases = (text: string): string[] => text.trim().split(/\s*\n\s*|\s*,\s*/);

const CATEGORY_OF = new Map<string, Category>([
  ...words(
    `cat bat batcat less more head tail nl tac rg grep egrep fgrep zgrep ag ack find fd fdfind ls ll exa eza tree wc stat file
    du df which where whereis type sed awk gawk cut sort uniq diff cmp comm jq yq xxd hexdump od strings column tr realpath
    readlink basename dirname pwd env printenv date whoami id uname hostname ps pgrep lsof uptime free md5sum shasum sha1sum
    sha256sum tokei cloc scc man view ast-grep sg ctags rga zcat xmllint tldr get-content gc get-childitem gci dir
    select-string sls findstr test-path get-item get-command select-object journalctl`,
  ).map((name): [string, Category] => [name, 'read']),
  ...phrases(
    `git status, git log, git diff, git show, git blame, git branch, git remote, git rev-parse, git rev-list, git ls-files,
    git ls-tree, git ls-remote, git describe, git grep, git shortlog, git reflog, git cat-file, git merge-base,
    git for-each-ref, git name-rev, git check-ignore, git count-objects, git diff-tree, git whatchanged, git tag,
    git stash list, git stash show, git worktree list, git submodule status, git remote show, git config
    docker ps, docker logs, docker images, docker inspect, docker compose ps, docker compose logs, kubectl get,
    kubectl describe, kubectl logs, systemctl status, npm ls, npm list, npm view, npm outdated, npm info, pip list,
    pip show, pip freeze, cargo metadata, cargo tree, go list, go env, go doc, go version, brew list, brew info`,
  ).map((name): [string, Category] => [name, 'read']),
  ...words(
    `apply_patch applypatch patch ed ex tee touch cp mv rm rmdir ln truncate sponge unlink rsync dos2unix set-content add-content
    new-item remove-item copy-item move-item rename-item out-file`,
  ).map((name): [string, Category] => [name, 'edit']),
  ...phrases('git apply, git am, git mv, git rm, git restore, git clean, sed -i, perl -i, perl -pi').map(
    (name): [string, Category] => [name, 'edit'],
  ),
  ...words(
    'curl wget http https httpie xh lynx w3m links aria2c ddgr yt-dlp invoke-webrequest iwr invoke-restmethod irm',
  ).map((name): [string, Category] => [name, 'web']),
  ...phrases(
    `gh pr view, gh pr list, gh pr diff, gh pr checks, gh pr status, gh issue view, gh issue list, gh run view, gh run list,
    gh run watch, gh repo view, gh release view, gh release list, gh search, gh api, glab mr view, glab issue view`,
  ).map((name): [string, Category] => [name, 'web']),
  ...words('claude codex gemini qwen opencode aider cursor-agent amp droid goose crush').map(
    (name): [string, Category] => [name, 'delegate'],
  ),
  ...phrases('claude mcp, claude plugin, claude doctor, codex mcp, codex login, gemini mcp, opencode auth').map(
    (name): [string, Category] => [name, 'run'],
  ),
  ...words(
    `pytest py.test jest vitest mocha ava tap tape jasmine karma rspec phpunit pest ctest tox nox behave cypress playwright unittest
    nose2 bats prove ginkgo gotestsum cargo-nextest busted karate newman wdio testcafe stryker mutmut nosetests`,
  ).map((name): [string, Category] => [name, 'test']),
]);

/** A subcommand, script or target that is named for tests: `go test`, `npm run test:unit`, `make check`. */
function isTest(program: string, words: readonly string[]): boolean {
  if (program === 'make' && words[1] === 'check') return true;
  if (program === 'node' && words[1] === '--test') return true;
  if (!RUNS_SCRIPTS.has(program)) return false;
  return words.slice(1, 4).some(word => NAMED_FOR_TESTS.test(word));
}

const NAMED_FOR_TESTS =
  /^(?:[\w./-]*[:_./-])?(?:tests?|t|spec|specs|e2e|coverage|vitest|jest|pytest|nextest|rspec)(?:[:_-][\w:./-]*)?$/;

const RUNS_SCRIPTS = new Set(
  words(
    `npm pnpm yarn bun deno node go cargo make gmake just task mise rake gradle gradlew mvn mvnw dotnet rails mix swift flutter dart
    bazel buck2 nx turbo lerna composer sbt lein stack cabal zig ninja invoke poetry pipenv pdm uv hatch rye tox rushx pixi
    moon xcodebuild django-admin manage.py meson crystal gleam elm dune`,
  ),
);
