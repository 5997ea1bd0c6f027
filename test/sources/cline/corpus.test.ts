import { cline } from '../../../src/sources/cline/reader.ts';
import { proves } from '../proof.ts';

proves(cline, {
  takes: path => path.endsWith('.messages.json'),
  owns: path => /^real-agents\/cline.*\.messages\.json$/.test(path),
  sessions: {},
  tellsNoReasoning: true,
});
