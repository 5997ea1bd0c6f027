import { textOfBytes } from './byte-text.ts';

/** One finished call as strace prints it with -xx: every string is "\x..", every descriptor may carry <\x..>. */
export interface StraceCall {
  name: string;
  args: string[];
  ret: number;
  /** What the returned descriptor stands for, where strace says so. */
  retPath?: string;
}

/** `name(args) = ret ...`; undefined for anything else. Strings are hexadecimal, so no bracket or comma is ever inside one. */
export function callOf(text: string): StraceCall | undefined {
  const open = text.indexOf('(');
  const close = text.lastIndexOf(') = ');
  if (open <= 0 || close < open) {
    const spaced = /\)\s+= /.exec(text);
    if (open <= 0 || spaced === null) return undefined;
    return finish(text, open, spaced.index, text.slice(spaced.index + spaced[0].length));
  }
  return finish(text, open, close, text.slice(close + 4));
}

function finish(text: string, open: number, close: number, result: string): StraceCall | undefined {
  const ret = /^(-?\d+)(?:<([^>]*)>)?/.exec(result);
  if (ret === null) return undefined;
  const args = topLevel(text.slice(open + 1, close));
  const call: StraceCall = { name: text.slice(0, open), args, ret: Number(ret[1]) };
  if (ret[1] === '-1') call.ret = -(ERRNO[/^-1 (E[A-Z0-9]+)/.exec(result)?.[1] ?? ''] ?? 1);
  if (ret[2] !== undefined) call.retPath = textOfHex(ret[2]);
  return call;
}

/** The arguments, split at commas outside all brackets. */
export function topLevel(text: string): string[] {
  const out: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const c = text.charCodeAt(at);
    if (c === 0x28 || c === 0x5b || c === 0x7b) depth++;
    else if (c === 0x29 || c === 0x5d || c === 0x7d) depth--;
    else if (c === 0x2c && depth === 0) {
      out.push(text.slice(from, at).trim());
      from = at + 1;
    }
  }
  const last = text.slice(from).trim();
  if (last !== '') out.push(last);
  return out;
}

/** The bytes of `\x61\x62`. */
export const bytesOfHex = (text: string): Buffer => Buffer.from(text.replaceAll('\\x', ''), 'hex');
export const textOfHex = (text: string): string => textOfBytes(bytesOfHex(text));

/** The text of a quoted argument, and whether strace cut it. */
export function stringOf(arg: string | undefined): { text: string; cut: boolean } | undefined {
  const match = /^@?"([^"]*)"(\.\.\.)?/.exec(arg ?? '');
  return match === null ? undefined : { text: textOfHex(match[1]!), cut: match[2] !== undefined };
}

/** The directory behind `AT_FDCWD<..>` or `5<..>`. */
export function directoryOf(arg: string | undefined): string | undefined {
  const match = /^(?:AT_FDCWD|\d+)<([^>]*)>/.exec(arg ?? '');
  return match === null ? undefined : textOfHex(match[1]!);
}

/** The few errors that mean something to a reader of connections; the others are -1. */
const ERRNO: Readonly<Record<string, number>> = {
  EPERM: 1,
  ENOENT: 2,
  EAGAIN: 11,
  EACCES: 13,
  ENETUNREACH: 101,
  ECONNRESET: 104,
  EISCONN: 106,
  ETIMEDOUT: 110,
  ECONNREFUSED: 111,
  EHOSTUNREACH: 113,
  EALREADY: 114,
  EINPROGRESS: 115,
};
