import { type Keep, WHOLE } from '../../ingest/keep.ts';
import type { Head, Reader } from '../reader.ts';
import { isObject } from '../shapes.ts';
import { DroidSink } from './read.ts';
import type { FileState } from './state.ts';
import { whereabouts } from './whereabouts.ts';

const ID = 200;
const OUTPUT = 64 << 10;

const KEEP: Keep = {
  keys: {
    type: 60,
    id: ID,
    timestamp: 60,
    cwd: 4096,
    version: 60,
    session_id: ID,
    role: 60,
    text: WHOLE,
    toolCallId: ID,
    toolName: ID,
    parameters: WHOLE,
    value: { keys: { stdout: OUTPUT, stderr: OUTPUT, exitCode: 0 }, text: OUTPUT },
    isError: 0,
    finalText: WHOLE,
    message: {
      keys: {
        role: 60,
        content: {
          keys: {
            type: 60,
            text: WHOLE,
            id: ID,
            name: ID,
            input: WHOLE,
            tool_use_id: ID,
            is_error: 0,
            content: { keys: { type: 60, text: OUTPUT }, text: OUTPUT },
          },
          text: WHOLE,
        },
      },
    },
  },
};

/** Factory's Droid, its session files and the stream it prints: see README.md beside this file. */
export const droid: Reader = {
  ...whereabouts,
  keep: KEEP,
  sniff,
  companion: path => path.endsWith('.settings.json') && /[\\/]\.factory[\\/]/.test(path),
  open: (file, out, ledger, state) => new DroidSink(file, out, ledger, state as FileState | undefined),
};

/** A header, or a row of the stream. */
function sniff({ records }: Head): boolean {
  return records.some(record => {
    if (!isObject(record)) return false;
    if (record.type === 'session_start') return typeof record.id === 'string' && typeof record.cwd === 'string';
    if (typeof record.session_id !== 'string' || typeof record.timestamp !== 'string') return false;
    if (record.type === 'message') return typeof record.role === 'string' && typeof record.text === 'string';
    return record.type === 'tool_call' && typeof record.toolCallId === 'string' && isObject(record.parameters);
  });
}
