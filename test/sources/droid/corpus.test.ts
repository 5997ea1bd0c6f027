import { expect, test } from 'vitest';
import { droid } from '../../../src/sources/droid/reader.ts';
import { drawn, readAll } from '../reading.ts';
import { reads } from '../samples.ts';

const folder = 'sessions/factory-droid/jazzyalex+agent-sessions';

reads(droid, {
  owns: path => path.startsWith('sessions/factory-droid/'),
  samples: {
    [`${folder}/session_store_small.jsonl`]: {
      rows: ['prompt "Run a command"', '  call - ?', '    tool Execute error exit-1'],
    },
    [`${folder}/session_store_schema_drift.jsonl`]: { rows: ['prompt "Do the thing"', '  call - ?'] },
    [`${folder}/stream_json_small.jsonl`]: { rows: ['prompt "Do thing"', '  tool Shell', '  call - ?'] },
  },
});

test('what the client adds to a person’s words is no prompt', () => {
  const row = (text: string) => ({
    type: 'message',
    id: 'm',
    timestamp: '2025-12-26T00:00:00Z',
    message: { role: 'user', content: [{ type: 'text', text }] },
  });
  expect(drawn(readAll(droid, { '/x/a.jsonl': [row('<system-reminder>x</system-reminder>')] }))).toEqual([]);
});
