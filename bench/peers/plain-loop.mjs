// @ts-check
// The loop one would write first: read in pieces, cut at newlines, JSON.parse, pick what is needed. Prints the sums.
//   node bench/peers/plain-loop.mjs DIR
import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import path from 'node:path';

const PIECE = 256 * 1024;
const sums = { lines: 0, answers: 0, output: 0 };
/** @type {Map<string, number>} */
const outputs = new Map();

/** @param {string} line */
function pick(line) {
  sums.lines++;
  const { type, message, payload } = JSON.parse(line);
  if (type === 'assistant') outputs.set(message.id, message.usage.output_tokens);
  else if (payload?.type === 'token_count' && payload.info) {
    sums.answers++;
    sums.output += payload.info.last_token_usage.output_tokens;
  }
}

/** @param {string} file */
function read(file) {
  const descriptor = openSync(file, 'r');
  let buffer = Buffer.allocUnsafe(PIECE * 2);
  let kept = 0;
  for (;;) {
    if (buffer.length - kept < PIECE) buffer = Buffer.concat([buffer.subarray(0, kept)], buffer.length * 2);
    const got = readSync(descriptor, buffer, kept, PIECE, null);
    if (got === 0) break;
    const end = kept + got;
    let start = 0;
    for (let at = buffer.indexOf(10, kept); at >= 0 && at < end; at = buffer.indexOf(10, start)) {
      // @ts-expect-error: not in the types, and what the fastest such loops use
      pick(buffer.utf8Slice(start, at));
      start = at + 1;
    }
    buffer.copyWithin(0, start, end);
    kept = end - start;
  }
  closeSync(descriptor);
}

const root = process.argv[2] ?? '.';
for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
  if (entry.name.endsWith('.jsonl')) read(path.join(entry.parentPath, entry.name));
}
sums.answers += outputs.size;
for (const output of outputs.values()) sums.output += output;
console.log(JSON.stringify(sums));
