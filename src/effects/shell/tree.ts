import { liftHereDocuments } from './here.ts';
import type { SyntaxNode } from './parser.ts';
import type { Assign, Command, Group, Redirect, Script, Simple, Word } from './syntax.ts';
import { NO_ASSIGNS, NO_REDIRECTS, NO_WORDS, WordBuilder } from './syntax.ts';
import { TreeWords } from './tree-words.ts';

/** Gives the syntax tree of a command line. */
export type TreeOf = (text: string) => SyntaxNode;

/**
 * The script of a command line by its syntax tree. Statements the grammar could not make sense of are left out;
 * `broken` tells that there were some.
 */
export function treeShell(text: string, treeOf: TreeOf): { script: Script; broken: boolean } {
  const lifted = liftHereDocuments(text);
  const root = treeOf(lifted.text);
  const walk = new Walk(lifted.text, lifted.bodies);
  return { script: walk.script(root.children), broken: root.broken };
}

const HERE = /^__here(\d+)$/;
/** Node types that stand inside words and statements without running anything or naming a command. */
const SILENT = new Set(['comment', 'ERROR', 'heredoc_start', 'heredoc_end', 'heredoc_body']);

/** A command of a list, and whether `||` stands before it. */
interface Item {
  command: Command;
  or: boolean;
}

function push(body: Item[], command: Command, or = false): void {
  body.push({ command, or });
}

class Walk extends TreeWords {
  private readonly bodies: readonly string[];

  constructor(text: string, bodies: readonly string[]) {
    super(text);
    this.bodies = bodies;
  }

  script(nodes: readonly SyntaxNode[]): Script {
    const items: Item[] = [];
    for (const node of nodes) {
      // Behind something not understood, words of a statement may pass for commands.
      if (node.type === 'ERROR') break;
      this.statement(node, items);
      if (node.broken) break;
    }
    const body: Command[] = [];
    for (const { command, or } of items) {
      const first = or ? body.pop() : undefined;
      body.push(first ? { kind: 'otherwise', first, second: command } : command);
    }
    return body;
  }

  private statement(node: SyntaxNode, body: Item[]): void {
    if (SILENT.has(node.type)) return;
    switch (node.type) {
      case 'command':
      case 'variable_assignment':
      case 'variable_assignments':
        if (!node.broken) push(body, this.simple(node));
        return;
      case 'list':
        this.list(node, body);
        return;
      case 'negated_command':
      case 'program':
      case 'do_group':
        for (const child of node.children) this.statement(child, body);
        return;
      case 'pipeline':
        this.pipeline(node, body);
        return;
      case 'redirected_statement':
        if (!node.broken) this.redirected(node, body);
        return;
      case 'declaration_command':
      case 'unset_command':
        push(body, this.declaration(node));
        return;
      case 'test_command':
        push(body, plain([this.raw(node).startsWith('[[') ? '[[' : '[', ...this.hidden(node)]));
        return;
      case 'subshell':
        push(body, { kind: 'group', subshell: true, body: this.script(node.children), redirects: NO_REDIRECTS });
        return;
      case 'compound_statement':
        push(body, this.compound(node));
        return;
      case 'if_statement':
        push(body, this.branch(node));
        return;
      case 'case_statement':
        for (const command of this.cases(node)) push(body, command);
        return;
      case 'while_statement':
      case 'c_style_for_statement':
        push(body, {
          kind: 'loop',
          name: '',
          values: NO_WORDS,
          body: this.script(node.children),
          redirects: NO_REDIRECTS,
        });
        return;
      case 'for_statement':
        push(body, this.forLoop(node));
        return;
      case 'function_definition':
        this.definition(node, body);
        return;
      default: {
        const scripts = this.hidden(node);
        if (scripts.length > 0) push(body, plain([':', ...scripts]));
      }
    }
  }

  /** `((...))` is a compound statement too, of expressions; only the commands inside substitutions count there. */
  private compound(node: SyntaxNode): Command {
    if (this.raw(node).startsWith('((')) return plain([':', ...this.hidden(node)]);
    return { kind: 'group', subshell: false, body: this.script(node.children), redirects: NO_REDIRECTS };
  }

  /**
   * The grammar does not keep `|` tighter than `&&` everywhere (`a && b > f | c`, `a | b | c && d`): a part of a
   * pipeline may be a list, whose first command ends one pipeline and whose last begins the next.
   */
  private pipeline(node: SyntaxNode, body: Item[]): void {
    let commands: Command[] = [];
    let or = false;
    const flush = () => {
      if (commands.length === 1) push(body, commands[0] as Command, or);
      else if (commands.length > 1) push(body, { kind: 'pipeline', commands }, or);
      commands = [];
    };
    for (const child of node.children) {
      const part: Item[] = [];
      this.statement(child, part);
      part.forEach((item, index) => {
        if (index > 0) flush();
        if (commands.length === 0) or = item.or;
        if (item.command.kind === 'pipeline') commands.push(...item.command.commands);
        else commands.push(item.command);
      });
    }
    flush();
  }

  private list(node: SyntaxNode, body: Item[]): void {
    let end = node.start;
    for (const child of node.children) {
      const first = body.length;
      this.statement(child, body);
      const item = body[first];
      if (item && end > node.start && this.text.slice(end, child.start).includes('||')) item.or = true;
      end = child.end;
    }
  }

  private redirected(node: SyntaxNode, body: Item[]): void {
    const redirects: Redirect[] = [];
    const more: Word[] = [];
    const part: Item[] = [];
    for (const child of node.children) {
      if (child.type === 'file_redirect' || child.type === 'herestring_redirect') this.redirect(child, redirects, more);
      else this.statement(child, part);
    }
    if (part.length === 0) push(part, plain(NO_WORDS));
    const last = part.at(-1) as Item;
    last.command = withRedirects(last.command, redirects, more);
    body.push(...part);
  }

  /** The grammar takes every word behind `> file` as a further destination; they are arguments of the command. */
  private redirect(node: SyntaxNode, into: Redirect[], more: Word[]): void {
    const words = node.children.filter(child => child.type !== 'file_descriptor');
    const [first, ...rest] = words;
    for (const word of rest) more.push(this.word(word));
    if (!first) return;
    const target = this.word(first);
    const operator = /^\d*(&>>?|<<<|<>|<&|>&|>>|>\||<|>)/.exec(this.raw(node))?.[1] ?? '';
    if (operator === '<<<') into.push({ op: 'string', target, body: '' });
    else if (typeof target === 'string' && (operator === '<&' || operator === '>&') && /^(\d+-?|-)$/.test(target))
      return;
    else {
      const here = operator === '<' && typeof target === 'string' ? HERE.exec(target) : null;
      if (here) into.push({ op: 'here', target: '', body: this.bodies[Number(here[1])] ?? '' });
      else into.push({ op: operator === '<' || operator === '<&' ? 'in' : 'out', target, body: '' });
    }
  }

  private simple(node: SyntaxNode): Simple {
    const assigns: Assign[] = [];
    const words: Word[] = [];
    const redirects: Redirect[] = [];
    const parts = node.type === 'variable_assignment' ? [node] : node.children;
    for (const child of parts) {
      if (child.type === 'variable_assignment') {
        const assign = this.assign(child);
        if (assign) assigns.push(assign);
        else words.push(...this.hidden(child));
      } else if (child.type === 'file_redirect' || child.type === 'herestring_redirect') {
        this.redirect(child, redirects, words);
      } else if (child.type === 'command_name') {
        if (child.end > child.start) words.push(this.word(child.children[0] ?? child));
      } else if (!SILENT.has(child.type)) words.push(this.word(child));
    }
    return { kind: 'simple', assigns, words, redirects };
  }

  private assign(node: SyntaxNode): Assign | undefined {
    const [name, value] = node.children;
    if (name?.type !== 'variable_name') return undefined;
    const append = this.text.startsWith('+=', name.end);
    return { name: this.raw(name), value: value ? this.word(value) : '', append };
  }

  private declaration(node: SyntaxNode): Simple {
    const words: Word[] = [/^\w+/.exec(this.raw(node))?.[0] ?? 'export'];
    for (const child of node.children) {
      if (child.type === 'variable_assignment') {
        const word = new WordBuilder();
        const value = child.children.at(-1);
        const head = value && value.start > child.start ? value : undefined;
        word.add(this.text.slice(child.start, head ? head.start : child.end));
        if (head) this.into(head, word, false);
        words.push(word.word());
      } else if (!SILENT.has(child.type)) words.push(this.word(child));
    }
    return plain(words);
  }

  private branch(node: SyntaxNode): Command {
    const bodies: Script[] = [];
    const first = node.children.filter(child => child.type !== 'elif_clause' && child.type !== 'else_clause');
    bodies.push(this.script(first));
    for (const child of node.children) {
      if (child.type === 'elif_clause' || child.type === 'else_clause') bodies.push(this.script(child.children));
    }
    if (node.children.at(-1)?.type !== 'else_clause') bodies.push([]);
    return { kind: 'branch', bodies, redirects: NO_REDIRECTS };
  }

  private cases(node: SyntaxNode): Command[] {
    const scripts: Word[] = [];
    const bodies: Script[] = [];
    for (const child of node.children) {
      if (child.type === 'case_item') bodies.push(this.script(child.children.filter(part => part.field !== 'value')));
      else scripts.push(...this.hidden(child));
    }
    bodies.push([]);
    const branch: Command = { kind: 'branch', bodies, redirects: NO_REDIRECTS };
    return scripts.length > 0 ? [plain([':', ...scripts]), branch] : [branch];
  }

  private forLoop(node: SyntaxNode): Command {
    const values: Word[] = [];
    let name = '';
    let body: Script = [];
    for (const child of node.children) {
      if (child.type === 'do_group' || child.type === 'compound_statement') body = this.script(child.children);
      else if (child.field === 'variable') name = this.raw(child);
      else if (!SILENT.has(child.type)) values.push(this.word(child));
    }
    return { kind: 'loop', name, values, body, redirects: NO_REDIRECTS };
  }

  private definition(node: SyntaxNode, body: Item[]): void {
    const [name, ...rest] = node.children;
    if (!name) return;
    push(body, { kind: 'definition', name: this.raw(name), body: this.script(rest) });
  }
}

function plain(words: readonly Word[]): Simple {
  return { kind: 'simple', assigns: NO_ASSIGNS, words, redirects: NO_REDIRECTS };
}

function withRedirects(command: Command, redirects: readonly Redirect[], more: readonly Word[]): Command {
  switch (command.kind) {
    case 'simple':
      return { ...command, words: [...command.words, ...more], redirects: [...command.redirects, ...redirects] };
    case 'pipeline': {
      const last = withRedirects(command.commands.at(-1) as Command, redirects, more);
      return { kind: 'pipeline', commands: [...command.commands.slice(0, -1), last] };
    }
    case 'definition':
    case 'otherwise':
      return command;
    default:
      return { ...command, redirects: [...(command as Group).redirects, ...redirects] };
  }
}
