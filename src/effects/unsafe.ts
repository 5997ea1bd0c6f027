import type { FileEffect } from '../trace/fields.ts';

/**
 * Classes of the derived field `unsafe`, the gravest first; a tool call that is several shows the gravest.
 *
 * - `destructive`: much is destroyed, or what nobody can bring back (see shell/destructive.ts).
 * - `secret-file`: a file that by its name holds secrets is touched in any way.
 * - `outside-project`: something outside the project is written, created, moved or deleted, temporary folders aside.
 */
export const UNSAFE = ['destructive', 'secret-file', 'outside-project'] as const;
export type Unsafe = (typeof UNSAFE)[number];

/** The graver of two classes; '' is none. */
export function graver(a: Unsafe | '', b: Unsafe | ''): Unsafe | '' {
  if (a === '') return b;
  if (b === '') return a;
  return UNSAFE.indexOf(a) <= UNSAFE.indexOf(b) ? a : b;
}

/** The class of one file effect: `path` as the tool gave it, `place` as Project.place shows it. */
export function unsafeEffect(kind: FileEffect, path: string, place: string): Unsafe | '' {
  if (isSecretFile(path)) return 'secret-file';
  if (kind === 'read' || !place.startsWith('external/') || place === 'external/tmp') return '';
  return 'outside-project';
}

const NAMES = new RegExp(
  `(?:^|[\\\\/])(?:${[
    String.raw`\.env(?:\.(?!example$|sample$|template$|dist$|defaults$|schema$)[\w.-]+)?`,
    String.raw`\.envrc`,
    'id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?',
    String.raw`[^\\/]+\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|tfvars|ovpn)`,
    String.raw`\.(?:npmrc|netrc|pypirc|pgpass|git-credentials|htpasswd|dockercfg|vault-token|my\.cnf|s3cfg|boto|terraformrc)`,
    '_netrc',
    String.raw`\.?credentials(?:\.(?:json|ya?ml|toml|csv|db))?`,
    String.raw`(?:client_)?secrets?\.(?:json|ya?ml|toml|env|txt)`,
    String.raw`service[-_]account[^\\/]*\.json`,
    String.raw`kubeconfig(?:\.ya?ml)?`,
    String.raw`terraform\.tfstate(?:\.backup)?`,
    'g?shadow-?',
    String.raw`master\.key`,
    String.raw`wallet\.dat`,
  ].join('|')})$`,
  'i',
);
const FOLDERS =
  /(?:^|[\\/])(?:\.ssh|\.gnupg|\.aws|\.kube[\\/]config|\.docker[\\/]config\.json|\.config[\\/]gcloud|\.azure)(?:[\\/]|$)/i;
const AGENT_LOGIN = /(?:^|[\\/])\.(?:codex|qwen|gemini|copilot)[\\/](?:auth|oauth_creds)\.json$/i;
const PUBLIC = /\.pub$|known_hosts(?:\.old)?$/i;
const SHADOW = /(?:^|[\\/])g?shadow-?$/i;

/** True for a path whose name says that it holds secrets: keys, logins, environment files. Templates are none. */
export function isSecretFile(path: string): boolean {
  if (PUBLIC.test(path)) return false;
  if (SHADOW.test(path)) return /^\/etc\//.test(path);
  return NAMES.test(path) || FOLDERS.test(path) || AGENT_LOGIN.test(path);
}
