import { whereabouts as amp } from './amp/whereabouts.ts';
import { whereabouts as antigravity } from './antigravity/whereabouts.ts';
import { whereabouts as chromeTrace } from './chrome-trace/whereabouts.ts';
import { whereabouts as claudeCode } from './claude-code/whereabouts.ts';
import { whereabouts as cline } from './cline/whereabouts.ts';
import { whereabouts as codex } from './codex/whereabouts.ts';
import { whereabouts as copilotCli } from './copilot-cli/whereabouts.ts';
import { whereabouts as cursor } from './cursor/whereabouts.ts';
import { whereabouts as droid } from './droid/whereabouts.ts';
import { whereabouts as geminiCli } from './gemini-cli/whereabouts.ts';
import { whereabouts as grok } from './grok/whereabouts.ts';
import { whereabouts as kimi } from './kimi/whereabouts.ts';
import { whereabouts as langfuse } from './langfuse/whereabouts.ts';
import { whereabouts as miniSweAgent } from './mini-swe-agent/whereabouts.ts';
import { whereabouts as ohMyPi } from './oh-my-pi/whereabouts.ts';
import { whereabouts as openclaw } from './openclaw/whereabouts.ts';
import { whereabouts as opencode } from './opencode/whereabouts.ts';
import { whereabouts as operations } from './operations/whereabouts.ts';
import { whereabouts as otel } from './otel/whereabouts.ts';
import { whereabouts as pi } from './pi/whereabouts.ts';
import { whereabouts as qwenCode } from './qwen-code/whereabouts.ts';
import type { Whereabouts } from './reader.ts';
import { SESSION_GAP, type TraceSettings } from './spans/boundaries.ts';
import { whereabouts as sweAgent } from './swe-agent/whereabouts.ts';

/** Of all agents, in the order of READERS, with these settings for traces. */
export function whereaboutsWith(settings: TraceSettings): readonly Whereabouts[] {
  return [
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
    otel(settings),
    langfuse(settings),
    chromeTrace(settings),
    operations,
  ];
}

export const WHEREABOUTS: readonly Whereabouts[] = whereaboutsWith({ sessionGap: SESSION_GAP });
