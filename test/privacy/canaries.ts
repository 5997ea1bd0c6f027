import { Buffer } from 'node:buffer';
import zlib from 'node:zlib';
import { decompress as unzstd } from 'fzstd';

/**
 * Canaries: invented secrets of every well-known shape and invented people, planted in tiny histories. A black-box
 * test plants them (plant.ts), runs a command, and passes every byte that came out to `assertNoCanary`.
 *
 * Shapes are put together from pieces, so that no scanner of repositories takes this file for a leak.
 */
export interface Canary {
  readonly name: string;
  /** What is planted. */
  readonly text: string;
  /** What must not come out: both ends of the telling part of `text`, so that a secret cut in half is found too. */
  readonly needles: readonly string[];
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
export const HEX = '0123456789abcdef';
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Random-looking text that is the same in every run; always with a digit, a capital and a small letter at the start. */
export function noise(name: string, length: number, alphabet = LETTERS): string {
  let state = 0x9e3779b9;
  for (const unit of name) state = Math.imul(state ^ unit.charCodeAt(0), 0x85ebca6b) >>> 0;
  let text = alphabet === LETTERS ? '7Qz' : '';
  while (text.length < length) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += alphabet[(state >>> 8) % alphabet.length];
  }
  return text.slice(0, length);
}

const endsOf = (body: string): string[] => [body.slice(0, 14), body.slice(-14)];

function secret(name: string, before: string, length: number, after = '', alphabet = LETTERS): Canary {
  const body = noise(name, length, alphabet);
  return { name, text: before + body + after, needles: endsOf(body) };
}

const body64 = (name: string, length: number): string => noise(name, length).replace(/(.{64})/g, '$1\n');

function privateKey(kind: string): Canary {
  const body = body64(kind, 400);
  const dashes = '-'.repeat(5);
  const label = `${kind}PRIVATE ${'KEY'}`;
  return {
    name: `${kind.trim() || 'PKCS8'} private key`,
    text: `${dashes}BEGIN ${label}${dashes}\n${body}\n${dashes}END ${label}${dashes}`,
    needles: endsOf(body),
  };
}

const telegram = `${noise('telegram id', 10, '123456789')}:${noise('telegram', 35)}`;

/** Secrets that show by their shape wherever they stand, also in file names and branches. */
export const SHAPED: readonly Canary[] = [
  secret('AWS access key id', 'AKIA', 16, '', BASE32),
  secret('AWS temporary key id', 'ASIA', 16, '', BASE32),
  secret('GitHub personal token', `gh${'p_'}`, 36),
  secret('GitHub server token', `gh${'s_'}`, 36),
  secret('GitHub fine-grained token', `github${'_pat_'}`, 82),
  secret('GitLab token', `gl${'pat-'}`, 20),
  secret('Slack bot token', `xo${'xb-'}1234567890-`, 24),
  secret('Stripe key', `sk${'_live_'}`, 24),
  secret('Stripe webhook secret', `wh${'sec_'}`, 32),
  secret('OpenAI key', `sk${'-'}`, 48),
  secret('OpenAI project key', `sk${'-proj-'}`, 120),
  secret('OpenRouter key', `sk${'-or-v1-'}`, 64, '', HEX),
  secret('Anthropic key', `sk${'-ant-api03-'}`, 93, 'AA'),
  secret('Google API key', `AI${'za'}`, 35),
  secret('Google OAuth secret', `GOC${'SPX-'}`, 28),
  secret('Google access token', `ya${'29.'}`, 60),
  secret('npm token', `npm${'_'}`, 36),
  secret('PyPI token', `py${'pi-AgEIcHlwaS5vcmc'}`, 70),
  secret('Hugging Face token', `h${'f_'}`, 34),
  { name: 'Telegram bot token', text: telegram, needles: endsOf(telegram.slice(11)) },
  secret('Discord bot token', `M${noise('discord', 23)}.G${noise('discord2', 5)}.`, 38),
  secret('Azure client secret', `a1b8Q~`, 34),
  secret('Groq key', `gs${'k_'}`, 52),
  secret('DigitalOcean token', `do${'p_v1_'}`, 64, '', HEX),
  secret('JSON web token', `eyJhbGciOiJIUzI1NiJ9.eyJ`, 60, `.${noise('signature', 43)}`),
  secret('Alibaba key id', 'LTAI5t', 18),
];

/** Secrets that show by what stands around them. */
export const ASSIGNED: readonly Canary[] = [
  { name: 'password in a variable', text: 'DB_PASSWORD=Tr0ub4dor&3x', needles: ['Tr0ub4dor'] },
  { name: 'password in JSON', text: '{"password": "correcthorse9battery"}', needles: ['correcthorse9'] },
  { name: 'password in YAML', text: 'password: Winter2031!x', needles: ['Winter2031'] },
  { name: 'password in Chinese', text: '密码：Chunjie2031ok', needles: ['Chunjie2031'] },
  { name: 'token in YAML', text: 'token: q9w8e7r6t5y4u3', needles: ['q9w8e7r6t5'] },
  secret('AWS secret key', 'aws_secret_access_key = ', 40),
  secret('authorization header', 'curl -H "Authorization: Bearer ', 40, '"'),
  secret('basic authorization', 'Authorization: Basic ', 40),
  secret('API key header', "-H 'x-api-key: ", 32, "'"),
  secret('token in a URL', 'https://api.example.com/v1?access_token=', 24, '&page=2'),
  secret('Azure storage key', 'DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=', 86, '=='),
  secret('option of a command', 'deploy --api-key ', 24),
  { name: 'login of curl', text: 'curl -u deployer:Pa55phrase7 https://ci.example.com', needles: ['Pa55phrase7'] },
  {
    name: 'password in a URL',
    text: 'postgres://shop:Zx81spectrum@db.example.com:5432/shop',
    needles: ['Zx81spectrum'],
  },
  secret('random text after "token"', 'the deploy token is ', 40),
  secret('cookie', 'Cookie: session=', 32),
  privateKey(''),
  privateKey('RSA '),
  privateKey('OPENSSH '),
];

export const EMAILS: readonly Canary[] = [
  { name: 'e-mail', text: 'xu.wenjing@shop-example.cn', needles: ['wenjing@shop'] },
  { name: 'e-mail with a tag', text: 'quillan+agents@mail.example.org', needles: ['agents@mail'] },
];

/** Homes by system; the user's name must not come out on its own either. */
export const HOMES: readonly Canary[] = [
  { name: 'Linux home', text: '/home/xuwenjing/shop', needles: ['xuwenjing'] },
  { name: 'macOS home', text: '/Users/quillan.vex/shop', needles: ['quillan'] },
  { name: 'Windows home', text: 'C:\\Users\\brunhilde\\shop', needles: ['brunhilde'] },
  { name: 'Windows home with a blank', text: 'C:\\Users\\Otto Kowalk\\shop', needles: ['Kowalk'] },
  { name: 'WSL home', text: '\\\\wsl$\\Ubuntu\\home\\thorvaldur\\shop', needles: ['thorvaldur'] },
  { name: 'Windows home below WSL', text: '/mnt/c/Users/ysolde/shop', needles: ['ysolde'] },
  { name: 'home in Chinese', text: '/home/许文静/项目', needles: ['许文静'] },
];

/** Cannot be recognised by shape: only the absence of free text keeps them in. */
export const NAMES: readonly Canary[] = [
  { name: 'Chinese name', text: '张伟国', needles: ['张伟国'] },
  { name: 'longer Chinese name', text: '欧阳明月', needles: ['欧阳明月'] },
];

export const CANARIES: readonly Canary[] = [...SHAPED, ...ASSIGNED, ...EMAILS, ...HOMES, ...NAMES];

/**
 * Fails if any canary is in `output`: as it is, in UTF-16, percent-encoded, in JSON or HTML escapes, in base64, and
 * the same inside gzip, deflate and zstd, to any depth. Strings of protobuf are plain bytes. `where` names the output.
 */
export function assertNoCanary(
  output: Uint8Array | string,
  where: string,
  canaries: readonly Canary[] = CANARIES,
): void {
  const found = canariesIn(output, canaries);
  if (found.length > 0) throw new Error(`${where} leaks ${found.join(', ')}`);
}

/** The names of the canaries in `output`, each with the wrapping it was found in. */
export function canariesIn(output: Uint8Array | string, canaries: readonly Canary[] = CANARIES): string[] {
  const found = new Set<string>();
  look(typeof output === 'string' ? Buffer.from(output) : Buffer.from(output), '', canaries, found, 0);
  return [...found];
}

const DEEPEST = 4;

function look(bytes: Buffer, wrapping: string, canaries: readonly Canary[], found: Set<string>, depth: number): void {
  for (const { name, spelled } of spelledOut(canaries)) {
    for (const [how, needle] of spelled) if (bytes.includes(needle)) found.add(`${name}${wrapping}${how}`);
  }
  if (depth === DEEPEST) return;
  for (const [how, inner] of unwrapped(bytes)) look(inner, `${wrapping} in ${how}`, canaries, found, depth + 1);
}

type Spelled = { readonly name: string; readonly spelled: readonly (readonly [how: string, needle: Buffer])[] };
const known = new WeakMap<readonly Canary[], Spelled[]>();

function spelledOut(canaries: readonly Canary[]): Spelled[] {
  let all = known.get(canaries);
  if (all === undefined) {
    all = canaries.map(({ name, needles }) => ({ name, spelled: needles.flatMap(spellings) }));
    known.set(canaries, all);
  }
  return all;
}

function spellings(needle: string): [string, Buffer][] {
  const json = JSON.stringify(needle).slice(1, -1);
  const escaped = needle.replace(/[^\x20-\x7e]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const html = needle.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');
  const all: [string, Buffer][] = [
    ['', Buffer.from(needle)],
    [' in UTF-16', Buffer.from(needle, 'utf16le')],
    [' in percent signs', Buffer.from(encodeURIComponent(needle))],
    [' in JSON escapes', Buffer.from(json)],
    [' in Unicode escapes', Buffer.from(escaped)],
    [' in HTML', Buffer.from(html)],
    ...[0, 1, 2].map((shift): [string, Buffer] => [' in base64', Buffer.from(base64(needle, shift))]),
  ];
  return all.filter(([, bytes], at) => at === 0 || !bytes.equals(all[0]?.[1] as Buffer));
}

/** What is certain of the base64 of a text in which `needle` starts `shift` bytes into a group of three. */
function base64(needle: string, shift: number): string {
  const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(needle)]);
  return bytes.toString('base64').slice(Math.ceil((shift * 8) / 6), Math.floor((bytes.length * 8) / 6));
}

function* unwrapped(bytes: Buffer): Generator<[string, Buffer]> {
  for (const [how, start, open] of PACKED) {
    for (let at = bytes.indexOf(start); at >= 0; at = bytes.indexOf(start, at + 1)) {
      const inner = attempt(() => open(bytes.subarray(at)));
      if (inner && inner.length > 0) yield [how, inner];
    }
  }
  // Packed bytes in base64 start so; other long runs may hold anything.
  for (const match of bytes
    .toString('latin1')
    .matchAll(/(?:H4sI|eJ|eA|eN|KLUv)[A-Za-z0-9+/_-]{20,}|[A-Za-z0-9+/_-]{400,}/g)) {
    yield ['base64', Buffer.from(match[0], 'base64')];
  }
}

/** Raw streams end where they end: what follows them, or is cut off, is no error. */
const inflate = (bytes: Buffer): Buffer => zlib.inflateRawSync(bytes, { finishFlush: zlib.constants.Z_SYNC_FLUSH });

/** Behind the ten fixed bytes of a gzip header, its flags say what else there is (RFC 1952, section 2.3.1). */
function gunzip(bytes: Buffer): Buffer {
  const flags = bytes[3] ?? 0;
  let at = 10;
  if (flags & 4) at += 2 + bytes.readUInt16LE(at);
  if (flags & 8) at = bytes.indexOf(0, at) + 1;
  if (flags & 16) at = bytes.indexOf(0, at) + 1;
  return inflate(bytes.subarray(flags & 2 ? at + 2 : at));
}

const PACKED: readonly [string, Buffer, (bytes: Buffer) => Buffer][] = [
  ['gzip', Buffer.from([0x1f, 0x8b, 0x08]), gunzip],
  ['deflate', Buffer.from([0x78, 0x9c]), bytes => inflate(bytes.subarray(2))],
  ['deflate', Buffer.from([0x78, 0x01]), bytes => inflate(bytes.subarray(2))],
  ['deflate', Buffer.from([0x78, 0xda]), bytes => inflate(bytes.subarray(2))],
  ['zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), bytes => Buffer.from(unzstd(bytes))],
];

function attempt<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
