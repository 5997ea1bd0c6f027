import { isAssignment } from './program.ts';
import { UNKNOWN } from './syntax.ts';
import { joined } from './touched.ts';

/** What changes as a command line runs: the directory, variables and functions. Copied for every subshell. */
export interface Scope {
  /** '' while it is the tool's own directory; UNKNOWN where `cd` went somewhere that cannot be known. */
  cwd: string;
  /** Values of variables that are certain; shared with copies until one of them is changed. */
  variables: ReadonlyMap<string, string>;
  functions: ReadonlyMap<string, Body>;
}

/** A function's body, opaque to programs. */
export interface Body {
  readonly script: unknown;
}

/** Longer values of variables are not kept: no path is that long. */
const LONGEST = 1024;

export function assign(scope: Scope, name: string, value: string): void {
  scope.variables = new Map(scope.variables).set(name, value.length > LONGEST ? UNKNOWN : value);
}

/** The value of a variable. Some have a certain meaning without anybody setting them. */
export function variable(scope: Scope, name: string): string {
  const value = scope.variables.get(name);
  if (value !== undefined) return value;
  if (name === 'HOME') return '~';
  if (name === 'PWD') return '.';
  return name === 'TMPDIR' || name === 'TMP' || name === 'TEMP' ? '/tmp' : UNKNOWN;
}

/** Exactly one of the branches was taken: what they leave different is unknown afterwards. */
export function mergeBranches(scope: Scope, ends: readonly Scope[]): void {
  const [first] = ends;
  if (!first) return;
  const { variables } = scope;
  scope.cwd = ends.every(end => end.cwd === first.cwd) ? first.cwd : UNKNOWN;
  if (ends.every(end => end.variables === first.variables)) {
    scope.variables = first.variables;
    return;
  }
  for (const end of ends) {
    if (end.variables === variables) continue;
    for (const [name, value] of end.variables) {
      if (variables.get(name) !== value)
        assign(scope, name, ends.every(other => other.variables.get(name) === value) ? value : UNKNOWN);
    }
  }
}

/** Runs a builtin that changes what later words mean; false if `name` is none. */
export function changesScope(name: string, args: readonly string[], scope: Scope): boolean {
  switch (name) {
    case 'cd':
    case 'pushd': {
      const to = args.find(arg => !/^-[LPe@]+$/.test(arg) && arg !== '--');
      if (to === undefined) scope.cwd = name === 'cd' ? '~' : UNKNOWN;
      else scope.cwd = to === '-' || to.includes(UNKNOWN) || /^\+\d/.test(to) ? UNKNOWN : joined(scope.cwd, to);
      return true;
    }
    case 'popd':
      scope.cwd = UNKNOWN;
      return true;
    case 'export':
    case 'local':
    case 'declare':
    case 'typeset':
    case 'readonly':
      for (const arg of args) {
        if (!isAssignment(arg)) continue;
        const at = arg.indexOf('=');
        assign(scope, arg.slice(0, at), arg.slice(at + 1));
      }
      return true;
    case 'read':
    case 'unset':
    case 'mapfile':
    case 'readarray':
      for (const arg of args) if (/^[A-Za-z_]\w*$/.test(arg)) assign(scope, arg, UNKNOWN);
      return true;
    default:
      return false;
  }
}
