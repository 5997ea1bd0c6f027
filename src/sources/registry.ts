import { amp } from './amp/reader.ts';
import { antigravity } from './antigravity/reader.ts';
import { chromeTrace, chromeTraceReader } from './chrome-trace/reader.ts';
import { claudeCode } from './claude-code/reader.ts';
import { cline } from './cline/reader.ts';
import { codex } from './codex/reader.ts';
import { copilotCli } from './copilot-cli/reader.ts';
import { cursor } from './cursor/reader.ts';
import { droid } from './droid/reader.ts';
import { geminiCli } from './gemini-cli/reader.ts';
import { grok } from './grok/reader.ts';
import { kimi } from './kimi/reader.ts';
import { langfuse, langfuseReader } from './langfuse/reader.ts';
import { miniSweAgent } from './mini-swe-agent/reader.ts';
import { ohMyPi } from './oh-my-pi/reader.ts';
import { openclaw } from './openclaw/reader.ts';
import { opencode } from './opencode/reader.ts';
import { operations } from './operations/reader.ts';
import { otel, otelReader } from './otel/reader.ts';
import { pi } from './pi/reader.ts';
import { qwenCode } from './qwen-code/reader.ts';
import type { Reader, Whereabouts } from './reader.ts';
import type { TraceSettings } from './spans/boundaries.ts';
import { sweAgent } from './swe-agent/reader.ts';

/** All readers, in the order in which content is sniffed. */
export const READERS: readonly Reader[] = [
  claudeCode,
  codex,
  geminiCli,
  qwenCode,
  copilotCli,
  cline,
  opencode,
  ohMyPi,
  openclaw,
  pi,
  sweAgent,
  miniSweAgent,
  amp,
  droid,
  kimi,
  grok,
  cursor,
  antigravity,
  otel,
  langfuse,
  chromeTrace,
  operations,
];

/** All readers, those of traces with these settings. */
export function readersWith(settings: TraceSettings): readonly Reader[] {
  const set = [otelReader(settings), langfuseReader(settings), chromeTraceReader(settings)];
  return READERS.map(reader => set.find(({ agent }) => agent === reader.agent) ?? reader);
}

const readers = new WeakMap<Whereabouts, Reader>();

/** The reader of an agent whose files were looked for. */
export function readerOf(found: Whereabouts): Reader {
  if (isReader(found)) return found;
  let reader = readers.get(found);
  if (!reader) {
    const all = found.settings ? readersWith(found.settings) : READERS;
    reader = all.find(({ agent }) => agent === found.agent);
    if (!reader) throw new Error(`there is no reader of ${found.agent}`);
    readers.set(found, reader);
  }
  return reader;
}

function isReader(found: Whereabouts): found is Reader {
  return 'keep' in found;
}
