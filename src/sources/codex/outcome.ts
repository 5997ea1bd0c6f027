import { fieldsOf, numberOf, textOf } from './fields.ts';

/** How a tool call ended, told in classes only; texts of errors are private. */
export interface Outcome {
  status: '' | 'error' | 'interrupted' | 'denied';
  error: string;
  /** The command goes on: the name by which later calls speak to it. */
  running: string;
  /** Seconds the tool itself reports; undefined if it does not. */
  seconds: number | undefined;
}

const OK: Outcome = { status: '', error: '', running: '', seconds: undefined };
const DENIED: Outcome = { ...OK, status: 'denied', error: 'denied' };

export function failure(error: string, seconds?: number): Outcome {
  return { status: 'error', error, running: '', seconds };
}

function exitOutcome(code: number, seconds?: number): Outcome {
  if (code !== 0) return failure(`exit-${code}`, seconds);
  return seconds === undefined ? OK : { status: '', error: '', running: '', seconds };
}

/** Characters of a result in which its header stands. */
const HEADER = 600;

/** A result of any age: text with a header, JSON in a string, a list of content items, an object with `success`. */
export function outcomeOf(output: unknown): Outcome {
  if (typeof output === 'string') return ofText(output);
  if (Array.isArray(output)) return ofText(textOf(fieldsOf(output[0])?.text));
  const fields = fieldsOf(output);
  if (!fields) return OK;
  const inner = ofText(textOf(fields.content) || textOf(fields.text));
  return inner.status === '' && fields.success === false ? failure('tool-error') : inner;
}

/** What is to be shown of a result to who asks for texts. */
export function resultText(output: unknown): string {
  if (typeof output === 'string') return output;
  if (Array.isArray(output)) return output.map(item => textOf(fieldsOf(item)?.text)).join('');
  const fields = fieldsOf(output);
  return textOf(fields?.content) || textOf(fields?.text);
}

function ofText(text: string): Outcome {
  if (text.startsWith('{"output":')) return ofJson(text);
  const head = text.length > HEADER ? text.slice(0, HEADER) : text;
  const at = head.startsWith('Output:') ? 0 : head.indexOf('\nOutput:');
  const header = at < 0 ? head : head.slice(0, at);
  if (/^command timed out|\btimed out after \d/m.test(header)) return failure('timeout');
  const running = /^(?:Process|Script) running with (session|cell) ID (\S+)/m.exec(header);
  if (running) return { ...OK, running: processName(running[1] as string, running[2] as string) };
  const exit = /^(?:Process exited with code|Exit code:) (-?\d+)/m.exec(header);
  if (exit) return exitOutcome(Number(exit[1]));
  // A patch inside a shell command reports below the command's own header.
  const patch = /^Output:\nExit code: (-?\d+)/m.exec(head);
  if (patch) return exitOutcome(Number(patch[1]));
  if (head.startsWith('Script ')) return head.startsWith('Script completed') ? OK : failure('tool-error');
  return ofPhrase(head);
}

/** Cells and sessions are numbered apart. */
export function processName(kind: string, id: string): string {
  return `${kind} ${id}`;
}

const METADATA = '"metadata":{';

/** `{"output":...,"metadata":{"exit_code":1,"duration_seconds":0.3}}`; quotes of the output itself are escaped. */
function ofJson(text: string): Outcome {
  const at = text.lastIndexOf(METADATA);
  const code = at < 0 ? undefined : numberAfter(text, '"exit_code":', at);
  if (code === undefined) return ofPhrase(text.slice('{"output":"'.length, HEADER));
  const seconds = numberAfter(text, '"duration_seconds":', at);
  if (code !== 0 && /command timed out after \d/.test(text.slice(0, HEADER))) return failure('timeout', seconds);
  return exitOutcome(code, seconds);
}

/** The number behind a key, looked for from `from` on; undefined if there is none. */
function numberAfter(text: string, key: string, from: number): number | undefined {
  const at = text.indexOf(key, from);
  if (at < 0) return undefined;
  const number = Number.parseFloat(text.slice(at + key.length, at + key.length + 20));
  return Number.isNaN(number) ? undefined : number;
}

/** Openings of results that have no exit code, from the client's source texts. */
const PHRASES: readonly (readonly [RegExp, Outcome['status'], string])[] = [
  [/^aborted\b/i, 'interrupted', 'interrupted'],
  [
    /^(?:exec command|patch|user|command)? ?(?:was )?(?:rejected|declined|cancelled|canceled) (?:by user|MCP tool call)/i,
    'denied',
    'denied',
  ],
  [/^(?:exec command|patch) rejected/i, 'denied', 'denied'],
  [/^(?:tool call error: )?user (?:rejected|cancelled|declined)/i, 'denied', 'denied'],
  [/^apply_patch verification failed/i, 'error', 'patch-failed'],
  [
    /^(?:failed to parse|unsupported (?:call|tool|custom tool)|unknown tool|tool call error|exec_command failed|write_stdin failed|execution error|failed in sandbox|sandbox error)/i,
    'error',
    'tool-error',
  ],
  [/^(?:err|error|failed):? /i, 'error', 'tool-error'],
];

function ofPhrase(head: string): Outcome {
  for (const [phrase, status, error] of PHRASES) if (phrase.test(head)) return { ...OK, status, error };
  return OK;
}

/** The end of a tool as an event or item reports it; undefined if it says nothing of success. */
export function reportedOutcome(report: Readonly<Record<string, unknown>>, patch: boolean): Outcome | undefined {
  const status = textOf(report.status).toLowerCase();
  if (status === 'declined' || status === 'denied') return DENIED;
  const code = numberOf(report.exit_code);
  if (code !== undefined) return exitOutcome(code);
  const result = fieldsOf(report.result);
  const inner = fieldsOf(result?.Ok);
  if (result && ('Err' in result || inner?.is_error === true || inner?.isError === true)) {
    return /^user (?:rejected|cancelled|declined)/i.test(textOf(result.Err)) ? DENIED : failure('tool-error');
  }
  if (report.success === false || status === 'failed') return failure(patch ? 'patch-failed' : 'tool-error');
  return report.success === true || status === 'completed' || result ? OK : undefined;
}
