/** An absolute place, its parts without `.` and `..`. `drive` is `c:` on Windows, `//host/share` for a share, else ''. */
export interface Place {
  readonly drive: string;
  readonly parts: readonly string[];
  readonly windows: boolean;
  /** Relative to a directory nobody knows. */
  readonly free?: boolean;
}

const HOMES = new Set(['home', 'users']);

/** `/home` and `/Users`: the folder of everybody's homes. */
export function isCommon(path: readonly string[]): boolean {
  return path.length === 1 && HOMES.has((path[0] as string).toLowerCase());
}

/** How many leading parts are somebody's home, 0 if it is in none. */
export function homeParts({ parts: path }: Place): number {
  const first = (path[0] ?? '').toLowerCase();
  if (first === 'root') return 1;
  if (HOMES.has(first) && path.length > 1) return 2;
  // A drive seen from WSL or Git's shell where nothing else said that this is Windows.
  if (first === 'mnt' && HOMES.has((path[2] ?? '').toLowerCase()) && path.length > 3) return 4;
  if (first.length === 1 && (path[1] ?? '').toLowerCase() === 'users' && path.length > 2) return 3;
  if (first === 'export' && path[1] === 'home' && path.length > 2) return 3;
  return first === 'var' && path[1] === 'root' ? 2 : 0;
}

/** The path of the home a place is in, '' if it is in none. */
export function homeOf(place: Place): string {
  const count = homeParts(place);
  return count === 0 ? '' : `${place.drive}/${place.parts.slice(0, count).join('/')}`;
}

/** Folders and files agents keep in a home, and what the agent is called. */
const AGENTS: readonly (readonly [string, string])[] = [
  ['.claude', 'claude-code'],
  ['.claude.json', 'claude-code'],
  ['.config/claude', 'claude-code'],
  ['.codex', 'codex'],
  ['.gemini/antigravity', 'antigravity'],
  ['.antigravity', 'antigravity'],
  ['.gemini', 'gemini-cli'],
  ['.qwen', 'qwen-code'],
  ['.opencode', 'opencode'],
  ['.config/opencode', 'opencode'],
  ['.local/share/opencode', 'opencode'],
  ['.pi', 'pi'],
  ['.omp', 'oh-my-pi'],
  ['.copilot', 'copilot-cli'],
  ['.cline', 'cline'],
  ['.cursor', 'cursor'],
  ['.config/amp', 'amp'],
  ['.local/share/amp', 'amp'],
  ['.factory', 'droid'],
  ['.kimi', 'kimi'],
  ['.grok', 'grok'],
  ['.openclaw', 'openclaw'],
  ['.openhands', 'openhands'],
];

/** The agent whose folder this is, by the parts below a home, and how many parts name the folder. */
export function agentOf(inHome: readonly string[]): { name: string; depth: number } | undefined {
  const first = inHome[0];
  if (first === undefined || !first.startsWith('.')) return undefined;
  const path = `${inHome.slice(0, 3).join('/')}/`;
  for (const [folder, name] of AGENTS) {
    if (path.startsWith(`${folder}/`)) return { name, depth: folder.split('/').length };
  }
  return undefined;
}

const SYSTEM = new Set(
  'bin boot dev etc lib lib32 lib64 libx32 nix opt proc run sbin srv sys usr var applications library system windows programdata'.split(
    ' ',
  ),
);

/** What to call a place outside the project; `home` is the number of parts that are somebody's home. */
export function region({ drive, parts: path }: Place, home: number): string {
  const [first = '', second = '', third = ''] = path.map(part => part.toLowerCase());
  const head = first === 'private' ? [second, third] : [first, second];
  if (head[0] === 'tmp' || head[0] === 'temp') return 'tmp';
  if (head[0] === 'var' && (head[1] === 'tmp' || head[1] === 'folders')) return 'tmp';
  if (first === 'dev' && second === 'shm') return 'tmp';
  if (first === 'windows' && second === 'temp') return 'tmp';
  if (home > 0) {
    const local = path
      .slice(home, home + 3)
      .join('/')
      .toLowerCase();
    return local === 'appdata/local/temp' ? 'tmp' : 'home';
  }
  if (drive.startsWith('//')) return 'other';
  return SYSTEM.has(head[0] as string) || first.startsWith('program files') ? 'system' : 'other';
}
