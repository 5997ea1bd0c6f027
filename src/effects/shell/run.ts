import type { FileEffect } from '../../trace/fields.ts';
import { CommandChoice } from '../command.ts';
import { domainOf } from '../hosts.ts';
import { Call, type Machine, PROCESS_SEPARATOR, type Program, type ShellEffect } from './call.ts';
import { FETCHERS, isDestructive, isDevice, runsItsInput } from './destructive.ts';
import { FILE_PROGRAMS } from './files.ts';
import { git } from './git.ts';
import { NETWORK_PROGRAMS } from './network.ts';
import { PACKAGE_PROGRAMS } from './packages.ts';
import { programName } from './program.ts';
import { assign, changesScope, mergeBranches, type Scope, variable } from './scope.ts';
import type { Command, Pipeline, Redirect, Script, Simple, Word } from './syntax.ts';
import { UNKNOWN } from './syntax.ts';
import { isHarmlessDevice, joined, mayBeKnown, socketOf, touchedPath } from './touched.ts';
import { fetchesPackage, WRAPPER_PROGRAMS, wrapped } from './wrappers.ts';

/** What is known of a command line, whatever directory it runs in. */
export interface ShellReading {
  /** The `command` frame. */
  readonly command: string;
  readonly effects: readonly ShellEffect[];
  readonly destructive: boolean;
  /** Some of it was left out: more effects than LIMIT, nesting too deep, or a text no parser takes. */
  readonly partial: boolean;
}

/** Effects, commands run and values of a loop, beyond which a command line is read no further. */
const LIMIT = 256;
const STEPS = 2000;
const ROUNDS = 32;
const DEPTH = 40;

const PROGRAMS: ReadonlyMap<string, Program> = new Map<string, Program>([
  ...FILE_PROGRAMS,
  ...NETWORK_PROGRAMS,
  ...PACKAGE_PROGRAMS,
  ...WRAPPER_PROGRAMS,
  ['git', git],
]);

const NONE: ReadonlyMap<string, never> = new Map<string, never>();

/** Parses a nested script text; undefined if it cannot be parsed (now). */
export type Parse = (text: string) => Script | undefined;

/**
 * Goes through a script as a shell would that takes every branch once and every loop at most ROUNDS times, and
 * writes down what the programs would touch. Where a value is unknown nothing is claimed.
 */
export function runScript(script: Script, parse: Parse): ShellReading {
  const run = new Run(parse);
  run.script(script, { cwd: '', variables: NONE, functions: NONE }, '', '');
  return run.reading();
}

class Run implements Machine {
  private readonly effects: ShellEffect[] = [];
  private choice = new CommandChoice();
  /** What ran inside words (`X=$(curl ...)`): it gives the name only where no command does. */
  private readonly inWords = new CommandChoice();
  private readonly parse: Parse;
  private destructive = false;
  private partial = false;
  private steps = 0;
  private depth = 0;
  /** Something was downloaded within the command under way, to see `curl | sh` and `sh -c "$(curl ...)"`. */
  private fetched = false;

  constructor(parse: Parse) {
    this.parse = parse;
  }

  reading(): ShellReading {
    const { effects, destructive, partial } = this;
    this.choice.merge(this.inWords);
    return { command: this.choice.command, effects, destructive, partial };
  }

  script(script: Script, scope: Scope, process: string, input: string): void {
    if (this.depth >= DEPTH) {
      this.partial = true;
      return;
    }
    this.depth++;
    const before = this.fetched;
    let fetched = before;
    for (const command of script) {
      if (this.steps > STEPS) break;
      this.fetched = before;
      this.command(command, scope, process, input);
      fetched ||= this.fetched;
    }
    this.fetched = fetched;
    this.depth--;
  }

  private command(command: Command, scope: Scope, process: string, input: string): void {
    switch (command.kind) {
      case 'simple':
        this.simple(command, scope, process, input);
        return;
      case 'pipeline':
        this.pipeline(command, scope, process);
        return;
      case 'definition':
        scope.functions = new Map(scope.functions).set(command.name, { script: command.body });
        return;
      case 'otherwise': {
        const failed = { ...scope };
        this.command(command.first, scope, process, input);
        this.command(command.second, failed, process, input);
        if (!leaves(command.second)) mergeBranches(scope, [{ ...scope }, failed]);
        return;
      }
      case 'group': {
        const inside = command.subshell ? { ...scope } : scope;
        this.script(command.body, inside, process, stdin(command.redirects, input));
        break;
      }
      case 'branch': {
        const ends = command.bodies.map(() => ({ ...scope }));
        command.bodies.forEach((body, index) => {
          this.script(body, ends[index] as Scope, process, input);
        });
        mergeBranches(scope, ends);
        break;
      }
      case 'loop':
        this.loop(command.name, command.values, command.body, scope, process);
    }
    this.redirects(command.redirects, scope, process);
  }

  private loop(name: string, words: readonly Word[], body: Script, scope: Scope, process: string): void {
    if (name === '') {
      this.script(body, scope, process, '');
      return;
    }
    const values = words.map(word => this.text(word, scope, process));
    if (values.length === 0) values.push(UNKNOWN);
    if (values.length > ROUNDS) this.partial = true;
    for (const value of values.slice(0, ROUNDS)) {
      if (++this.steps > STEPS) break;
      assign(scope, name, value);
      this.script(body, scope, process, '');
    }
  }

  /** Each part is a subshell; text that `echo` writes is the next part's input. */
  private pipeline(pipeline: Pipeline, scope: Scope, process: string): void {
    let input = '';
    for (const command of pipeline.commands) {
      this.command(command, { ...scope }, process, input);
      input = command.kind === 'simple' ? this.output(command) : '';
    }
  }

  private output(command: Simple): string {
    const words = command.words.map(word => (typeof word === 'string' ? word : ''));
    if (words[0] === 'echo' || words[0] === 'printf') return words.slice(1).join(' ');
    if (words[0] === 'cat' && words.length === 1) return stdin(command.redirects, '');
    return '';
  }

  private simple(command: Simple, scope: Scope, process: string, input: string): void {
    if (++this.steps > STEPS) {
      this.partial = true;
      return;
    }
    const words: string[] = [];
    for (const word of command.words) words.push(typeof word === 'string' ? word : this.text(word, scope, process));
    for (const { name, value, append } of command.assigns) {
      const text = this.text(value, scope, process);
      if (words.length === 0) assign(scope, name, append ? variable(scope, name) + text : text);
    }
    this.lastProcess = process;
    if (words.length > 0) {
      this.execute(words, scope, process, command.redirects.length > 0 ? stdin(command.redirects, input) : input);
    } else this.choice.offer([':']);
    if (command.redirects.length > 0) this.redirects(command.redirects, scope, this.lastProcess);
  }

  /** The process that did the last command's own work; its redirections are charged to it. */
  private lastProcess = '';

  execute(words: readonly string[], scope: Scope, process: string, input: string): void {
    if (words.length === 0) return;
    if (++this.steps > STEPS || this.depth >= DEPTH) {
      this.partial = true;
      return;
    }
    this.depth++;
    this.program(words, scope, process, input);
    this.depth--;
  }

  private program(words: readonly string[], scope: Scope, process: string, input: string): void {
    const word = words[0] as string;
    const args = words.slice(1);
    const name = programName(word);
    const own = scope.functions.get(word);
    if (own) {
      this.lastProcess = process;
      this.function(own.script as Script, args, scope, process, input);
      return;
    }
    if (changesScope(name, args, scope)) {
      this.lastProcess = process;
      this.choice.offer(words);
      return;
    }
    const inner = wrapped(name, args);
    if (inner?.builtin || (inner && name === 'time')) {
      this.execute(inner.words, scope, process, input);
      return;
    }
    const chain = name === 'eval' ? process : process === '' ? name : `${process}${PROCESS_SEPARATOR}${name}`;
    this.lastProcess = chain;
    if (FETCHERS.has(name)) this.fetched = true;
    else if (this.fetched && runsItsInput(name, args)) this.destructive = true;
    if (isDestructive(name, args, input)) this.destructive = true;
    if (inner) {
      if (fetchesPackage(name, args)) this.contact('npmjs.org', chain);
      this.execute(inner.words, scope, chain, input);
      return;
    }
    if (word.includes('/') && !/^(\/|~|[A-Za-z]:)/.test(word)) this.emit('read', word, scope.cwd, chain);
    // A shell or `xargs` is named by what it ran, everything else by itself.
    const byContent = WRAPPER_PROGRAMS.has(name);
    const offered = this.choice.count;
    if (!byContent) this.choice.offer(words);
    PROGRAMS.get(name)?.(new Call(this, name, args, scope, chain, input));
    if (byContent && this.choice.count === offered) this.choice.offer(words);
    this.lastProcess = chain;
  }

  private function(body: Script, args: readonly string[], scope: Scope, process: string, input: string): void {
    const inside = { ...scope };
    for (let i = 1; i <= 9; i++) assign(inside, String(i), args[i - 1] ?? UNKNOWN);
    this.script(body, inside, process, input);
    scope.cwd = inside.cwd;
  }

  /** The text of a word; runs the scripts inside it. */
  private text(word: Word, scope: Scope, process: string): string {
    if (typeof word === 'string') return word;
    let text = '';
    for (const part of word) {
      if (typeof part === 'string') text += part;
      else if ('name' in part) text += variable(scope, part.name);
      else {
        this.substitution(part.script, scope, process);
        text += UNKNOWN;
      }
    }
    return text;
  }

  private substitution(script: Script, scope: Scope, process: string): void {
    const { choice } = this;
    this.choice = this.inWords;
    this.script(script, { ...scope }, process, '');
    this.choice = choice;
  }

  private redirects(redirects: readonly Redirect[], scope: Scope, process: string): void {
    for (const { op, target } of redirects) {
      if (op === 'here') continue;
      const path = this.text(target, scope, process);
      if (op === 'in') this.emit('read', path, scope.cwd, process);
      else if (op === 'out') {
        if (isDevice(path)) this.destructive = true;
        this.emit('write', path, scope.cwd, process);
      }
    }
  }

  nested(text: string, scope: Scope, process: string, input: string): void {
    const script = this.parse(text);
    if (script) this.script(script, scope, process, input);
    else this.partial = true;
  }

  emit(kind: FileEffect, path: string, cwd: string, process: string): void {
    const value = touchedPath(path);
    if (value.startsWith('/dev/')) {
      const socket = socketOf(value);
      if (socket !== '') {
        this.contact(socket, process);
        return;
      }
      if (isHarmlessDevice(value)) return;
    }
    if (value === '') return;
    const from = joined(cwd, value);
    if (mayBeKnown(from)) this.add(kind, from, process);
  }

  contact(place: string, process: string): void {
    const domain = domainOf(place);
    if (domain !== '') this.add('contact', domain, process);
  }

  private add(kind: ShellEffect['kind'], value: string, process: string): void {
    if (value === '') return;
    if (this.effects.length >= LIMIT) {
      this.partial = true;
      return;
    }
    for (const effect of this.effects) {
      if (effect.value === value && effect.kind === kind && effect.process === process) return;
    }
    this.effects.push({ kind, value, process });
  }
}

/** What the last redirection of standard input brings, as far as the line itself has it. */
function stdin(redirects: readonly Redirect[], input: string): string {
  let text = input;
  for (const { op, target, body } of redirects) {
    if (op === 'here') text = body;
    else if (op === 'string') text = typeof target === 'string' ? target : '';
    else if (op === 'in') text = '';
  }
  return text;
}

/** True for a command that ends the shell, a function or a loop's round, alone or as the last of a group. */
function leaves(command: Command | undefined): boolean {
  if (command?.kind === 'group') return leaves(command.body.at(-1));
  const word = command?.kind === 'simple' ? command.words[0] : undefined;
  return word === 'exit' || word === 'return' || word === 'continue' || word === 'break';
}
