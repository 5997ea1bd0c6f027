import { agentOf, homeOf, homeParts, isCommon, type Place, region } from './regions.ts';
import { UNKNOWN } from './shell/syntax.ts';

/**
 * Where a file lies, as it may be shown: relative to the project (`src/main.rs`, `.` for its root), or one of
 * `external/tmp`, `external/home`, `external/<agent>` (an agent's own folder in a home), `external/system`,
 * `external/other`. Never an absolute path, a home or a user's name. '' where the path is not known.
 *
 * Paths are compared as text, no file system is asked: `..` goes to the parent as written, symbolic links are not
 * followed, names on Windows are compared without regard to case.
 */
export class Project {
  private readonly roots: readonly Place[];
  private readonly windows: boolean;
  private readonly home: string;
  private readonly placed = new Map<string, Placed>();

  /** `roots` are the absolute paths of the project: its folder and its worktrees, the first being the main one. */
  constructor(roots: readonly string[]) {
    this.windows = roots.some(isWindows);
    const places = roots.map(root => absolute(decoded(root), this.windows)).filter(place => place !== undefined);
    this.home = places.map(homeOf).find(home => home !== '') ?? '';
    // The file system itself and the folder of all homes are no project: everything below would pass as its own.
    this.roots = withoutNested(places.filter(({ parts }) => parts.length > 0 && !isCommon(parts)));
  }

  /** The place of `path` as a tool in the directory `cwd` means it; both may be relative, `cwd` may be ''. */
  place(path: string, cwd: string): string {
    return this.placedAt(path, cwd).shown;
  }

  /** What tells the file from others, also from those of the same place outside the project. Never to be shown. */
  identity(path: string, cwd: string): string {
    return this.placedAt(path, cwd).identity;
  }

  private placedAt(path: string, cwd: string): Placed {
    const key = `${cwd}\n${path}`;
    let placed = this.placed.get(key);
    if (placed === undefined) {
      placed = this.find(path, cwd);
      if (this.placed.size >= REMEMBERED) this.placed.clear();
      this.placed.set(key, placed);
    }
    return placed;
  }

  private find(path: string, cwd: string): Placed {
    const given = decoded(path.includes('\0') ? path.slice(0, path.indexOf('\0')) : path);
    // A URL is no path of this machine.
    if (given === '' || /^[a-z][a-z0-9+.-]+:\/\//i.test(given)) return NOWHERE;
    const at = given.indexOf(UNKNOWN);
    if (at >= 0) {
      const shown = this.unknown(given.slice(0, given.lastIndexOf('/', at) + 1), cwd);
      return { shown, identity: given };
    }
    const place = this.resolve(given, cwd);
    return place ? { shown: this.shown(place), identity: nameOf(place) } : { shown: 'external/other', identity: given };
  }

  /** A path of which only the head is certain is told only if all below that head is the same place. */
  private unknown(head: string, cwd: string): string {
    if (head === '' || head === '/') return '';
    const place = this.resolve(head, cwd);
    const shown = place ? this.shown(place) : '';
    if (!place || !shown.startsWith('external/') || shown === 'external/other') return '';
    return this.roots.some(root => below(root, place)) ? '' : shown;
  }

  /** The absolute place; undefined where a relative path leaves a directory that is not known. */
  private resolve(path: string, cwd: string): Place | undefined {
    const windows = this.windows || isWindows(cwd) || isWindows(path);
    const expanded = this.expanded(path);
    const own = absolute(expanded, windows);
    if (own) return own;
    const base = cwd === '' ? undefined : absolute(this.expanded(decoded(cwd)), windows);
    const from = base ?? this.roots[0];
    const relative = parts(expanded, windows);
    if (from) return { ...from, parts: climb(from.parts, base ? relative : [...parts(cwd, windows), ...relative]) };
    // Without any directory the path is taken as one of the project as long as it stays inside.
    return escapes(relative) ? undefined : { drive: '', parts: climb([], relative), free: true, windows };
  }

  private expanded(path: string): string {
    if (path !== '~' && !/^~[\\/]/.test(path)) return path;
    return (this.home === '' ? '/home/~' : this.home) + path.slice(1);
  }

  private shown(place: Place): string {
    if (place.free) return cut(place.parts.join('/') || '.');
    let best: Place | undefined;
    for (const root of this.roots) {
      if (below(place, root) && (!best || root.parts.length > best.parts.length)) best = root;
    }
    const home = homeParts(place);
    const agent = home > 0 ? agentOf(place.parts.slice(home)) : undefined;
    // The nearer one wins: a worktree inside an agent's folder, or an agent's folder inside a home that is a project.
    if (best && !(agent && home + agent.depth > best.parts.length) && !(home > best.parts.length)) {
      return cut(withoutWorktree(place.parts.slice(best.parts.length)).join('/') || '.');
    }
    if (agent) return `external/${agent.name}`;
    return `external/${region(place, home)}`;
  }
}

/** Where a file lies as it may be shown, and its whole path. */
interface Placed {
  readonly shown: string;
  readonly identity: string;
}

const NOWHERE: Placed = { shown: '', identity: '' };

function nameOf({ drive, parts: path, windows }: Place): string {
  const name = `${drive}/${path.join('/')}`;
  return windows ? name.toLowerCase() : name;
}

/** The same files are touched again and again; so many places are kept at hand. */
const REMEMBERED = 20_000;

function isWindows(path: string): boolean {
  return /^(?:[a-z]:[\\/]|\\\\)/i.test(path) || (path.includes('\\') && !path.includes('/'));
}

/** A `file://` URL as its path. */
function decoded(path: string): string {
  if (!/^file:\/\//i.test(path)) return path;
  const rest = path.slice(7).replace(/^localhost(?=\/)/i, '');
  let text = rest;
  try {
    text = decodeURIComponent(rest);
  } catch {
    // A stray percent sign belongs to the name.
  }
  if (/^\/[a-z]:/i.test(text)) return text.slice(1);
  return text.startsWith('/') ? text : `//${text}`;
}

function absolute(path: string, windows: boolean): Place | undefined {
  const drive = /^(?:\\\\\?\\|\/\/\?\/)?([a-z]:)(?=[\\/]|$)/i.exec(path);
  if (drive) return placed((drive[1] as string).toLowerCase(), path.slice(drive[0].length), true);
  const share = /^(?:\\\\|\/\/)([^\\/]+)[\\/]+([^\\/]+)/.exec(path);
  if (share && (windows || path.startsWith('\\'))) {
    return placed(`//${share[1]}/${share[2]}`.toLowerCase(), path.slice(share[0].length), true);
  }
  if (!path.startsWith('/') && !(windows && path.startsWith('\\'))) return undefined;
  // Git's shell and WSL write drives as folders.
  const mounted = windows ? /^\/(?:mnt\/|cygdrive\/)?([a-z])(?=\/|$)/i.exec(path) : null;
  if (mounted) return placed(`${(mounted[1] as string).toLowerCase()}:`, path.slice(mounted[0].length), true);
  return placed('', path, windows);
}

function placed(drive: string, rest: string, windows: boolean): Place {
  return { drive, parts: climb([], parts(rest, windows)), windows };
}

function parts(path: string, windows: boolean): string[] {
  return (windows ? path.replace(/\\/g, '/') : path).split('/').filter(part => part !== '' && part !== '.');
}

/** `from` followed by `steps`; above the root there is only the root. */
function climb(from: readonly string[], steps: readonly string[]): string[] {
  const at = [...from];
  for (const step of steps) {
    if (step === '..') at.pop();
    else at.push(step);
  }
  return at;
}

/** True if a relative path leaves the directory it begins in. */
function escapes(steps: readonly string[]): boolean {
  let depth = 0;
  for (const step of steps) {
    depth += step === '..' ? -1 : 1;
    if (depth < 0) return true;
  }
  return false;
}

/** True if `place` is `root` or lies in it. */
function below(place: Place, root: Place): boolean {
  if (place.drive !== root.drive || place.free || root.parts.length > place.parts.length) return false;
  for (let i = 0; i < root.parts.length; i++) {
    const a = root.parts[i] as string;
    const b = place.parts[i] as string;
    if (a !== b && !(root.windows && a.toLowerCase() === b.toLowerCase())) return false;
  }
  return true;
}

/**
 * Roots without those inside another: a session that started in `src/` still names files from the top. Worktrees
 * inside a repository are told by their path; one in an agent's folder is a root of its own even if the home is one.
 */
function withoutNested(roots: readonly Place[]): Place[] {
  return roots.filter(root => {
    const home = homeParts(root);
    if (home > 0 && agentOf(root.parts.slice(home))) return true;
    return !roots.some(other => other.parts.length < root.parts.length && below(root, other));
  });
}

/** Below a root: without the folder of a worktree (`.claude/worktrees/NAME/`, `.worktrees/NAME/`). */
function withoutWorktree(path: readonly string[]): readonly string[] {
  if (path[0] === '.worktrees' && path.length > 1) return path.slice(2);
  if ((path[0] === '.claude' || path[0] === '.codex') && path[1] === 'worktrees' && path.length > 2)
    return path.slice(3);
  return path;
}

/** The longest part and the longest path shown; longer ones keep their ends. */
const LONGEST_PART = 100;
const LONGEST = 240;

/** A path inside the project, short enough; a name that looks like a home or a drive gets `./` before it. */
function cut(path: string): string {
  const clean = path.replace(/[\u0000-\u001f\u007f]/g, '?').replace(/^(?=[~\\]|[A-Za-z]:[\\/])/, './');
  if (clean.length <= LONGEST_PART) return clean;
  const short = clean
    .split('/')
    .map(part => shortened(part, LONGEST_PART))
    .join('/');
  return shortened(short, LONGEST);
}

function shortened(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const half = Math.floor((longest - 1) / 2);
  return `${whole(text.slice(0, half))}…${whole(text.slice(-half))}`;
}

/** Without the half of a surrogate pair that a cut left at an end. */
function whole(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
}
