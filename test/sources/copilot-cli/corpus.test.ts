import { copilotCli } from '../../../src/sources/copilot-cli/reader.ts';
import { proves } from '../proof.ts';

const people = 'sessions/copilot-cli';
const scrubbed = `${people}/jazzyalex+agent-sessions`;

proves(copilotCli, {
  takes: path => path.endsWith('events.jsonl'),
  owns: path => path.startsWith(`${people}/`) || /^real-agents\/copilot-cli.*\/events\.jsonl$/.test(path),
  sessions: {
    [`${people}/JeffreyCA+azure-dev/session-state/45f1a36c-ba4d-4362-9be9-027260dbd18e/events.jsonl`]: {},
    [`${scrubbed}/large.jsonl`]: {},
    [`${scrubbed}/schema_drift.jsonl`]: {},
    [`${scrubbed}/subdir_v1/aaaabbbb-1111-2222-3333-ccccddddeeee/events.jsonl`]: {},
  },
  fuzz: [`${scrubbed}/large.jsonl`, `${scrubbed}/schema_drift.jsonl`],
});
