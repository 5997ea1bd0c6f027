/** How a tool call ended, in classes only: what a tool said is private. `status` '' is a success. */
export interface Outcome {
  readonly status: '' | 'error' | 'interrupted' | 'denied';
  readonly error: string;
  /** False if the tool never did its work: it touched nothing. */
  readonly ran: boolean;
}

export const OK: Outcome = { status: '', error: '', ran: true };
export const DENIED: Outcome = { status: 'denied', error: 'denied', ran: false };
export const INTERRUPTED: Outcome = { status: 'interrupted', error: 'interrupted', ran: true };

export function failed(error: string, ran = false): Outcome {
  return { status: 'error', error, ran };
}

/** A command's exit code; 0 is a success. */
export function exited(code: number): Outcome {
  return code === 0 ? OK : failed(`exit-${code}`, true);
}

/** What agents write when a tool fails without an exit code, and its class. The first that fits. */
const CLASSES: readonly (readonly [RegExp, string])[] = [
  [
    /(could not find|did not find|0 occurrences|no occurrences?|not found).{0,60}(to replace|old_?(string|text|str))|string to (replace|edit)|No changes to (make|apply)|no match found/i,
    'edit-mismatch',
  ],
  [
    /must have required property|params must|invalid (params|arguments|input|type)|missing required|is required\b/i,
    'invalid-input',
  ],
  [/(tool|agent|skill).{0,80}not found|unknown tool|no such tool|not available/i, 'unknown-tool'],
  [/timed? ?out/i, 'timeout'],
  [/does not exist|no such file|ENOENT|not found/i, 'not-found'],
  [/EACCES|EPERM|permission denied|outside (of )?(the )?(allowed|workspace|project)|not within/i, 'no-permission'],
  [/EISDIR|ENOTDIR|is a directory/i, 'not-a-file'],
  [/too large|exceeds/i, 'too-large'],
  [/\bMCP\b/, 'mcp-error'],
];

const REFUSED =
  /(user|person) (did not allow|denied|rejected|declined|cancelled|canceled|refused)|rejected by user|denied by user|user rejected/i;
const STOPPED =
  /operation (was )?(cancelled|canceled|aborted)|^\[?(aborted|cancelled|canceled|interrupted)\b|interrupted by user/i;

/** The outcome that a failure's text tells. Only its beginning is looked at. */
export function failureOf(text: string): Outcome {
  const head = text.length > 1000 ? text.slice(0, 1000) : text;
  if (REFUSED.test(head)) return DENIED;
  if (STOPPED.test(head)) return INTERRUPTED;
  for (const [pattern, error] of CLASSES) if (pattern.test(head)) return failed(error, error === 'timeout');
  return failed('tool-error');
}
