import { kimi } from '../../../src/sources/kimi/reader.ts';
import { reads } from '../samples.ts';

const notes = ['only the last prompt of a session is read: its answers lie in files of which there is no sample'];

reads(kimi, {
  owns: path => path.startsWith('sessions/kimi/'),
  samples: {
    'sessions/kimi/jazzyalex+agent-sessions/state.json': { rows: ['prompt "hi"'], notes },
    'sessions/kimi/jazzyalex+agent-sessions/assistant_tools.state.json': {
      rows: ['prompt "read README.md then grep for \\"Kimi\\""'],
      notes,
    },
  },
});
