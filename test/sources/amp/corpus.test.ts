import { expect, test } from 'vitest';
import { amp } from '../../../src/sources/amp/reader.ts';
import { drawn, readAll } from '../reading.ts';
import { reads } from '../samples.ts';

reads(amp, {
  owns: path => path.startsWith('sessions/misc/mirsella+tokenuze/amp/'),
  samples: {
    'sessions/misc/mirsella+tokenuze/amp/basic.json': {
      rows: ['call claude-haiku-4-5-20251001 9+200+100+50+0'],
      total: 359,
    },
  },
});

test('a total input that is not the sum of its kinds is told; blocks of which there is no sample are counted', () => {
  const usage = {
    model: 'm',
    inputTokens: 9,
    cacheReadInputTokens: 0,
    cacheCreationInputTokens: 0,
    outputTokens: 1,
    totalInputTokens: 20,
  };
  const messages = [
    { messageId: 0, role: 'user', content: [{ type: 'text', text: 'Go' }] },
    { messageId: 1, role: 'assistant', content: [{ type: 'tool_use' }], usage },
  ];
  const read = readAll(amp, { '/h/T-1.json': [{ id: 'T-1', created: 1_764_728_759_706, messages }] });
  expect(drawn(read)).toEqual(['prompt "Go"', '  call m 9+0+0+1+0']);
  expect(read.ledgers[0]?.notes).toEqual([
    'usage that contradicts itself at byte 0: a total of 21 where the kinds sum to 10',
  ]);
  expect([...(read.ledgers[0]?.unknown.keys() ?? [])]).toEqual(['block tool_use']);
});
