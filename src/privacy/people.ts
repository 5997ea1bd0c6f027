import { ACCOUNT, EMAIL, HOME, USER } from './placeholders.ts';

/**
 * What names a person: home directories and the user names in them, e-mail addresses, account numbers of clouds.
 *
 * Names of people in free text cannot be told by shape, least of all Chinese ones (two or three characters that are
 * also ordinary words). That is why no default output holds free text at all; this only guards what does leave.
 */

const NAME = `[^\\s/\\\\:*?"'\`<>|,;()[\\]{}$&=#%@~!。，、；：！？（）「」《》“”‘’]`;
/** Where an absolute path may start: not inside a word or a relative path; after `-I` and an escaped line break it may. */
const START = `(?:(?<![\\w.~])|(?<=\\\\[nrt])|(?<=(?:^|\\s)-[A-Z]))(?<!(?:https?|wss?|ssh|git|ftp|s3|gs):/)`;
/** Mount points under which other systems' homes appear. */
const MOUNT =
  '(?:/(?:private|hostfs|host|rootfs|var|export|nfs|System/Volumes/Data|run/host|mnt/[a-z]|cygdrive/[a-z]|[a-z](?=/Users/)|Volumes/[^/\\n]{1,64}|mnt/wsl/[^/\\s]{1,64}))?';
const UNIX_HOME = new RegExp(`${START}${MOUNT}/(?:home|Users|run/media)/(${NAME}+)`, 'g');
const ROOT_HOME = new RegExp(`${START}(?<!/)/root(?=[/\\s"'\`,;:)\\]}]|$)`, 'g');
const WINDOWS_HOME = new RegExp(
  `(?:\\\\{2,4}\\?\\\\{1,2})?(?:(?<![A-Za-z])|(?<=\\\\[nrt]))[A-Za-z]:[\\\\/]{1,8}(?:Users|Documents and Settings)[\\\\/]{1,8}(${NAME}+(?: ${NAME}+){1,3}(?=[\\\\/])|${NAME}+)`,
  'gi',
);
const WSL_HOME = new RegExp(
  `(?:\\\\{2,8}|//)wsl(?:\\$|\\.localhost)[\\\\/]{1,8}[^\\\\/\\s"']{1,64}[\\\\/]{1,8}(?:home[\\\\/]{1,8}(${NAME}+)|root(?![\\w-]))`,
  'gi',
);
/** Homes that a company keeps on a server: the share or its first folder is that of all homes. */
const SHARE_HOME = new RegExp(
  `(?<![:\\\\])\\\\{2,8}[\\w.-]{1,64}\\\\{1,8}(?:[\\w.$-]{1,64}\\\\{1,8})?(?:Users|Homes?|Profiles)\\$?\\\\{1,8}(${NAME}+)`,
  'gi',
);
/** In a name that is no path there is no relative path either: whatever stands before, `/home/alice` is a home. */
const HOME_INSIDE = new RegExp(`/(?:home|Users)/(${NAME}+)`, 'g');
const QUOTED_HOME = /(?:%2F|%5C)(?:home|Users)(?:%2F|%5C)([^\s%&"'/\\[\]]+)/gi;
/** Claude Code names a project's folder after its path: `-home-alice-shop`, `C--Users-alice-shop`. */
const ENCODED_HOME = /((?:^|[\s/\\"'=:(])(?:[A-Za-z]-)?-(?:home|Users)-)([A-Za-z0-9]+)(?![A-Za-z0-9])/g;
const HOME_HINT = /home|users|root|profiles|documents and settings|run\/media/i;

/** Names every machine has: replacing them elsewhere would hide ordinary words and protect nobody. */
const COMMON = new Set(
  `root user users admin administrator ubuntu debian centos fedora alpine runner node app apps dev devel developer test tests tester
home code coder git github gitlab build builder vscode codespace codespaces circleci jenkins guest public shared default everyone me you
name username agent agents claude codex gemini cursor docker www data work worker workspace project projects repo python nobody vagrant
azureuser gitpod sandbox main master src lib bin tmp var etc opt usr server client service deploy web api config local email redacted
account linuxbrew postgres mysql redis nginx daemon system operator support info sales the and for`.split(/\s+/),
);
/** Homes that belong to nobody. */
const NOBODY = new Set(['shared', 'public', 'default', 'linuxbrew', 'all users']);

/** Replaces home directories by `~`; adds the user names found to `users`. */
export function redactHomes(text: string, users: Set<string>): string {
  if (!HOME_HINT.test(text)) return text;
  const replace = (whole: string, name?: string): string => {
    if (name === undefined) return HOME;
    if (NOBODY.has(name.toLowerCase())) return whole;
    const length = lengthWithout('.…', name);
    if (length === 0) return whole;
    for (const form of formsOf(name.slice(0, length))) users.add(form);
    return HOME + name.slice(length);
  };
  let result = text.replace(WINDOWS_HOME, replace).replace(WSL_HOME, replace).replace(SHARE_HOME, replace);
  result = result.replace(UNIX_HOME, replace);
  if (result.includes('/root')) result = result.replace(ROOT_HOME, HOME);
  if (result.includes('%')) result = result.replace(QUOTED_HOME, replace);
  return result;
}

/** The same for a home that stands right behind letters, as in the name of a tool that holds a path. */
export function redactHomesInside(text: string): string {
  return text.replace(HOME_INSIDE, (whole: string, name: string) =>
    NOBODY.has(name.toLowerCase()) ? whole : HOME + name.slice(lengthWithout('.…', name)),
  );
}

/** The same for a path that is to be opened: what stands for the name is what a shell finds it by. */
export function globHomes(path: string): string {
  return path.replace(HOME_INSIDE, (whole: string, name: string) =>
    // `*` finds no hidden name, and no user has one.
    NOBODY.has(name.toLowerCase()) || name.startsWith('.') ? whole : `${whole.slice(0, -name.length)}*`,
  );
}

/** The length of `text` without those of `marks` at its end. */
function lengthWithout(marks: string, text: string): number {
  let length = text.length;
  while (length > 0 && marks.includes(text[length - 1] as string)) length--;
  return length;
}

/** Replaces the user in folders named after a home; to be called when known names are gone, for they may hold dashes. */
export function redactFolders(text: string, users: Set<string>): string {
  if (!text.includes('-')) return text;
  return text.replace(ENCODED_HOME, (whole: string, head: string, user: string) => {
    if (NOBODY.has(user.toLowerCase())) return whole;
    for (const form of formsOf(user)) users.add(form);
    return head + USER;
  });
}

/** The name, its Latin start if other script follows without a blank, and its spelling in a folder's name. */
function formsOf(user: string): string[] {
  const latin = /^[A-Za-z0-9._-]+/.exec(user)?.[0] ?? user;
  return [user, latin, user.replace(/[^A-Za-z0-9\u0080-\uffff]/g, '-')].filter(isTelling);
}

/** Longer ones are no user names (Linux allows 32 characters), and a pattern of them would not compile. */
const LONGEST_USER = 64;
/** More names than this in one text are a list of something else. */
const MOST_USERS = 500;

/** Whether a name says who somebody is. */
export function isTelling(name: string): boolean {
  const long = /[^\x20-\x7e]/.test(name) ? 2 : 3;
  return name.length >= long && name.length <= LONGEST_USER && !COMMON.has(name.toLowerCase()) && /\p{L}/u.test(name);
}

/** User names in the home directories of `paths` (working directories, HOME). */
export function usersIn(paths: Iterable<string>): Set<string> {
  const users = new Set<string>();
  for (const path of paths) redactHomes(path, users);
  return users;
}

/** Folders of the system, of which nothing below is somebody's because of its name alone. */
const NOBODYS = new Set(['tmp', 'var', 'usr', 'opt', 'etc', 'run', 'private', 'proc', 'dev']);

/**
 * Homes that do not look like any, because a machine keeps them elsewhere (`/srv/people/alice`): replaces them by `~`.
 * Undefined if there are none. Adds the names of their owners to `users`.
 */
export function homesElsewhere(homes: Iterable<string>, users: Set<string>): ((text: string) => string) | undefined {
  const paths: string[] = [];
  for (const home of new Set(homes)) {
    const path = home.slice(0, lengthWithout('/\\', home));
    const parts = path.split(/[\\/]/).filter(part => part !== '');
    const [first = '', second] = parts;
    if (first === '' || redactHomes(path, new Set()) !== path) continue;
    // The machine's own folder as a home (of a service) is nobody's secret.
    if (second === undefined && NOBODYS.has(first)) continue;
    paths.push(path);
    if (second !== undefined && !NOBODYS.has(first))
      for (const form of formsOf(parts.at(-1) as string)) users.add(form);
  }
  if (paths.length === 0) return undefined;
  const escaped = paths.sort((a, b) => b.length - a.length).map(path => path.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&'));
  const all = new RegExp(`(?:(?<![\\w.~-])|(?<=\\\\[nrt]))(?:${escaped.join('|')})(?![\\w-])`, 'g');
  return text => text.replace(all, HOME);
}

/** Takes the given user names out of a text, as whole words in any case; undefined if there are none. */
export function userWords(users: Iterable<string>): ((text: string) => string) | undefined {
  const names = [...new Set(users)].sort((a, b) => b.length - a.length || (a < b ? -1 : 1)).slice(-MOST_USERS);
  if (names.length === 0) return undefined;
  const escaped = names.map(name => name.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&'));
  const words = new RegExp(`(?:${escaped.join('|')})(?![A-Za-z0-9])`, 'gi');
  // What stands before is looked at only where a name is: a lookbehind at every character would cost most of the time.
  return text => text.replace(words, (name: string, at: number) => (startsWord(text, at) ? USER : name));
}

/** True after anything but a letter or digit, and after a written-out line break. */
function startsWord(text: string, at: number): boolean {
  return (
    at === 0 || !/[A-Za-z0-9]/.test(text[at - 1] as string) || /\\[nrt]$/.test(text.slice(Math.max(0, at - 2), at))
  );
}

const LOCAL_PART = /[A-Za-z0-9._%+-]/;
/** No domain is longer than 253 characters. */
const DOMAIN = /[A-Za-z0-9.-]{0,254}/y;
/** Endings of files that look like addresses: `icon@2x.png`, `pkg@1.0.tgz`. */
const FILE_ENDING =
  /\.(?:png|jpe?g|gif|svg|webp|ico|bmp|avif|[cm]?[jt]sx?|json5?|css|scss|less|html?|txt|tgz|gz|lock|ya?ml|toml|map|whl|jar)$/i;

/** Replaces e-mail addresses. Every character is looked at once from its `@`. */
export function redactEmails(text: string): string {
  let result = '';
  let done = 0;
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    let start = at;
    while (start > done && LOCAL_PART.test(text[start - 1] as string)) start--;
    // The letter of a written-out line break belongs to it, not to the name.
    if (text[start - 1] === '\\' && 'nrt'.includes(text[start] as string)) start++;
    while (start < at && '.%+-'.includes(text[start] as string)) start++;
    DOMAIN.lastIndex = at + 1;
    DOMAIN.test(text);
    const behind = text.slice(at + 1, DOMAIN.lastIndex);
    const domain = behind.slice(0, lengthWithout('.-', behind));
    if (start === at || !isMailDomain(domain) || /^(?:git|hg)$/.test(text.slice(start, at))) continue;
    result += text.slice(done, start) + EMAIL;
    done = at + 1 + domain.length;
  }
  return result + text.slice(done);
}

function isMailDomain(domain: string): boolean {
  // `icon@2x.png` is a file, `someone@example.com.txt` a file named after an address.
  const name = domain.replace(FILE_ENDING, '');
  return /^[A-Za-z0-9].*\.[A-Za-z]{2,24}$/.test(name) && !/^v?\d+\.\d/.test(name);
}

const ARN_ACCOUNT = /(\barn:aws[\w-]{0,20}:[\w-]{0,40}:[\w-]{0,40}:)\d{12}(?=:)/g;

/** Account numbers in AWS resource names, which some agents write as the name of a model. */
export function redactAccounts(text: string): string {
  return text.includes('arn:aws') ? text.replace(ARN_ACCOUNT, `$1${ACCOUNT}`) : text;
}
