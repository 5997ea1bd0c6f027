import { expect, test } from 'vitest';
import { pi } from '../../../src/sources/pi/reader.ts';
import { proves } from '../proof.ts';
import { CORPUS, readFiles, tokensByModel } from '../reading.ts';

const large = 'sessions/pi/badlogic+pi-mono/large-session.jsonl';
const small = 'sessions/pi/jazzyalex+agent-sessions/small.jsonl';

proves(pi, {
  takes: path => /[\\/]\.pi[\\/].*\.jsonl$/.test(path),
  owns: path => /^sessions\/pi\//.test(path) || /^real-agents\/pi-.*\.jsonl$/.test(path),
  sessions: { [large]: {}, [small]: {} },
  fuzz: [small],
});

test.skipIf(CORPUS === undefined)(
  'a session of the first version counts every answer once (needs the shared corpus)',
  () => {
    const read = readFiles(pi, [`${CORPUS}/${large}`]);
    expect(tokensByModel(read).get('all')?.total).toBe(47_609_906);
  },
);
