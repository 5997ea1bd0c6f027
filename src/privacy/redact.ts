import { redactAssignments } from './assignments.ts';
import {
  globHomes,
  homesElsewhere,
  isTelling,
  redactAccounts,
  redactEmails,
  redactFolders,
  redactHomes,
  redactHomesInside,
  usersIn,
  userWords,
} from './people.ts';
import { asPattern, HOME, withoutPlaceholders } from './placeholders.ts';
import { redactSecrets } from './secrets.ts';

/**
 * The one place that decides what may leave the machine. Frame values, labels and comments go through `frame`, free
 * text that a person asked to see or that is sent to a model through `text`. Both take out secrets of every
 * well-known shape, e-mail addresses, home directories and the user names in them; plain words, relative paths,
 * domains, hashes and ids stay as they are. Time is linear in the text, and redacting twice changes nothing.
 *
 * Redact first and cut afterwards: half a secret has no shape.
 */
export interface Redactor {
  /** A frame value or label of a kind (`file`, `branch`, ...). Memoised. */
  frame(kind: string, value: string): string;
  text(text: string): string;
  /**
   * A path that a shell still opens: `~` for what lies below `home`, `*` for each name of a user, as in
   * `~/.claude/projects/-home-*-shop/4f3a.jsonl`.
   */
  path(path: string, home: string): string;
  /**
   * What is left of free text for names that are made of its words. Words must be taken from this and never from the text:
   * lower-cased and cut, a secret has no shape that a later look could see.
   */
  sayable(text: string): string;
}

/** Kinds whose words are the vocabulary of agents and of this program: a user called Max does not own `codex-max`. */
const VOCABULARY = new Set(
  `agent agent_version entrypoint model tool prompt task call token status effect event error turn repeat unsafe day week
month`.split(/\s+/),
);

/** Kinds whose values are names and no paths. */
const NAMES = new Set(['tool', 'mcp_server', 'skill', 'model', 'subagent', 'event', 'error']);

/** Values kept by the memo; beyond it the memo starts again, so that a run's memory stays bounded. */
const REMEMBERED = 200_000;

/** What a machine tells of its people. */
export interface People {
  /** Home directories, wherever they lie. */
  readonly homes?: Iterable<string>;
  /** Names of users. */
  readonly users?: Iterable<string>;
}

/**
 * A redactor that knows the user names in the home directories of `paths` (HOME, the sessions' working directories)
 * and takes them out wherever they stand as a word. Give all paths at once: what leaves must not depend on order.
 */
export function redactorFor(paths: Iterable<string>, people: People = {}): Redactor {
  const users = usersIn(paths);
  const homes = homesElsewhere(people.homes ?? [], users);
  for (const name of people.users ?? []) if (isTelling(name)) users.add(name);
  const words = userWords(users);
  const known: Known = { users, words, homes };
  const plain = new Map<string, string>();
  const named = new Map<string, string>();
  return {
    frame(kind, value) {
      const vocabulary = VOCABULARY.has(kind);
      const memo = vocabulary ? plain : named;
      let clean = memo.get(value);
      if (clean === undefined) {
        if (memo.size >= REMEMBERED) memo.clear();
        clean = redact(value, vocabulary ? { users: NONE, words: undefined, homes } : known);
        if (NAMES.has(kind)) clean = redactHomesInside(clean);
        memo.set(value, clean);
      }
      return clean;
    },
    text: text => redact(text, known),
    path(path, home) {
      const own = home !== '' && home !== '/' && (path === home || path.startsWith(`${home}/`));
      const rest = globHomes(own ? path.slice(home.length) : path);
      return `${own ? HOME : ''}${asPattern(redact(rest, known))}`;
    },
    sayable: text => withoutPlaceholders(redact(text, known)),
  };
}

const anonymous = redactorFor([]);

/** Redacts a frame value or label without knowing the machine's users. */
export const redactFrame = (kind: string, value: string): string => anonymous.frame(kind, value);
/** Redacts free text without knowing the machine's users (those in its own home paths are taken out). */
export const redactText = (text: string): string => anonymous.text(text);

const NONE: ReadonlySet<string> = new Set();

/** What is taken out beside what has a shape. */
interface Known {
  readonly users: ReadonlySet<string>;
  /** Takes out their names. */
  readonly words: ((text: string) => string) | undefined;
  /** Takes out homes that have no shape. */
  readonly homes: ((text: string) => string) | undefined;
}

/** A replacement can lay bare what its neighbour hid, so rounds go on until nothing changes; the bound stops a flaw. */
const MOST_ROUNDS = 8;

function redact(text: string, known: Known): string {
  let before = text;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const after = once(before, known);
    if (after === before) break;
    before = after;
  }
  return before;
}

function once(text: string, known: Known): string {
  let result = redactAssignments(redactSecrets(text));
  if (result.includes('@')) result = redactEmails(result);
  result = redactAccounts(result);
  if (known.homes) result = known.homes(result);
  const found = new Set<string>();
  result = without(redactHomes(result, found), found, known);
  const before = found.size;
  result = redactFolders(result, found);
  return found.size > before ? without(result, found, known) : result;
}

/** Takes out the words of the known users and of those the text itself named. */
function without(text: string, found: ReadonlySet<string>, { users, words }: Known): string {
  const fresh = [...found].some(user => !users.has(user));
  const all = fresh ? userWords([...users, ...found]) : words;
  return all === undefined ? text : all(text);
}
