import { claudeCode } from './claude-code/reader.ts';
import { codex } from './codex/reader.ts';
import { operations } from './operations/reader.ts';
import type { Reader } from './reader.ts';

/** All readers, in the order in which content is sniffed. */
export const READERS: readonly Reader[] = [claudeCode, codex, operations];
