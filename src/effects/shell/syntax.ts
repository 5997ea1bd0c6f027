/**
 * A shell command line as both parsers give it (the lexer and the tree-sitter walk): only what decides which
 * program runs with which words. Commands of a list follow each other; of the operators only `||` is kept.
 */
export type Script = readonly Command[];

export type Command = Simple | Pipeline | Otherwise | Group | Branch | Loop | Definition;

export interface Simple {
  readonly kind: 'simple';
  readonly assigns: readonly Assign[];
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
}

export interface Pipeline {
  readonly kind: 'pipeline';
  readonly commands: readonly Command[];
}

/** `first || second`; with `&&` and `;` commands simply follow each other. */
export interface Otherwise {
  readonly kind: 'otherwise';
  readonly first: Command;
  readonly second: Command;
}

/** `( ... )` with a scope of its own, or `{ ...; }`. */
export interface Group {
  readonly kind: 'group';
  readonly subshell: boolean;
  readonly body: Script;
  readonly redirects: readonly Redirect[];
}

/**
 * `if` and `case`: exactly one of the bodies runs (an empty one stands for no match). A condition stands at the head
 * of its body.
 */
export interface Branch {
  readonly kind: 'branch';
  readonly bodies: readonly Script[];
  readonly redirects: readonly Redirect[];
}

/** `for name in values`, or `while` and `until` (no name; the condition stands at the head of the body). */
export interface Loop {
  readonly kind: 'loop';
  readonly name: string;
  readonly values: readonly Word[];
  readonly body: Script;
  readonly redirects: readonly Redirect[];
}

export interface Definition {
  readonly kind: 'definition';
  readonly name: string;
  readonly body: Script;
}

/** `append` is `NAME+=value`. */
export interface Assign {
  readonly name: string;
  readonly value: Word;
  readonly append: boolean;
}

/**
 * `in` and `out` open the file `target` (duplicated and closed descriptors are left out); `here` has the raw body
 * of a here-document in `body`; `string` is `<<< target`.
 */
export interface Redirect {
  readonly op: 'in' | 'out' | 'here' | 'string';
  readonly target: Word;
  body: string;
}

/**
 * A word after quote removal. Plain text where possible; otherwise parts in order. Text may hold UNKNOWN.
 * A quoted leading `~` is written `./~`, so that a `~` at the head always means a home directory.
 */
export type Word = string | readonly Part[];
export type Part = string | Variable | Substitution;

export interface Variable {
  readonly name: string;
}

/** `$( ... )`, backticks, `<( ... )` and whatever else runs commands inside a word; its own value is unknown. */
export interface Substitution {
  readonly script: Script;
}

/** Stands in a word's text for any string that only a real run would know. */
export const UNKNOWN = '\u0001';

export const NO_REDIRECTS: readonly Redirect[] = [];
export const NO_WORDS: readonly Word[] = [];
export const NO_ASSIGNS: readonly Assign[] = [];

/** Collects one word: text and parts in order, plain text as long as nothing else comes. */
export class WordBuilder {
  private text = '';
  private parts: Part[] | undefined;

  add(text: string): void {
    this.text += text;
  }

  part(part: Variable | Substitution): void {
    this.parts ??= [];
    if (this.text !== '') this.parts.push(this.text);
    this.text = '';
    this.parts.push(part);
  }

  get empty(): boolean {
    return this.text === '' && this.parts === undefined;
  }

  word(): Word {
    if (!this.parts) return this.text;
    if (this.text !== '') this.parts.push(this.text);
    return this.parts;
  }
}

/** Text with this program's own marker taken out, so that no input can forge one. */
export function withoutMarkers(text: string): string {
  return text.includes(UNKNOWN) ? text.replaceAll(UNKNOWN, '?') : text;
}
