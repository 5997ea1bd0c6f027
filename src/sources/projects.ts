import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';

/**
 * Which project a working directory belongs to. Where the directory exists here, symlinks are resolved and git is
 * asked (by its files, no process): a worktree belongs to the repository it was made from. Where it does not exist
 * (another machine's history) the path is only text.
 */
export interface Project {
  /** Path of the main repository, or the directory itself. */
  readonly root: string;
  /** All directories known to be this project here: the main root, the worktree, the path as it was written. */
  readonly roots: readonly string[];
  /** Last component of the root: what frames show. */
  readonly name: string;
}

export class Projects {
  private readonly known = new Map<string, Project>();

  of(cwd: string): Project {
    let project = this.known.get(cwd);
    if (!project) this.known.set(cwd, (project = resolveProject(cwd)));
    return project;
  }

  /** What was found so far, by directory. */
  entries(): [cwd: string, project: Project][] {
    return [...this.known];
  }
}

function resolveProject(cwd: string): Project {
  const written = withoutTrailing(cwd);
  const textual = worktreeByPath(written);
  if (!isAbsolute(written) || !isDirectory(written)) return projectAt(textual ?? written, [written]);
  const real = realpathSync(written);
  for (let at = real; ; at = dirname(at)) {
    const git = join(at, '.git');
    if (existsSync(git)) {
      const main = isDirectory(git) ? at : (mainOfWorktree(git) ?? at);
      return projectAt(main, [at, inWrittenForm(written, real, at), written]);
    }
    if (dirname(at) === at) return projectAt(textual ?? real, [written]);
  }
}

function projectAt(root: string, others: string[]): Project {
  return { root, roots: [...new Set([root, ...others])], name: lastComponent(root) };
}

/** The repository root as the session wrote it, when a symlink led there. */
function inWrittenForm(written: string, real: string, root: string): string {
  const below = real.slice(root.length);
  return below !== '' && written.endsWith(below) ? written.slice(0, -below.length) : written;
}

/** A worktree's `.git` is a file `gitdir: MAIN/.git/worktrees/NAME`; a submodule's points to `.git/modules`. */
function mainOfWorktree(gitFile: string): string | undefined {
  const target = /^gitdir: (.+)$/m.exec(readFileSync(gitFile, 'utf8').slice(0, 4096))?.[1]?.trim();
  if (!target) return undefined;
  const absolute = resolve(dirname(gitFile), target);
  const at = absolute.replaceAll('\\', '/').lastIndexOf('/.git/worktrees/');
  if (at < 0) return undefined;
  const main = absolute.slice(0, at);
  return isDirectory(main) ? realpathSync(main) : main;
}

/** Worktrees that agents make below the project itself, told by the path alone. */
function worktreeByPath(path: string): string | undefined {
  const plain = path.replaceAll('\\', '/');
  const at = plain.search(/\/(\.claude\/worktrees|\.worktrees)\//);
  if (at > 0) return path.slice(0, at);
  // Codex keeps its worktrees in its own home, by a number and the name of the repository.
  const own = /^.*\/\.codex\/worktrees\/[^/]+\/[^/]+/.exec(plain);
  return own ? path.slice(0, own[0].length) : undefined;
}

export function lastComponent(path: string): string {
  const parts = path.split(/[\\/]+/).filter(part => part !== '');
  const last = parts.at(-1);
  if (last === undefined) return path === '' ? '' : '/';
  return isHomeShaped(path) ? 'home' : last;
}

const HOME_SHAPES = [
  /^(\/(private|System\/Volumes\/Data|export|mnt\/[a-z]|cygdrive\/[a-z]|[a-z]))?\/(home|Users)\/[^/]+\/?$/,
  /^(\/private)?(\/var)?\/root\/?$/,
  /^(\\\\\?\\)?[a-z]:[\\/](Users|Documents and Settings)[\\/][^\\/]+[\\/]?$/i,
  /^\\\\[^\\]+\\([^\\]+\\)?(home|homes|users|profiles)\$?\\[^\\]+\\?$/i,
];

/** A home directory as project would show the user's name. */
function isHomeShaped(path: string): boolean {
  return HOME_SHAPES.some(shape => shape.test(path));
}

function withoutTrailing(path: string): string {
  return path.length > 1 ? path.replace(/[\\/]+$/, '') || '/' : path;
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
