import { ohMyPi } from '../../../src/sources/oh-my-pi/reader.ts';
import { reads } from '../samples.ts';

const folder = 'sessions/oh-my-pi/preloopdev+preloop/agent/sessions/--Users-user04-preloop--';

reads(ohMyPi, {
  owns: path => path.startsWith('sessions/oh-my-pi/'),
  samples: {
    [`${folder}/2026-08-19T19-53-12-018Z_01a01b95-b852-7000-ace6-e28ed2c6034b.jsonl`]: {
      rows: { event: 1, call: 2, tool: 2 },
      total: 12_443 + 21_111,
    },
    [`${folder}/2026-08-20T03-21-26-307Z_01a01d30-1823-7001-8bad-40a85ae58ccc.jsonl`]: {
      rows: { event: 1, call: 13, tool: 13 },
      total: 260_119,
    },
  },
});
