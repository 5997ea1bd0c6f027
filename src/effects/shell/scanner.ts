import { hereBody, hereDelimiter } from './here.ts';
import type { Redirect, Script, Word } from './syntax.ts';
import { UNKNOWN, WordBuilder } from './syntax.ts';

/** Thrown by the lexer at anything outside its subset; the syntax tree decides then. One object, never shown. */
export const OUTSIDE = new Error('outside the subset of the lexer');

const PLAIN = 0;
const END = 1;
const SPECIAL = 2;

/** What an ASCII unit means inside an unquoted word. */
const CLASS = new Uint8Array(128);
for (const c of ' \t\n;&|<>()') CLASS[c.charCodeAt(0)] = END;
for (const c of '\'"\\$`\r') CLASS[c.charCodeAt(0)] = SPECIAL;

/** NAME after `$`, at the sticky position. */
const NAME = /[A-Za-z_]\w*/y;
const BRACED = /\{([A-Za-z_]\w*)\}/y;

/** Words, quotes, expansions and here-documents: the half of the lexer that knows nothing of statements. */
export abstract class Scanner {
  protected readonly text: string;
  protected at = 0;
  private readonly pending: { redirect: Redirect; delimiter: string; stripTabs: boolean }[] = [];

  constructor(text: string) {
    this.text = text;
  }

  /** Parses up to and with the `)` that closes a command substitution. */
  protected abstract substitution(): Script;

  /** Skips spaces, tabs and line continuations. */
  protected blanks(): void {
    for (;;) {
      const c = this.text.charCodeAt(this.at);
      if (c === 32 || c === 9) this.at++;
      else if (c === 92 && this.text.charCodeAt(this.at + 1) === 10) this.at += 2;
      else return;
    }
  }

  /** Takes the newline under the cursor and the bodies of here-documents that begin behind it. */
  protected newline(): void {
    this.at++;
    if (this.pending.length === 0) return;
    for (const { redirect, delimiter, stripTabs } of this.pending) {
      const body = hereBody(this.text, this.at, delimiter, stripTabs);
      redirect.body = this.text.slice(this.at, body.end);
      this.at = body.next;
    }
    this.pending.length = 0;
  }

  protected get awaitsBody(): boolean {
    return this.pending.length > 0;
  }

  /** The delimiter behind `<<` or `<<-`; the body follows the line. */
  protected hereDocument(redirect: Redirect, stripTabs: boolean): void {
    this.blanks();
    const from = this.at;
    let c = this.text.charCodeAt(this.at);
    while (!(Number.isNaN(c) || (c < 128 && CLASS[c] === END))) c = this.text.charCodeAt(++this.at);
    const raw = this.text.slice(from, this.at);
    const delimiter = hereDelimiter(raw);
    if (delimiter === '') throw OUTSIDE;
    this.pending.push({ redirect, delimiter, stripTabs });
  }

  /** The word under the cursor; throws OUTSIDE where none begins. */
  protected word(): Word {
    const { text } = this;
    const from = this.at;
    let c = text.charCodeAt(this.at);
    while (c >= 128 || (c < 128 && CLASS[c] === PLAIN)) c = text.charCodeAt(++this.at);
    if (Number.isNaN(c) || CLASS[c] === END) {
      if (this.at === from) throw OUTSIDE;
      return text.slice(from, this.at);
    }
    return this.mixed(from);
  }

  /** A word with quotes, escapes or expansions; plain text from `from` to the cursor is read already. */
  private mixed(from: number): Word {
    const { text } = this;
    const word = new WordBuilder();
    const start = this.at;
    let plain = from;
    for (;;) {
      const c = text.charCodeAt(this.at);
      if (Number.isNaN(c) || (c < 128 && CLASS[c] === END)) break;
      if (c >= 128 || CLASS[c] === PLAIN) {
        this.at++;
        continue;
      }
      if (plain < this.at) word.add(text.slice(plain, this.at));
      if (c === 39) this.single(word, this.at === start && start === from);
      else if (c === 34) this.double(word, this.at === start && start === from);
      else if (c === 92) this.escape(word);
      else if (c === 36) this.dollar(word, false);
      else throw OUTSIDE;
      plain = this.at;
    }
    if (plain < this.at) word.add(text.slice(plain, this.at));
    return word.word();
  }

  private single(word: WordBuilder, leads: boolean): void {
    const end = this.text.indexOf("'", this.at + 1);
    if (end < 0) throw OUTSIDE;
    const inner = this.text.slice(this.at + 1, end);
    word.add(leads && inner.startsWith('~') ? `./${inner}` : inner);
    this.at = end + 1;
  }

  private escape(word: WordBuilder): void {
    const next = this.text.charCodeAt(this.at + 1);
    if (Number.isNaN(next)) throw OUTSIDE;
    if (next !== 10) word.add(this.text[this.at + 1] as string);
    this.at += 2;
  }

  private double(word: WordBuilder, leads: boolean): void {
    const { text } = this;
    let plain = ++this.at;
    if (leads && text.charCodeAt(plain) === 126) word.add('./');
    for (;;) {
      const c = text.charCodeAt(this.at);
      if (Number.isNaN(c) || c === 96) throw OUTSIDE;
      if (c !== 34 && c !== 92 && c !== 36) {
        this.at++;
        continue;
      }
      if (plain < this.at) word.add(text.slice(plain, this.at));
      if (c === 34) {
        this.at++;
        return;
      }
      if (c === 36) this.dollar(word, true);
      else {
        const next = text.charCodeAt(this.at + 1);
        if (next === 10) this.at += 2;
        else if (next === 36 || next === 96 || next === 34 || next === 92) {
          word.add(text[this.at + 1] as string);
          this.at += 2;
        } else {
          word.add('\\');
          this.at++;
        }
      }
      plain = this.at;
    }
  }

  /** At `$`. Inside double quotes `$'` and `$"` are a plain `$`. */
  private dollar(word: WordBuilder, quoted: boolean): void {
    const { text } = this;
    const next = text.charCodeAt(this.at + 1);
    if (next === 40) {
      if (text.charCodeAt(this.at + 2) === 40) throw OUTSIDE;
      this.at += 2;
      word.part({ script: this.substitution() });
    } else if (next === 123) {
      BRACED.lastIndex = this.at + 1;
      const name = BRACED.exec(text);
      if (!name) throw OUTSIDE;
      word.part({ name: name[1] as string });
      this.at = BRACED.lastIndex;
    } else if (next >= 48 && next <= 57) {
      word.part({ name: text[this.at + 1] as string });
      this.at += 2;
    } else if ('?!$#@*-'.includes(text[this.at + 1] ?? 'none')) {
      word.add(UNKNOWN);
      this.at += 2;
    } else {
      NAME.lastIndex = this.at + 1;
      const name = NAME.exec(text);
      if (name) {
        word.part({ name: name[0] });
        this.at = NAME.lastIndex;
      } else {
        if (!quoted && (next === 39 || next === 34 || next === 91)) throw OUTSIDE;
        word.add('$');
        this.at++;
      }
    }
  }
}
