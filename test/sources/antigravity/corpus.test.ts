import { antigravity } from '../../../src/sources/antigravity/reader.ts';
import { reads } from '../samples.ts';

reads(antigravity, {
  owns: path => path === 'sessions/antigravity/jazzyalex+agent-sessions/cli_schema_drift.jsonl',
  samples: {
    'sessions/antigravity/jazzyalex+agent-sessions/cli_schema_drift.jsonl': {
      rows: ['prompt "Go"', '  call - ?', '    tool browser_navigate'],
    },
  },
});
