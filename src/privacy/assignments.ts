import { REDACTED } from './placeholders.ts';

/**
 * Secrets that show by what is written before them: `password=...`, `token: ...`, `Authorization: Bearer ...`,
 * `--api-key ...`, `-u name:password`, `scheme://name:password@host`, and random-looking text right after a word
 * such as "token". Values that are code or types (`token: string`, `password = getPassword()`, `$TOKEN`) stay.
 */

/** Anything below can only be found in text that has one of these. */
const HINT =
  /pass|pwd|secret|token|key|credential|auth|bearer|cookie|(?:^|\s)-(?:u|-user|-proxy-user)[ =]|mysql|mariadb|sshpass|redis-cli|curl|login|openssl|unzip|密码|口令|密钥|令牌/i;

export function redactAssignments(text: string): string {
  let result = text.includes('://') ? redactUserinfo(text) : text;
  if (!HINT.test(result)) return result;
  result = result.replace(AUTHORIZATION, replaceAuthorization).replace(BEARER, '$1[redacted]');
  result = result.replace(COOKIE, '$1[redacted]').replace(LOGIN, replaceLogin);
  result = result.replace(ATTACHED, replaceAttached);
  result = redactValues(result);
  return redactRandom(result);
}

/** `scheme://name:password@host` keeps scheme and host. `git@` is no person: every SSH clone URL has it. */
function redactUserinfo(text: string): string {
  let result = '';
  let done = 0;
  for (let at = text.indexOf('://'); at >= 0; at = text.indexOf('://', at)) {
    at += 3;
    USERINFO.lastIndex = at;
    USERINFO.test(text);
    const name = text.slice(at, USERINFO.lastIndex);
    const length = name.lastIndexOf('@');
    if (length <= 0 || name.startsWith('git@')) continue;
    result += text.slice(done, at) + REDACTED;
    done = at + length;
    at = done;
  }
  return result + text.slice(done);
}
const USERINFO = /[^\s/"'`<>\\]*/y;

/** Quotes of JSON inside JSON carry backslashes. */
const AUTHORIZATION =
  /(authorization\\{0,8}["']?\s{0,3}[:=]\s{0,3}\\{0,8}["']?)((?:bearer|basic|token|digest|apikey|negotiate|aws4-hmac-sha256)\s{1,3})?([^\r\n"'`\\]+)/gi;

function replaceAuthorization(whole: string, head: string, scheme: string | undefined, value: string): string {
  if (isReference(value) || value.startsWith(REDACTED)) return whole;
  if (scheme === undefined && !(/^\S{8,}/.test(value) && /\d/.test(value))) return whole;
  return `${head}${scheme ?? ''}${REDACTED}`;
}

const BEARER = /((?:(?<![A-Za-z])|(?<=\\[nrt]))bearer\s{1,3})(?=[A-Za-z._~+/=-]{0,40}\d)[A-Za-z0-9._~+/=-]{16,}/gi;
const COOKIE =
  /((?:(?<![A-Za-z])|(?<=\\[nrt]))(?:set-)?cookie\\{0,8}["']?:\s{0,3}\\{0,8}["']?)[\w.-]+=(?!\[redacted\])[^\r\n"'`\\]+/gi;
const LOGIN = /((?:^|\s)(?:-u|--user|--proxy-user|--auth)[ =]["']?)([^\s:"'/@[\]]+):([^\s"'[\]]+)/g;

function replaceLogin(whole: string, head: string, name: string, password: string): string {
  const ids = /^\d+$/.test(name) && /^\d+$/.test(password);
  return ids || isReference(name) || isReference(password) ? whole : `${head}${REDACTED}`;
}

/**
 * A short option of these programs alone: `mysql -uroot -pSECRET`, `sshpass -p SECRET`, `redis-cli -a SECRET`, `unzip -P SECRET`,
 * `docker login -p SECRET`, `curl -uNAME:SECRET`, `openssl -pass pass:SECRET`.
 */
const ATTACHED =
  /((?:^|[\s;&|(`"'/])(?:(?:mysql|mariadb)[\w-]{0,12}(?=\s)[^\n;|&]{0,200}?\s-p|sshpass\s{1,3}-p\s{0,3}|redis-cli(?=\s)[^\n;|&]{0,200}?\s-a\s{1,3}|unzip(?=\s)[^\n;|&]{0,200}?\s-P\s{0,3}|(?:docker|podman|nerdctl|helm)\s{1,3}(?:registry\s{1,3})?login(?=\s)[^\n;|&]{0,200}?\s-p\s{1,3}|curl(?=\s)[^\n;|&]{0,200}?\s-u(?=[^\s:]{1,64}:)|openssl(?=\s)[^\n;|&]{0,200}?\s-pass(?:in|out)?\s{1,3}pass:)\\{0,8}["']?)([^\s"'`;|&\\]+)/g;

function replaceAttached(whole: string, head: string, password: string): string {
  return isReference(password) || password.startsWith(REDACTED) ? whole : `${head}${REDACTED}`;
}

const PASSWORD_WORD = /^(?:pass|pwd|[_-]pass$|密码|口令)/i;
const KEY_WORD =
  'passwords?|passwd|passphrase|pwd|[_-]pass|secrets?|token|api[_-]?key|(?:access|secret|private|auth|account|encryption|signing|subscription|session|master|license)[_-]?key|access[_-]?key[_-]?id|credentials?|密码|口令|密钥|令牌';
const ASSIGNED = new RegExp(
  `(${KEY_WORD})(\\\\{0,8}["'\`]?\\s{0,3}(?:=>|:=|(?<![=!<>])=(?!=)|[:：＝]|%3[dD])\\s{0,3}|\\s{1,3})(\\\\{0,8}["'\`])?`,
  'gi',
);
const UNQUOTED = /[^\s"'`&;<>(){}[\]|\\]*/y;
const UNQUOTED_START = /[^\s"'`&;<>(){}[\]|\\]{0,64}/y;
/** Values are judged by their first characters only, so that a text of keywords costs no more than its length. */
const JUDGED = 64;

function redactValues(text: string): string {
  let result = '';
  let done = 0;
  ASSIGNED.lastIndex = 0;
  for (let match = ASSIGNED.exec(text); match; match = ASSIGNED.exec(text)) {
    const [whole, word = '', mark = '', quote] = match;
    const start = match.index + whole.length;
    const flagged =
      mark.trim() === '' && quote === undefined
        ? isFlag(text, match.index)
        : mark.trim() === '' && isFlag(text, match.index);
    if (mark.trim() === '' && !flagged) continue;
    const end = valueEnd(text, start, quote, start + JUDGED);
    const value = {
      text: text.slice(start, end),
      next: text[end] ?? '',
      quoted: quote !== undefined,
      tight: flagged || /^[^\s]*=$/.test(mark) || /%3d/i.test(mark),
    };
    if (!isSecret(value, PASSWORD_WORD.test(word))) continue;
    result += text.slice(done, start) + REDACTED;
    done = valueEnd(text, start, quote, text.length);
    ASSIGNED.lastIndex = done;
  }
  return result + text.slice(done);
}

/** `--db-password`: the word ends a long option, whose value may follow a blank. */
function isFlag(text: string, at: number): boolean {
  return /(?:^|\s)--[\w-]*$/.test(text.slice(Math.max(0, at - 40), at));
}

function valueEnd(text: string, start: number, quote: string | undefined, limit: number): number {
  if (quote !== undefined) {
    const mark = quote[quote.length - 1] as string;
    for (let at = start; at < limit && at < text.length; at++) {
      if (text[at] !== '\n' && text[at] !== mark) continue;
      let end = at;
      while (end > start && text[end - 1] === '\\') end--;
      return end;
    }
    return Math.min(limit, text.length);
  }
  const run = limit < text.length ? UNQUOTED_START : UNQUOTED;
  run.lastIndex = start;
  run.test(text);
  let end = run.lastIndex;
  while (end > start && ',.:'.includes(text[end - 1] as string)) end--;
  return end;
}

interface Value {
  readonly text: string;
  /** The character after it. */
  readonly next: string;
  readonly quoted: boolean;
  /** Written without a blank, as in an environment or a URL. */
  readonly tight: boolean;
}

const NO_SECRET =
  /^(?:true|false|null|none|nil|undefined|strings?|str|numbers?|int|integer|boolean|bool|bytes?|any|object|unknown|void|required|optional|hidden|masked|redacted|empty|changeme|sha-?\d+|md5|utf-?\d+|base64|oauth2?|[her]s\d{3}|aes-?\d*|ed25519|uuid\d?|x+|\*+|\.+)$/i;
/** A name that speaks of secrets is a variable: `password=new_password`. */
const NAME_OF_ONE = /^[A-Za-z_]*(?:password|passwd|pwd|secret|token|key|credential)[A-Za-z_]*$/i;
/** Code: `config.password`. A secret with a dot in it mostly has a digit too. */
const DOTTED = /^[A-Za-z_$]+(?:\??\.[A-Za-z_$]+)+$/;

function isSecret({ text, next, quoted, tight }: Value, password: boolean): boolean {
  if (text.length < (password ? 3 : 4) || text.includes('[') || text.includes('://')) return false;
  if (isReference(text) || NO_SECRET.test(text) || NAME_OF_ONE.test(text) || /^[/~.@]/.test(text)) return false;
  if (!quoted && (next === '(' || next === '[' || next === '{' || DOTTED.test(text))) return false;
  if (/^\d+$/.test(text)) return password && text.length >= 4;
  if (/\s/.test(text)) return password && tight && text.length <= 64;
  const mixed = /\d/.test(text) && /[A-Za-z]/.test(text);
  if (quoted) return password || mixed || text.length >= 12;
  if (tight) return password || mixed || text.length >= 8;
  return password ? /\d|[!@#$%^&*+=?]/.test(text) && text.length >= 4 : mixed && text.length >= 6;
}

/** Shell variables, template holes and options: what stands in for a value. */
function isReference(text: string): boolean {
  return /^(?:[$%{<(*]|--)/.test(text);
}

const RANDOM_RUN = /[A-Za-z0-9+/_-]{20,}/g;
const NEAR = new RegExp(
  `(?:${KEY_WORD}|api key|access key|private key|bearer)(?![A-Za-z])[^[\\]{}"'\`,;@\\\\\n]*["'\`]?$`,
  'i',
);
const NEARNESS = 32;

/** Long random text a few words after "token" and the like. */
function redactRandom(text: string): string {
  return text.replace(RANDOM_RUN, (run: string, at: number) =>
    looksRandom(run) && NEAR.test(text.slice(Math.max(0, at - NEARNESS), at)) ? REDACTED : run,
  );
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Judged by its beginning: a run may be a picture of a megabyte. */
function looksRandom(whole: string): boolean {
  const run = whole.slice(0, 256);
  if (UUID.test(run)) return false;
  const digits = run.match(/\d/g)?.length ?? 0;
  if (/^[0-9a-f]+$/i.test(run)) return run.length >= 32 && digits > 3 && digits < run.length;
  // Words and paths have long lower-case stretches; random base64 of this length hardly ever has one of eight.
  if (digits < 2 || /[a-z]{8}/.test(run)) return false;
  return (
    (/[A-Z].*[A-Z]/.test(run) && /[a-z].*[a-z]/.test(run)) || (run.length >= 32 && !/[-_/+]/.test(run) && digits > 3)
  );
}
