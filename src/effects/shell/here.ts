/**
 * Here-documents, found by following quotes alone. The syntax tree's grammar loses its way at several common forms
 * (`cat <<E; ls`, two documents in one line, a redirection behind the delimiter) and takes body lines for commands,
 * so the tree is given a text without bodies.
 */
export interface Lifted {
  /** The command line with each here-document written as a redirection `< __here0`. */
  readonly text: string;
  readonly bodies: readonly string[];
}

/** The plain delimiter of a raw one (`'EOF'`, `"EOF"`, `\EOF`, `EOF`); '' where it is no plain word. */
export function hereDelimiter(raw: string): string {
  const parts = /^(?:'([^']+)'|"([^"$`\\]+)"|\\?([^'"\\$`]+))$/.exec(raw);
  return parts ? ((parts[1] ?? parts[2] ?? parts[3]) as string) : '';
}

/** The body that begins at `from`: where it ends, and where the text goes on behind the delimiter's line. */
export function hereBody(
  text: string,
  from: number,
  delimiter: string,
  stripTabs: boolean,
): { end: number; next: number } {
  for (let line = from; line < text.length; ) {
    let end = text.indexOf('\n', line);
    if (end < 0) end = text.length;
    let first = line;
    if (stripTabs) while (text.charCodeAt(first) === 9) first++;
    if (end - first === delimiter.length && text.startsWith(delimiter, first)) {
      return { end: line, next: Math.min(end + 1, text.length) };
    }
    line = end + 1;
  }
  return { end: text.length, next: text.length };
}

const OPERATOR = /<<(-?)[ \t]*('[^'\n]+'|"[^"\n]+"|[^\s;&|<>()]+)(?=[\s;&|<>()]|$)/y;

type Mode = '"' | '(' | '{' | '`' | 'a';

export function liftHereDocuments(text: string): Lifted {
  if (!text.includes('<<')) return { text, bodies: [] };
  const out: string[] = [];
  const bodies: string[] = [];
  const modes: Mode[] = [];
  const pending: { delimiter: string; stripTabs: boolean }[] = [];
  let copied = 0;
  let at = 0;
  const upTo = (end: number, next: number) => {
    out.push(text.slice(copied, end));
    copied = next;
    at = next;
  };
  const skipPast = (close: string) => {
    const end = text.indexOf(close, at);
    at = end < 0 ? text.length : end + close.length;
  };
  while (at < text.length) {
    const c = text[at] as string;
    const mode = modes.at(-1);
    if (c === '\\') {
      at += 2;
      continue;
    }
    if (c === '$' && text.startsWith('$((', at)) {
      modes.push('a');
      at += 3;
    } else if (c === '$' && (text[at + 1] === '(' || text[at + 1] === '{')) {
      modes.push(text[at + 1] as Mode);
      at += 2;
    } else if (c === '`') {
      if (mode === '`') modes.pop();
      else modes.push('`');
      at++;
    } else if (c === '"') {
      if (mode === '"') modes.pop();
      else modes.push('"');
      at++;
    } else if (mode === '"') at++;
    else if (c === "'") {
      at++;
      skipPast("'");
    } else if (mode === 'a') {
      if (text.startsWith('))', at)) {
        modes.pop();
        at += 2;
      } else at++;
    } else if (mode === '{') {
      if (c === '}') modes.pop();
      at++;
    } else if (c === '(') {
      if (text.startsWith('((', at)) modes.push('a');
      else modes.push('(');
      at += text.startsWith('((', at) ? 2 : 1;
    } else if (c === ')') {
      if (mode === '(') modes.pop();
      at++;
    } else if (c === '#' && (at === 0 || /[\s;&|()]/.test(text[at - 1] as string))) {
      const end = text.indexOf('\n', at);
      at = end < 0 ? text.length : end;
    } else if (c === '<' && text.startsWith('<<<', at)) at += 3;
    else if (c === '<' && text.startsWith('<<', at)) {
      OPERATOR.lastIndex = at;
      const found = OPERATOR.exec(text);
      const delimiter = found ? hereDelimiter(found[2] as string) : '';
      if (!found || delimiter === '') {
        at += 2;
        continue;
      }
      upTo(at, OPERATOR.lastIndex);
      out.push(`< __here${bodies.length + pending.length}`);
      pending.push({ delimiter, stripTabs: found[1] === '-' });
    } else if (c === '\n' && pending.length > 0) {
      upTo(at, at);
      at++;
      for (const { delimiter, stripTabs } of pending) {
        const body = hereBody(text, at, delimiter, stripTabs);
        bodies.push(text.slice(at, body.end));
        at = body.next;
      }
      pending.length = 0;
      out.push('\n');
      copied = at;
    } else at++;
  }
  upTo(text.length, text.length);
  for (const _ of pending) bodies.push('');
  return { text: out.join(''), bodies };
}
