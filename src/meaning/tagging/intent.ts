/**
 * What a person says in a prompt, told from what they pasted: fenced code, stack traces, log lines, compiler output,
 * quoted lines and diffs are material, and words in them ("Error: failed to fix") ask for nothing. '' where all of it is
 * material. Linear in the text; text without any material is given back as it is.
 */
export function ownWords(text: string): string {
  const unfenced = text.includes('```') ? text.replace(FENCED, '\n') : text;
  if (!unfenced.includes('\n')) return unfenced.trim();
  const lines = unfenced.split('\n');
  const diff = lines.some(line => DIFF_START.test(line));
  const own = lines.filter(line => !(isMaterial(line) || (diff && DIFF_LINE.test(line))));
  return own.length === lines.length && unfenced === text ? text : own.join('\n').trim();
}

const FENCED = /```[\s\S]*?(?:```|$)/g;
const DIFF_START = /^(?:diff --git |@@ -\d)/;
const DIFF_LINE = /^(?:[-+ ]|@@ |index [0-9a-f]|diff --git )/;

/** Each is looked for at the beginning of a line, so none runs twice over the same text. */
const MATERIAL: readonly RegExp[] = [
  // Quoted, and prompts of shells.
  /^\s*(?:> |\$ |❯ |PS [A-Z]:\\)/,
  // Stack frames: JavaScript and Java, Python, Go, Rust, .NET, Ruby.
  /^\s*at (?:async |new )?[\w$.<>[\]/@ ]{1,120}[(:]/,
  /^\s*File "[^"\n]{1,300}", line \d+/,
  /^Traceback \(most recent call last\)/,
  /^(?:goroutine \d+ \[|\s+\S{1,200}\.go:\d+|created by \S)/,
  /^\s*\d{1,3}: +(?:0x[0-9a-f]+ - )?[\w<][\w:<>{}]*::/,
  /^\s*(?:Caused by|\.\.\. \d+ more|from \S{1,200}:\d+:in )/,
  // Logs: a time first, or a level first; npm, cargo and compilers.
  /^\s*\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d/,
  /^\s*\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?\s/,
  /^\s*(?:\[(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL)\]|(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL)[: ]\s*\S)/,
  /^(?:npm (?:ERR!|error|warn)|yarn run |error\[E\d{4}\]|error TS\d+|\S{1,200}:\d+:\d+:? (?:error|warning|note)|\S{1,200}\(\d+,\d+\): error)/,
  /^\s*(?:-->|\d{1,6} \||\|)\s/,
];

function isMaterial(line: string): boolean {
  return line !== '' && MATERIAL.some(pattern => pattern.test(line));
}

/**
 * What machine wrote a text that stands in the place of a prompt, as the kind of event it would be; '' for a person.
 * Readers that know their agent's rows tell these already; texts of traces and operation files come without a row kind.
 */
export function machineKind(text: string): 'continuation' | 'interruption' | 'system' | '' {
  const start = text.slice(0, 400).trimStart();
  if (SUMMARIES.test(start)) return 'continuation';
  if (INTERRUPTED.test(start)) return 'interruption';
  return start.startsWith('<') && onlySystemBlocks(text) ? 'system' : '';
}

const SUMMARIES =
  /^(?:This session is being continued from a previous conversation|Another language model started to solve this problem and produced a summary|<(?:state_snapshot|conversation_summary|summary)>|\[?(?:Conversation|Context) (?:summary|compacted)\b)/i;
const INTERRUPTED = /^\[Request (?:interrupted|cancelled) by user/;
const SYSTEM_BLOCK =
  /^<(system-reminder|system_reminder|environment_context|environment_details|user_instructions|system_instructions|INSTRUCTIONS|permissions instructions|turn_aborted|session_context|local-command-stdout|local-command-stderr|local-command-caveat)>/;

/** True if blocks that agents wrap around their own words are all there is. */
function onlySystemBlocks(text: string): boolean {
  let rest = text.trim();
  while (rest !== '') {
    const name = SYSTEM_BLOCK.exec(rest)?.[1];
    if (name === undefined) return false;
    const end = rest.indexOf(`</${name}>`);
    if (end < 0) return true;
    rest = rest.slice(end + name.length + 3).trim();
  }
  return true;
}
