import type { FileEffect } from '../../trace/fields.ts';
import type { Scope } from './scope.ts';

/** One thing a command line does. */
export interface ShellEffect {
  readonly kind: FileEffect | 'contact';
  /**
   * A path as written, joined to the directories that `cd` went to (relative to the tool's directory; it may hold
   * UNKNOWN), or for a contact its domain frame.
   */
  readonly value: string;
  /** Programs, outermost first, joined by PROCESS_SEPARATOR; '' where the shell itself did it. */
  readonly process: string;
}

/** Between the programs of a process chain, one frame each. */
export const PROCESS_SEPARATOR = '\u001f';

/** What runs programs; kept apart from them so that neither imports the other. */
export interface Machine {
  emit(kind: FileEffect, path: string, cwd: string, process: string): void;
  contact(place: string, process: string): void;
  /** Runs a program with its arguments under a chain of processes. */
  execute(words: readonly string[], scope: Scope, process: string, input: string): void;
  /** Runs the text of a script. */
  nested(text: string, scope: Scope, process: string, input: string): void;
}

/** A program about to run, with everything it can do. */
export class Call {
  readonly program: string;
  readonly args: readonly string[];
  readonly scope: Scope;
  readonly process: string;
  /** What is known of its standard input: a here-document, a here-string, or text piped from `echo`. */
  readonly input: string;
  private readonly machine: Machine;

  constructor(
    machine: Machine,
    program: string,
    args: readonly string[],
    scope: Scope,
    process: string,
    input: string,
  ) {
    this.machine = machine;
    this.program = program;
    this.args = args;
    this.scope = scope;
    this.process = process;
    this.input = input;
  }

  touch(kind: FileEffect, path: string): void {
    this.machine.emit(kind, path, this.scope.cwd, this.process);
  }

  touchAll(kind: FileEffect, paths: readonly string[]): void {
    for (const path of paths) this.touch(kind, path);
  }

  /** A URL, a host name or `host:port`. */
  contact(place: string): void {
    this.machine.contact(place, this.process);
  }

  /** Runs another program below this one. */
  execute(words: readonly string[], input = ''): void {
    this.machine.execute(words, this.scope, this.process, input);
  }

  /** Runs a script below this one, in a scope of its own. */
  script(text: string, input = ''): void {
    this.machine.nested(text, { ...this.scope }, this.process, input);
  }

  /** Runs a script in the scope of the caller (`eval`). */
  inline(text: string): void {
    this.machine.nested(text, this.scope, this.process, '');
  }

  /** The same program with the paths of another directory (`git -C`). */
  inside(cwd: string, args: readonly string[]): Call {
    return new Call(this.machine, this.program, args, { ...this.scope, cwd }, this.process, this.input);
  }
}

/** What a program does with its arguments. */
export type Program = (call: Call) => void;
