import { isObject, type Obj, plainText, textOf } from '../shapes.ts';
import { SHELLS } from './inputs.ts';

export interface Outcome {
  readonly status: 'ok' | 'error' | 'interrupted' | 'denied';
  /** A short class; '' where there is none. Never text. */
  readonly error: string;
  /** The session had ended meanwhile: the result was written at the resume and its time is not the call's end. */
  readonly late?: boolean;
  /** False where the tool was never started. */
  readonly ran: boolean;
}

const OK: Outcome = { status: 'ok', error: '', ran: true };
const DENIED: Outcome = { status: 'denied', error: 'denied', ran: false };
const INTERRUPTED: Outcome = { status: 'interrupted', error: 'interrupted', ran: true };
const BLOCKED: Outcome = { status: 'error', error: 'blocked', ran: false };

/** Refusals by a person or a permission rule. */
const REFUSED =
  /^(Error: )?(The user doesn't want to (proceed with|take) this|User rejected tool use|Claude requested permissions? to |Permission to use |This command requires approval|This Bash command contains multiple operations|The following part requires approval)/;

/** What the client writes when it fails a tool itself, and its class. The first that fits. */
const CLASSES: readonly (readonly [RegExp, string])[] = [
  [
    /String to replace not found|matches of the string to replace|old_string.{0,40}not (found|unique)|No changes to make/,
    'edit-mismatch',
  ],
  [/File has not been read yet/, 'not-read'],
  [/modified since read/, 'changed-since-read'],
  [/InputValidationError|required parameter|invalid_type/, 'invalid-input'],
  [/No such tool available|Unknown skill|Agent type .{1,60} not found/, 'unknown-tool'],
  [/exceeds maximum allowed|is too large|too many (lines|tokens)/, 'too-large'],
  [/does not exist|No such file or directory|ENOENT|[Nn]ot found/, 'not-found'],
  [/EACCES|EPERM|[Pp]ermission denied/, 'no-permission'],
  [/EISDIR|ENOTDIR/, 'not-a-file'],
  [/MCP error|MCP server/, 'mcp-error'],
];

/**
 * How a tool call ended, from its result block, the row's `toolUseResult` (an object, or on failure a string) and
 * `toolDenialKind`. `attended` is false where no person is there to refuse: the client then says so of an interrupt.
 */
export function outcomeOf(tool: string, block: Obj, result: unknown, denial: string, attended: boolean): Outcome {
  const details = isObject(result) ? result : undefined;
  const failing = block.is_error === true || details?.is_error === true || textOf(result).startsWith('Error:');
  if (!failing) return details?.interrupted === true ? INTERRUPTED : OK;
  const text = plainText(block.content) || textOf(result);
  if (denial !== '') return denial === 'user-rejected' || !/block|hook/.test(denial) ? DENIED : BLOCKED;
  if (REFUSED.test(text))
    return attended || !/^(Error: )?(The user doesn't want|User rejected)/.test(text) ? DENIED : INTERRUPTED;
  if (text.startsWith('[Tool call interrupted')) return { ...INTERRUPTED, late: true };
  if (text.includes('[Request interrupted by user')) return INTERRUPTED;
  if (/Command timed out after|^[^\n]{0,80}timed out/i.test(text))
    return { status: 'error', error: 'timeout', ran: true };
  if (details?.interrupted === true) return INTERRUPTED;
  return failed(text, SHELLS.has(tool));
}

function failed(text: string, shell: boolean): Outcome {
  const exit = /^(?:Error: )?Exit code (\d{1,5})\b/.exec(text)?.[1];
  if (exit !== undefined) return { status: 'error', error: `exit-${exit}`, ran: true };
  if (/Sibling tool call errored|^<tool_use_error>Cancelled/.test(text))
    return { status: 'interrupted', error: 'sibling-error', ran: false };
  if (/\bblocked\b/i.test(text)) return BLOCKED;
  const http = /status code (\d{3})\b/.exec(text)?.[1];
  if (http !== undefined) return { status: 'error', error: `http-${http}`, ran: true };
  for (const [pattern, error] of CLASSES)
    if (pattern.test(text)) return { status: 'error', error, ran: shell && error !== 'invalid-input' };
  return { status: 'error', error: 'tool-error', ran: true };
}
