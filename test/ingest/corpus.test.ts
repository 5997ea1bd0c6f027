import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type Keep, WHOLE } from '../../src/ingest/keep.ts';
import { prune } from '../../src/ingest/prune.ts';
import { readDocument } from '../../src/ingest/records.ts';
import { actual, expected } from './oracle.ts';

const SHARED = process.env.AGENTPPROF_SHARED ?? join(import.meta.dirname, '../../../shared');
const FOLDERS = ['corpus/sessions', 'corpus/real-agents'].map(folder => join(SHARED, folder));

/** Rules of many kinds: all, next to nothing, and trees that look like a reader's. */
const RULES: Record<string, Keep> = {
  'all, whole': WHOLE,
  'all, nearly no text': 7,
  'no key': { keys: {} },
  'a few keys, the rest short': {
    keys: { type: 40, message: WHOLE, payload: { keys: { type: 9 }, rest: 60 } },
    rest: 3,
  },
  'calls and usage': {
    keys: {
      type: 40,
      uuid: 40,
      timestamp: 40,
      message: {
        keys: { id: 99, model: 99, usage: 0, content: { keys: { type: 9, text: 200, input: WHOLE }, text: 64 } },
      },
      payload: { keys: { type: 40, info: 0, arguments: WHOLE, output: { keys: { text: 50 }, text: 50 } } },
    },
  },
};

function below(folder: string, ending: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith(ending))
    .map(name => join(folder, name));
}

describe.skipIf(!FOLDERS.every(existsSync))(
  'histories of real agents (skipped where the shared corpus is absent)',
  () => {
    test.each(Object.entries(RULES))('give the same records with both engines as whole: %s', (_name, keep) => {
      let records = 0;
      for (const path of FOLDERS.flatMap(folder => below(folder, '.jsonl'))) {
        const whole = expected(readFileSync(path), keep);
        records += whole.records.length;
        for (const engine of ['js', 'kernel'] as const) {
          expect({ path, ...actual(path, keep, { engine }) }).toEqual({ path, ...whole });
          expect({ path, ...actual(path, keep, { engine, chunk: 1021 }) }).toEqual({ path, ...whole });
        }
      }
      expect(records).toBeGreaterThan(1000);
    });

    test('compressed histories give what they give unpacked', () => {
      const [trajectories = ''] = below(join(SHARED, 'corpus/trajectories'), '.jsonl.gz').map(path => join(path, '..'));
      for (const path of below(trajectories, '.jsonl.gz')) {
        const whole = expected(gunzipSync(readFileSync(path)), 50);
        expect({ path, ...actual(path, 50, { chunk: 10_000 }) }).toEqual({ path, ...whole });
      }
    });

    test('documents of real agents are read as whole', () => {
      for (const path of FOLDERS.flatMap(folder => below(folder, '.json'))) {
        const value = prune(JSON.parse(readFileSync(path, 'utf8')), 50);
        for (const engine of ['js', 'kernel'] as const) {
          expect({ path, value: readDocument(path, 50, { engine, chunk: 4096 }).value }).toEqual({ path, value });
        }
      }
    });
  },
);
