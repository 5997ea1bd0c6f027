import { OUTSIDE, Scanner } from './scanner.ts';
import type { Assign, Command, Redirect, Script, Word } from './syntax.ts';
import { NO_ASSIGNS, NO_REDIRECTS, NO_WORDS } from './syntax.ts';

/**
 * The fast path: a parser for the part of the shell language that nearly all commands of agents keep to. It takes
 * a command line only where it is sure, and then says exactly what the syntax tree says (a property test holds the
 * two together). Lists, pipelines, quotes, plain variables, `$( )`, redirections, here-documents, groups, `if`,
 * `for`, `while`; no arithmetic, arrays, `[[`, `case`, functions, backticks or `${...}` beyond a name.
 */
export function lexShell(text: string): Script | undefined {
  try {
    return new Lexer(text).whole();
  } catch (error) {
    if (error === OUTSIDE || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Nesting beyond this is left to the other parser. */
const DEPTH = 40;

/** Words that only mean something to the shell where a command could begin. */
const RESERVED = new Set(
  'if then elif else fi for while until do done case esac in select function coproc { } ! [['.split(' '),
);
const NOTHING: readonly string[] = [];
const ASSIGNMENT = /[A-Za-z_]\w*(\+?)=/y;
const FOR_HEAD = /[ \t]+([A-Za-z_]\w*)(?:[ \t\n]*;|[ \t\n]+(?=do\b)|[ \t\n]+(in)(?=[ \t\n;]))/y;

class Lexer extends Scanner {
  private depth = 0;

  whole(): Script {
    const body = this.script(NOTHING, '');
    if (this.at < this.text.length) throw OUTSIDE;
    return body;
  }

  protected substitution(): Script {
    const body = this.script(NOTHING, ')');
    if (this.awaitsBody) throw OUTSIDE;
    this.at++;
    return body;
  }

  /**
   * Commands up to one of the reserved words `stops`, or the character `close`, or the end of the text if both are
   * empty. The cursor rests on what stopped it.
   */
  private script(stops: readonly string[], close: string): Script {
    if (++this.depth > DEPTH) throw OUTSIDE;
    const body: Command[] = [];
    for (;;) {
      this.separators();
      if (this.at >= this.text.length) {
        if (stops.length > 0 || close !== '') throw OUTSIDE;
        break;
      }
      if (close !== '' && this.text[this.at] === close) break;
      if (stops.length > 0 && stops.includes(this.reservedHere())) break;
      this.list(body);
    }
    this.depth--;
    return body;
  }

  /** Skips what may stand between commands: blanks, newlines, comments, `;` and `&`. */
  private separators(): void {
    for (;;) {
      this.blanks();
      const c = this.text.charCodeAt(this.at);
      if (c === 10) this.newline();
      else if (c === 35) this.comment();
      else if (c === 59 || c === 38) {
        const next = this.text.charCodeAt(this.at + 1);
        if (next === c || next === 62) throw OUTSIDE;
        this.at++;
      } else return;
    }
  }

  private comment(): void {
    const end = this.text.indexOf('\n', this.at);
    this.at = end < 0 ? this.text.length : end;
  }

  private lines(): void {
    for (;;) {
      this.blanks();
      const c = this.text.charCodeAt(this.at);
      if (c === 10) this.newline();
      else if (c === 35) this.comment();
      else return;
    }
  }

  private list(body: Command[]): void {
    let last = this.pipeline();
    for (;;) {
      this.blanks();
      const c = this.text.charCodeAt(this.at);
      if ((c !== 38 && c !== 124) || this.text.charCodeAt(this.at + 1) !== c) break;
      this.at += 2;
      this.lines();
      if (c === 38) {
        body.push(last);
        last = this.pipeline();
      } else last = { kind: 'otherwise', first: last, second: this.pipeline() };
    }
    body.push(last);
  }

  private pipeline(): Command {
    const first = this.command();
    let commands: Command[] | undefined;
    for (;;) {
      this.blanks();
      if (this.text.charCodeAt(this.at) !== 124) break;
      const next = this.text.charCodeAt(this.at + 1);
      if (next === 124) break;
      this.at += next === 38 ? 2 : 1;
      this.lines();
      commands ??= [first];
      commands.push(this.command());
    }
    return commands ? { kind: 'pipeline', commands } : first;
  }

  private command(): Command {
    const c = this.text.charCodeAt(this.at);
    if (c === 40) {
      if (this.text.charCodeAt(this.at + 1) === 40) throw OUTSIDE;
      this.at++;
      const body = this.script(NOTHING, ')');
      this.at++;
      return { kind: 'group', subshell: true, body, redirects: this.redirects() };
    }
    const word = this.reservedHere();
    if (word === '') return this.simple();
    this.at += word.length;
    switch (word) {
      case '!':
        this.blanks();
        return this.command();
      case '{':
        return this.braces();
      case 'if':
        return this.branch();
      case 'for':
        return this.forLoop();
      case 'while':
      case 'until': {
        const head = this.script(['do'], '');
        return this.loop('', NO_WORDS, head);
      }
      default:
        throw OUTSIDE;
    }
  }

  /** The reserved word that stands alone under the cursor, or ''. */
  private reservedHere(): string {
    const { text } = this;
    let end = this.at;
    for (; end < this.at + 9; end++) {
      const c = text.charCodeAt(end);
      if (!((c >= 97 && c <= 122) || c === 33 || c === 91 || c === 123 || c === 125)) break;
    }
    if (end === this.at) return '';
    const after = text.charCodeAt(end);
    if (!(Number.isNaN(after) || ' \t\n;&|<>()'.includes(text[end] as string))) return '';
    const word = text.slice(this.at, end);
    return RESERVED.has(word) ? word : '';
  }

  private braces(): Command {
    const body = this.script(['}'], '');
    this.at++;
    return { kind: 'group', subshell: false, body, redirects: this.redirects() };
  }

  private branch(): Command {
    const bodies: Script[] = [];
    let head = this.script(['then'], '');
    for (;;) {
      this.at += 4;
      const body = this.script(['elif', 'else', 'fi'], '');
      bodies.push([...head, ...body]);
      if (!this.text.startsWith('elif', this.at)) break;
      this.at += 4;
      head = this.script(['then'], '');
    }
    if (this.text.startsWith('else', this.at)) {
      this.at += 4;
      bodies.push(this.script(['fi'], ''));
    } else bodies.push([]);
    this.at += 2;
    return { kind: 'branch', bodies, redirects: this.redirects() };
  }

  private forLoop(): Command {
    FOR_HEAD.lastIndex = this.at;
    const head = FOR_HEAD.exec(this.text);
    if (!head) throw OUTSIDE;
    this.at = FOR_HEAD.lastIndex;
    const values: Word[] = [];
    if (head[2]) {
      for (;;) {
        this.blanks();
        const c = this.text.charCodeAt(this.at);
        if (c === 59 || c === 10) break;
        values.push(this.word());
      }
    }
    this.separators();
    if (this.reservedHere() !== 'do') throw OUTSIDE;
    return this.loop(head[1] as string, values, []);
  }

  /** From `do` on. */
  private loop(name: string, values: readonly Word[], head: Script): Command {
    this.at += 2;
    const body = this.script(['done'], '');
    this.at += 4;
    return {
      kind: 'loop',
      name,
      values,
      body: head.length > 0 ? [...head, ...body] : body,
      redirects: this.redirects(),
    };
  }

  /** Redirections behind a compound command. */
  private redirects(): readonly Redirect[] {
    let found: Redirect[] | undefined;
    for (;;) {
      this.blanks();
      if (!this.atRedirect()) break;
      found ??= [];
      this.redirect(found);
    }
    return found ?? NO_REDIRECTS;
  }

  private simple(): Command {
    let assigns: Assign[] | undefined;
    let redirects: Redirect[] | undefined;
    const words: Word[] = [];
    for (;;) {
      this.blanks();
      const c = this.text.charCodeAt(this.at);
      if (Number.isNaN(c) || c === 10 || c === 59 || c === 124 || c === 41 || c === 35) break;
      if (this.atRedirect()) {
        redirects ??= [];
        this.redirect(redirects);
      } else if (c === 38) break;
      else {
        const assign = words.length === 0 ? this.assign() : undefined;
        if (assign) {
          assigns ??= [];
          assigns.push(assign);
        } else words.push(this.word());
        if (this.text.charCodeAt(this.at) === 40) throw OUTSIDE;
      }
    }
    if (words.length === 0 && !assigns && !redirects) throw OUTSIDE;
    return { kind: 'simple', assigns: assigns ?? NO_ASSIGNS, words, redirects: redirects ?? NO_REDIRECTS };
  }

  private assign(): Assign | undefined {
    ASSIGNMENT.lastIndex = this.at;
    const head = ASSIGNMENT.exec(this.text);
    if (!head) return undefined;
    this.at = ASSIGNMENT.lastIndex;
    const append = head[1] === '+';
    const name = head[0].slice(0, append ? -2 : -1);
    const c = this.text[this.at];
    const value = c === undefined || ' \t\n;&|<>)'.includes(c) ? '' : this.word();
    return { name, value, append };
  }

  /** True before `<`, `>`, `&>` and a descriptor number that belongs to one of them. */
  private atRedirect(): boolean {
    const { text } = this;
    let at = this.at;
    let c = text.charCodeAt(at);
    if (c === 38) return text.charCodeAt(at + 1) === 62;
    while (c >= 48 && c <= 57) c = text.charCodeAt(++at);
    return c === 60 || c === 62;
  }

  private redirect(into: Redirect[]): void {
    const { text } = this;
    while (text.charCodeAt(this.at) <= 57 && text.charCodeAt(this.at) >= 48) this.at++;
    const two = text.slice(this.at, this.at + 2);
    const three = text.slice(this.at, this.at + 3);
    if (three === '<<<') this.target(into, 'string', 3);
    else if (two === '<<') {
      const stripTabs = three === '<<-';
      this.at += stripTabs ? 3 : 2;
      const redirect: Redirect = { op: 'here', target: '', body: '' };
      into.push(redirect);
      this.hereDocument(redirect, stripTabs);
    } else if (two === '<(' || two === '>(') throw OUTSIDE;
    else if (two === '<&' || two === '>&') this.duplicate(into, two);
    else if (two === '&>') this.target(into, 'out', three === '&>>' ? 3 : 2);
    else if (two === '>>' || two === '>|' || two === '<>') this.target(into, 'out', 2);
    else this.target(into, two.startsWith('<') ? 'in' : 'out', 1);
  }

  private target(into: Redirect[], op: 'in' | 'out' | 'string', width: number): void {
    this.at += width;
    this.blanks();
    into.push({ op, target: this.word(), body: '' });
  }

  /** `2>&1`, `<&-` and the like name no file; `>& name` does. */
  private duplicate(into: Redirect[], operator: string): void {
    this.at += 2;
    this.blanks();
    const target = this.word();
    const descriptor = typeof target === 'string' && /^(\d+-?|-)$/.test(target);
    if (descriptor) return;
    if (operator === '<&') throw OUTSIDE;
    into.push({ op: 'out', target, body: '' });
  }
}
