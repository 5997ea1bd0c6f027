import { KIND_NAMES } from '../../trace/kinds.ts';
import { words } from '../text/words.ts';
import type { Step } from './steps.ts';

/**
 * Names of segments that fold: a verb of a closed list, then what it was done to, in at most two more words. The same
 * kind of work on the same kind of thing gets the same name in every run.
 */
export const VERBS = [
  ...['repeat', 'recover', 'understand', 'plan', 'search', 'locate', 'navigate', 'extract', 'compare', 'compute'],
  ...['diagnose', 'reproduce', 'test', 'edit', 'build', 'configure', 'verify', 'validate', 'coordinate'],
  ...['authenticate', 'update', 'create', 'remove', 'deploy', 'submit', 'escalate', 'communicate', 'report'],
  ...['resolve', 'collect', 'read', 'inspect', 'execute'],
] as const;
const KNOWN_VERBS: ReadonlySet<string> = new Set(VERBS);

const MOST_WORDS = 3;
/** Runs of letters and digits: a name in a script without spaces is as long as it was written, on every version of ICU. */
const NAME_WORD = /[\p{L}\p{M}\p{N}]+/gu;
const LONGEST_WORD = 24;

/** Words that say nothing of an object. */
const EMPTY_WORDS: ReadonlySet<string> = new Set(
  `a an and app at bin by code data dev etc file files for from home in index init into is it lib main my new of old on or
  out path root run src sh the this tmp to usr using var with workspace`.split(/\s+/),
);

/**
 * The canonical form of a name: lower case, words of letters and digits, numbers and hashes left out, at most three
 * words. '' where nothing is left.
 */
export function canonicalName(name: string): string {
  const kept: string[] = [];
  for (const word of separated(name).normalize('NFKC').toLowerCase().match(NAME_WORD) ?? []) {
    if (kept.length === MOST_WORDS) break;
    const plain = [...word].slice(0, LONGEST_WORD).join('');
    if (plain === '' || /^\d+$/.test(plain) || isHash(plain) || kept.includes(plain)) continue;
    if (kept.length > 0 && EMPTY_WORDS.has(plain)) continue;
    kept.push(plain);
  }
  return kept.join(' ');
}

/** `camelCase`, `snake_case` and `kebab-case` as words. */
function separated(name: string): string {
  return name.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replace(/[_./\\-]+/g, ' ');
}

function isHash(word: string): boolean {
  return word.length >= 7 && /^[0-9a-f]+$/.test(word) && /\d/.test(word);
}

/**
 * A name for the steps of a segment, from what was done and to what. `shown` is the form in which an object, a tool or a program may
 * be seen: of a name in lower case and cut to words nobody could tell any more that it is a secret.
 */
export function nameOf(steps: readonly Step[], shown: (object: string) => string): string {
  const verb = verbOf(steps, shown);
  const object = objectOf(steps, verb, shown);
  return canonicalName(`${verb} ${object}`) || 'execute';
}

const CATEGORY_VERBS: Readonly<Record<Step['category'], string>> = {
  delegate: 'coordinate',
  edit: 'edit',
  test: 'test',
  web: 'collect',
  run: 'execute',
  read: 'inspect',
  plan: 'plan',
  analysis: 'understand',
  other: '',
  compact: 'understand',
  usage: 'understand',
  prompt: 'communicate',
  event: 'communicate',
};

/** What says more of a stretch than how often it was done: changing and testing over running, running over looking. */
const SAYS_MORE: Readonly<Partial<Record<Step['category'], number>>> = {
  edit: 3,
  test: 3,
  delegate: 3,
  web: 2,
  run: 1.5,
  other: 1.5,
  prompt: 0.1,
  event: 0.1,
  plan: 0.3,
  analysis: 0.3,
};

const PROGRAM_VERBS: readonly (readonly [RegExp, string])[] = [
  [/^(?:grep|rg|ag|Grep|Glob|fd|ack)$|^find\b|search/i, 'search'],
  [/^(?:pip3?|npm|pnpm|yarn|uv|apt|apt-get|brew|cargo|conda|poetry) (?:install|i|add|ci|update)$/, 'configure'],
  [/^(?:make|gcc|g\+\+|clang|cmake|tsc|javac)$|\bbuild$|^(?:cargo|go) build$/, 'build'],
  [/^git (?:push|commit|tag)$|^gh pr$/, 'submit'],
  [/^git (?:status|log|diff|show|blame)$/, 'inspect'],
  [/^(?:rm|rmdir)$|delete|remove/i, 'remove'],
  [/^(?:systemctl|service|docker|kubectl)\b|deploy/, 'deploy'],
  [/^(?:diff|cmp)$/, 'compare'],
  [/^(?:chmod|chown|export|ln|mkdir)$/, 'configure'],
];

function verbOf(steps: readonly Step[], shown: (name: string) => string): string {
  const weights = new Map<string, number>();
  const seen = new Set<string>();
  for (const step of steps) {
    const verb = stepVerb(step, seen, shown);
    weights.set(verb, (weights.get(verb) ?? 0) + (SAYS_MORE[step.category] ?? 1));
    for (const object of step.objects) seen.add(object);
  }
  return heaviest(weights) ?? 'execute';
}

function stepVerb(step: Step, seen: ReadonlySet<string>, shown: (name: string) => string): string {
  for (const [program, verb] of PROGRAM_VERBS) if (program.test(step.detail)) return verb;
  if (step.category === 'edit') {
    const writes = /write|create/i.test(step.detail);
    return writes && step.objects.length > 0 && !seen.has(step.objects[0] as string) ? 'create' : 'edit';
  }
  const verb = CATEGORY_VERBS[step.category];
  if (verb !== '') return verb;
  const action = shown(step.action);
  const first = words(separated(action))[0] ?? '';
  return KNOWN_VERBS.has(first) ? first : action;
}

/** The object that stands out: touched often, and as a file by its own name. */
function objectOf(steps: readonly Step[], verb: string, shown: (object: string) => string): string {
  const weights = new Map<string, number>();
  const programs = new Map<string, number>();
  for (const step of steps) {
    for (const object of step.objects) {
      const name = objectName(shown(object));
      if (name !== '')
        weights.set(name, (weights.get(name) ?? 0) + (SAYS_MORE[step.category] ?? 1) / step.objects.length);
    }
    const program = namesNothing(step) ? '' : canonicalName(shown(step.detail));
    if (program !== '' && program !== verb) programs.set(program, (programs.get(program) ?? 0) + 1);
  }
  return heaviest(weights) ?? heaviest(programs) ?? '';
}

/** The kind of an operation and the tool of an agent say how it was done, which the verb has said already. */
function namesNothing(step: Step): boolean {
  return (KIND_NAMES as readonly string[]).includes(step.action) || (step.command === '' && step.category !== 'other');
}

/** A file by its name without the ending, a value of a field by itself, a host by its last two parts. */
function objectName(object: string): string {
  const value = object.slice(object.indexOf('=') + 1);
  const parts = value.split('/').filter(part => part !== '' && part !== '.' && part !== '..' && part !== '*');
  for (let at = parts.length - 1; at >= 0; at--) {
    const name = canonicalName((parts[at] as string).replace(/\.[A-Za-z0-9]{1,8}$/, '').replace(/^\./, ''));
    if (name !== '' && !EMPTY_WORDS.has(name)) return name.split(' ').slice(0, 2).join(' ');
  }
  return '';
}

function heaviest(weights: ReadonlyMap<string, number>): string | undefined {
  let best: string | undefined;
  for (const [name, weight] of weights) {
    const most = best === undefined ? -1 : (weights.get(best) as number);
    if (weight > most || (weight === most && name < (best as string))) best = name;
  }
  return best;
}
