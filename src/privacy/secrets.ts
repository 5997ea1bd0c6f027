import { REDACTED } from './placeholders.ts';

/**
 * Secrets that show by their own shape: the prefixes that services give their keys so that scanners can find them.
 * Shapes are those the issuers document. None is matched by a suffix after an open run, so time stays linear: a run
 * that is too short costs at most its minimum length.
 */
interface Shape {
  /** Literal beginnings. Text without any of them is not looked at further. */
  readonly marks: readonly string[];
  /** What must follow, as a pattern. */
  readonly rest: string;
  /** The beginning is short enough to end an ordinary word, so it must not follow a letter or digit. */
  readonly edge?: true;
}

const SHAPES: readonly Shape[] = [
  // AWS: ids of long-term and temporary keys, roles and users.
  {
    marks: ['AKIA', 'ASIA', 'ABIA', 'ACCA', 'AGPA', 'AIDA', 'AROA', 'AIPA', 'ANPA', 'ANVA'],
    rest: '[A-Z2-7]{16}(?![A-Za-z0-9])',
    edge: true,
  },
  { marks: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], rest: '[A-Za-z0-9]{20,}' },
  { marks: ['github_pat_'], rest: '[A-Za-z0-9_]{20,}' },
  {
    marks: ['glpat-', 'gldt-', 'glrt-', 'glcbt-', 'glptt-', 'glft-', 'glsoat-', 'glimt-', 'glagent-', 'gloas-'],
    rest: '[A-Za-z0-9_=.-]{16,}',
  },
  {
    marks: ['xoxa', 'xoxb', 'xoxc', 'xoxd', 'xoxe', 'xoxo-', 'xoxp', 'xoxr', 'xoxs', 'xapp'],
    rest: '[A-Za-z0-9.-]{10,}',
  },
  { marks: ['hooks.slack.com/'], rest: '[a-z]+/[A-Za-z0-9/_-]{20,}' },
  // Stripe.
  { marks: ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_', 'pk_live_', 'pk_test_'], rest: '[A-Za-z0-9]{10,}' },
  { marks: ['whsec_'], rest: '[A-Za-z0-9+/=]{16,}' },
  // Model providers and tools of this field.
  { marks: ['sk-ant-'], rest: '[A-Za-z0-9_-]{16,}' },
  {
    marks: ['sk-proj-', 'sk-svcacct-', 'sk-admin-', 'sk-None-', 'sk-or-v1-', 'sk-lf-'],
    rest: '[A-Za-z0-9_-]{16,}',
    edge: true,
  },
  {
    marks: ['gsk_', 'tvly-', 'pplx-', 'xai-', 'r8_', 'fw_', 'fc-', 'jina_', 'nvapi-', 'csk-', 'ntn_', 'rpa_'],
    rest: '(?:dev-)?[A-Za-z0-9_]{24,}',
    edge: true,
  },
  { marks: ['lsv2_pt_', 'lsv2_sk_'], rest: '[A-Za-z0-9_]{24,}' },
  { marks: ['hf_'], rest: '[A-Za-z0-9]{24,}' },
  // Google: API keys, OAuth secrets, access and refresh tokens.
  { marks: ['AIza'], rest: '[A-Za-z0-9_-]{30,}' },
  { marks: ['GOCSPX-'], rest: '[A-Za-z0-9_-]{20,}' },
  { marks: ['ya29.'], rest: '[A-Za-z0-9_.-]{20,}', edge: true },
  { marks: ['1//0'], rest: '[A-Za-z0-9_-]{30,}', edge: true },
  { marks: ['npm_'], rest: '[A-Za-z0-9]{30,}' },
  { marks: ['pypi-'], rest: '[A-Za-z0-9_-]{40,}' },
  { marks: ['discord.com/api/webhooks/', 'discordapp.com/api/webhooks/'], rest: '\\d+/[A-Za-z0-9_-]{20,}' },
  { marks: ['dop_v1_', 'doo_v1_', 'dor_v1_'], rest: '[a-f0-9]{40,}' },
  { marks: ['SG.'], rest: '[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}', edge: true },
  { marks: ['SK', 'key-'], rest: '[a-f0-9]{32}(?![A-Za-z0-9])', edge: true },
  { marks: ['shpat_', 'shpca_', 'shppa_', 'shpss_'], rest: '[a-fA-F0-9]{32}' },
  {
    marks: [
      'dapi',
      'lin_api_',
      'figd_',
      'dckr_pat_',
      'sbp_',
      'pscale_tkn_',
      'glsa_',
      'glc_',
      'sntrys_',
      'sntryu_',
      'ATATT3',
      'NRAK-',
      'HRKU-',
      'hvs.',
      'hvb.',
      'dp.pt.',
      'dp.st.',
    ],
    rest: '[A-Za-z0-9_=.-]{20,}',
    edge: true,
  },
  { marks: ['AGE-SECRET-KEY-1'], rest: '[0-9A-Z]{40,}' },
  // Chinese clouds: Alibaba and Tencent key ids.
  { marks: ['LTAI'], rest: '[A-Za-z0-9]{12,24}(?![A-Za-z0-9])', edge: true },
  { marks: ['AKID'], rest: '[A-Za-z0-9]{16,40}(?![A-Za-z0-9])', edge: true },
];

/** A start that is not in the middle of a word; `\n` inside quoted JSON counts as a break. */
const EDGE = '(?:(?<![A-Za-z0-9])|(?<=\\\\[nrt]))';
const literal = (mark: string): string => mark.replace(/[./]/g, '\\$&');
const patternOf = ({ marks, rest }: Shape): string => `(?:${marks.map(literal).join('|')})${rest}`;
const either = (shapes: readonly Shape[]): string => shapes.map(patternOf).join('|');

/** All beginnings and nothing else: an alternation of literals is the one kind that is fast at every character. */
const MARKS = new RegExp(SHAPES.flatMap(({ marks }) => marks.map(literal)).join('|'));
const MARKED = new RegExp(
  `${EDGE}(?:${either(SHAPES.filter(({ edge }) => edge))})|${either(SHAPES.filter(({ edge }) => !edge))}`,
  'g',
);

/** Shapes without a beginning of their own, each behind what every such secret contains. */
const UNMARKED: readonly (readonly [contains: RegExp, shape: RegExp])[] = [
  // Azure: client secrets, keys of OpenAI resources, storage keys.
  [/8Q~/, new RegExp(`${EDGE}[A-Za-z0-9_~.]{3}8Q~[A-Za-z0-9_~.-]{31,}`, 'g')],
  [/JQQJ99/, /(?<![A-Za-z0-9])[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{20,}/g],
  [/==/, /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{86}==/g],
  // Bots of Telegram and Discord.
  [/:[A-Za-z0-9_-]{35}/, new RegExp(`${EDGE}\\d{8,10}:[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])`, 'g')],
  [
    /\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27}/,
    new RegExp(`${EDGE}[MNO][A-Za-z0-9_-]{22,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,}`, 'g'),
  ],
];

/** OpenAI's first key format and its imitators: only what looks random, for branches are called `sk-...` too. */
const PLAIN_SK = new RegExp(`${EDGE}sk-[A-Za-z0-9_-]{20,}`, 'g');
const RANDOM_PART = /(?=[A-Za-z]{0,15}\d)(?=\d{0,15}[A-Za-z])[A-Za-z0-9]{16}/;
const SHORTEST_RUN = 16;

/**
 * A long name that was shortened in its middle keeps both ends of a secret in it: from a beginning to the ellipsis is
 * enough then, and the other end goes too.
 */
const TELLING_MARKS = SHAPES.flatMap(({ marks }) => marks).filter(mark => mark.length >= 4 || mark === 'hf_');
const SHORTENED = new RegExp(
  `(?:${TELLING_MARKS.map(literal).join('|')}|eyJ|\\[redacted\\])[A-Za-z0-9_.+=~-]{0,200}…[^\\s/\\\\…]*`,
  'g',
);

export function redactSecrets(text: string): string {
  const result = redactShapes(text);
  return result.includes('…') ? result.replace(SHORTENED, REDACTED) : result;
}

function redactShapes(text: string): string {
  let result = text.includes('PRIVATE KEY') ? redactPrivateKeys(text) : text;
  if (!hasLongRun(result)) return result;
  if (MARKS.test(result)) result = result.replace(MARKED, REDACTED);
  for (const [contains, shape] of UNMARKED) if (contains.test(result)) result = result.replace(shape, REDACTED);
  if (result.includes('sk-')) result = result.replace(PLAIN_SK, key => (RANDOM_PART.test(key) ? REDACTED : key));
  return result.includes('eyJ') ? redactJwts(result) : result;
}

/** Every shape above holds this many word characters and dashes in a row. */
function hasLongRun(text: string): boolean {
  let run = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const letter = (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90);
    run = letter || (unit >= 48 && unit <= 57) || unit === 95 || unit === 45 ? run + 1 : 0;
    if (run === SHORTEST_RUN) return true;
  }
  return false;
}

const RUN = /[A-Za-z0-9_-]*/y;
const JWT_REST = /\.[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]*)*/y;

/** `header.payload.signature`, the header being base64 of `{"`. Each run is looked at once. */
function redactJwts(text: string): string {
  let result = '';
  let done = 0;
  let at = text.indexOf('eyJ');
  while (at >= 0) {
    RUN.lastIndex = at;
    RUN.test(text);
    let end = RUN.lastIndex;
    JWT_REST.lastIndex = end;
    if (end - at >= 12 && JWT_REST.test(text)) {
      end = JWT_REST.lastIndex;
      result += text.slice(done, at) + REDACTED;
      done = end;
    }
    at = text.indexOf('eyJ', end);
  }
  return result + text.slice(done);
}

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
/** The longest private keys in use take 13,000 characters. */
const LONGEST_KEY = 20_000;
/** The body of a key that was cut off before its end: lines of base64, also with `\n` written out. */
const BODY = /(?:(?:\s|\\[nr])*[A-Za-z0-9+/=]{16,})*/y;

function redactPrivateKeys(text: string): string {
  const ends = [...text.matchAll(END)].map(match => match.index + match[0].length);
  let result = '';
  let done = 0;
  let next = 0;
  for (const match of text.matchAll(BEGIN)) {
    if (match.index < done) continue;
    const bodyAt = match.index + match[0].length;
    while (next < ends.length && (ends[next] as number) < bodyAt) next++;
    let end = ends[next];
    if (end === undefined || end - bodyAt > LONGEST_KEY) {
      BODY.lastIndex = bodyAt;
      BODY.test(text);
      end = BODY.lastIndex;
    }
    result += text.slice(done, match.index) + REDACTED;
    done = end;
  }
  return result + text.slice(done);
}
