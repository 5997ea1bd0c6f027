import { geminiCli } from '../../../src/sources/gemini-cli/reader.ts';
import { proves } from '../proof.ts';

const people = 'sessions/gemini-cli';
const entire = `${people}/entireio+cli/tmp`;
const scrubbed = `${people}/jazzyalex+agent-sessions`;
const oldest = '7e8989f71805c3147f6be9b7a71de2a156f8face69f9380beeeb8a777414f21c/chats';

/** By model and kind only 0.61 is proved: 0.10 does not record answers without text, of that run two of five. */
proves(geminiCli, {
  takes: path => /[\\/]chats[\\/]/.test(path),
  owns: path =>
    /^(sessions\/gemini-cli|sessions\/misc\/mirsella\+tokenuze\/gemini)\//.test(path) ||
    /^real-agents\/gemini-cli.*\/chats\//.test(path),
  sessions: {
    [`${entire}/41d597d6d7729546af33d345040d55a7018cf1136e850b23d51c76d6192af7fb/chats/session-2026-02-03T04-09-29eb990e-c800.json`]:
      {},
    [`${entire}/${oldest}/session-2026-01-10T20-00-fa4593e0-7876.json`]: {},
    [`${entire}/${oldest}/session-2026-01-15T20-51-f7633853-9595.json`]: {},
    [`${scrubbed}/large.json`]: {},
    [`${scrubbed}/jsonl_v040.jsonl`]: {},
    'sessions/misc/mirsella+tokenuze/gemini/basic.json': {},
  },
  fuzz: [`${scrubbed}/large.json`, `${scrubbed}/jsonl_v040.jsonl`],
});
