import { createHash } from 'node:crypto';
import { chmodSync, closeSync, constants, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../disk/folder.ts';

/**
 * Answers of one task by one model, a line each: `{"k":"<hash of the item>","a":<answer>}`. A line is appended as soon as
 * its answer is there, so a run that is killed keeps what it got; a line that was cut is nothing. The last line of a
 * key counts. The file is its owner's alone and holds no item, only hashes.
 */
export class AnswerCache {
  private readonly file: string | undefined;
  private readonly kept = new Map<string, unknown>();
  private whole = true;
  /** Set when answers cannot be kept: the system's error code. */
  trouble: string | undefined;

  /** `parts` tell this task and model from all others. */
  constructor(directory: string | undefined, ...parts: readonly string[]) {
    if (directory === undefined) return;
    const folder = join(directory, 'llm');
    this.file = join(folder, `${hashOf(parts)}.jsonl`);
    const text = readWhole(this.file);
    this.whole = text === '' || text.endsWith('\n');
    for (const line of text.split('\n')) this.read(line);
  }

  get(item: string): unknown {
    return this.kept.get(hashOf([item]));
  }

  /** Keeps answers, if the disk lets us: what cannot be kept is asked again in the next run. */
  add(answers: readonly (readonly [item: string, answer: unknown])[]): void {
    const fresh = answers.map(([item, answer]) => [hashOf([item]), answer] as const);
    for (const [key, answer] of fresh) this.kept.set(key, answer);
    if (this.file === undefined || fresh.length === 0) return;
    const lines = fresh.map(([k, a]) => `${JSON.stringify({ k, a })}\n`).join('');
    try {
      append(this.file, this.whole ? lines : `\n${lines}`);
      this.whole = true;
    } catch (error) {
      this.trouble = (error as NodeJS.ErrnoException).code ?? 'unknown reason';
    }
  }

  private read(line: string): void {
    if (line === '') return;
    try {
      const { k, a } = JSON.parse(line) as { k: unknown; a: unknown };
      if (typeof k === 'string' && a !== undefined) this.kept.set(k, a);
    } catch {
      // The last line of a run that was killed.
    }
  }
}

function readWhole(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function append(file: string, text: string): void {
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0 } = constants;
  const folder = join(file, '..');
  makeFolder(folder);
  const { uid, mode } = statSync(folder);
  if (process.getuid !== undefined && uid !== process.getuid())
    throw Object.assign(new Error('is not yours'), { code: 'is not yours' });
  if ((mode & 0o077) !== 0) chmodSync(folder, mode & 0o700);
  const fd = openSync(file, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
  try {
    // One write a call: lines of two runs do not mix.
    writeSync(fd, text);
  } finally {
    closeSync(fd);
  }
}

/** 128 bits of the content, in hex. */
export function hashOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
