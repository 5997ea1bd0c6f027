import type { SyntaxNode } from './parser.ts';
import type { Script, Word } from './syntax.ts';
import { UNKNOWN, WordBuilder } from './syntax.ts';

/** Words of a syntax tree: quotes, expansions, and the commands inside them. */
export abstract class TreeWords {
  protected readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  abstract script(nodes: readonly SyntaxNode[]): Script;

  protected raw(node: SyntaxNode): string {
    return this.text.slice(node.start, node.end);
  }

  protected word(node: SyntaxNode): Word {
    const word = new WordBuilder();
    this.into(node, word, true);
    return word.word();
  }

  /** Appends the value of a word's node; `leads` while nothing stands before it in the word. */
  protected into(node: SyntaxNode, word: WordBuilder, leads: boolean): void {
    switch (node.type) {
      case 'concatenation': {
        let at = node.start;
        for (const child of node.children) {
          if (child.start > at) word.add(unescaped(this.text.slice(at, child.start)));
          this.into(child, word, leads && child.start === node.start);
          at = child.end;
        }
        if (node.end > at) word.add(unescaped(this.text.slice(at, node.end)));
        return;
      }
      case 'raw_string':
        word.add(tilde(this.raw(node).slice(1, -1), leads));
        return;
      case 'ansi_c_string':
        word.add(ansi(this.raw(node).slice(2, -1)));
        return;
      case 'string':
      case 'translated_string':
        this.quoted(node, word, leads);
        return;
      case 'simple_expansion': {
        const name = this.expanded(node, word).slice(1);
        if (/^(\w+)$/.test(name)) word.part({ name });
        else word.add(UNKNOWN);
        return;
      }
      case 'expansion': {
        const name = /^\$\{([A-Za-z_]\w*)\}$/.exec(this.expanded(node, word))?.[1];
        if (name) word.part({ name });
        else this.unknown(node, word);
        return;
      }
      case 'command_substitution':
      case 'process_substitution':
        word.part({ script: this.script(node.children) });
        return;
      case 'arithmetic_expansion':
      case 'array':
        this.unknown(node, word);
        return;
      case 'brace_expression':
        word.add(this.raw(node));
        return;
      default:
        word.add(unescaped(this.raw(node)));
    }
  }

  /** The text of an expansion; behind a quote the grammar counts blanks before it to the node. */
  private expanded(node: SyntaxNode, word: WordBuilder): string {
    const raw = this.raw(node);
    const text = raw.trimStart();
    if (text.length < raw.length) word.add(raw.slice(0, raw.length - text.length));
    return text;
  }

  private quoted(node: SyntaxNode, word: WordBuilder, leads: boolean): void {
    let at = node.start + (node.type === 'string' ? 1 : 2);
    if (leads && this.text[at] === '~') word.add('./');
    for (const child of node.children) {
      if (child.type === 'string_content') continue;
      if (child.start > at) word.add(unquoted(this.text.slice(at, child.start)));
      this.into(child, word, false);
      at = child.end;
    }
    if (node.end - 1 > at) word.add(unquoted(this.text.slice(at, node.end - 1)));
  }

  private unknown(node: SyntaxNode, word: WordBuilder): void {
    for (const part of this.hidden(node)) for (const piece of part) if (typeof piece !== 'string') word.part(piece);
    word.add(UNKNOWN);
  }

  /** The command substitutions anywhere inside a node, each as a word. */
  protected hidden(node: SyntaxNode): Exclude<Word, string>[] {
    const found: Exclude<Word, string>[] = [];
    for (const child of node.children) {
      if (child.type === 'command_substitution' || child.type === 'process_substitution') {
        found.push([{ script: this.script(child.children) }]);
      } else found.push(...this.hidden(child));
    }
    return found;
  }
}

function tilde(text: string, leads: boolean): string {
  return leads && text.startsWith('~') ? `./${text}` : text;
}

/** Quote removal outside quotes. */
function unescaped(text: string): string {
  return text.includes('\\') ? text.replace(/\\([\s\S])/g, (_, next: string) => (next === '\n' ? '' : next)) : text;
}

/** Quote removal between double quotes. */
function unquoted(text: string): string {
  return text.includes('\\') ? text.replace(/\\([$`"\\\n])/g, (_, next: string) => (next === '\n' ? '' : next)) : text;
}

function ansi(text: string): string {
  return text.replace(/\\(n|t|'|"|\\)/g, (_, c: string) => (c === 'n' ? '\n' : c === 't' ? '\t' : c));
}
