import { qwenCode } from '../../../src/sources/qwen-code/reader.ts';
import { proves } from '../proof.ts';

const scrubbed = 'sessions/qwen-code/jazzyalex+agent-sessions';
const glued = `${scrubbed}/019f0000-0000-7000-8000-000000000005.jsonl`;

proves(qwenCode, {
  takes: path => /[\\/](chats|subagents)[\\/].*\.jsonl$/.test(path),
  // Two records stand glued in the only line of one file: it has no record by which to know it.
  owns: path =>
    path !== glued &&
    (path.startsWith('sessions/qwen-code/') || /^real-agents\/qwen-code.*\/(chats|subagents)\/.*\.jsonl$/.test(path)),
  sessions: {
    [glued]: { bad: 1 },
    [`${scrubbed}/019f0000-0000-7000-8000-000000000002.jsonl`]: {},
    [`${scrubbed}/019f0000000070008000000000000003.jsonl`]: {},
  },
});
