import { createHmac } from 'node:crypto';
import { type WasmMemory, WasmModule } from '../../trace/webassembly.ts';
import { KERNEL } from './wasm.ts';

/** What assembly/kernel.ts exports; addresses and lengths are bytes of its memory. */
interface Exports {
  readonly memory: WasmMemory;
  textAt(): number;
  hexAt(): number;
  most(): number;
  key(length: number): void;
  hmac(length: number, bytes: number): void;
}

const MODULE = new WasmModule<Exports>(KERNEL);
const LONGEST_KEY = 64;
/** Bytes of a character in UTF-8, at most. */
const WIDEST = 3;

/** The first hexadecimal digits, an even number, of the HMAC-SHA-256 of a text. */
export type Keyed = (text: string, digits: number) => string;

/** Under one key, in Node: it takes the kernel's place where that does not run, and is its twin in tests. */
export function plainKeyed(key: Buffer): Keyed {
  return (text, digits) => createHmac('sha256', key).update(text).digest('hex').slice(0, digits);
}

/**
 * The same in WebAssembly. Node makes several objects for each hash and takes ten times as long for a short text: a profile with
 * labels hashes the ids of thousands of prompts.
 */
export function keyed(key: Buffer): Keyed {
  const plain = plainKeyed(key);
  if (key.length > LONGEST_KEY || !MODULE.runs()) return plain;
  const kernel = MODULE.instance();
  const longest = Math.floor(kernel.most() / WIDEST);
  const encoder = new TextEncoder();
  const room = new Uint8Array(kernel.memory.buffer, kernel.textAt(), kernel.most());
  const hex = Buffer.from(kernel.memory.buffer, kernel.hexAt(), LONGEST_KEY);
  room.set(key);
  kernel.key(key.length);
  return (text, digits) => {
    if (text.length > longest) return plain(text, digits);
    kernel.hmac(encoder.encodeInto(text, room).written, digits / 2);
    return hex.toString('latin1', 0, digits);
  };
}
