import { type ChildProcess, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';

/** The person who called, where sudo stands between: the target is started as them. */
export interface Person {
  uid: number;
  gid: number;
  name: string;
  home: string;
}

export interface Target {
  child: ChildProcess;
  pid: number;
  /** Lets the program begin. */
  open(): void;
  /** Gives the start up; the program never ran. */
  abandon(): Promise<void>;
  /** How it ended. */
  ended: Promise<Ending>;
}

export interface Ending {
  code?: number;
  signal?: NodeJS.Signals;
}

/** Waits for a line on descriptor 3, then becomes the program: same process, terminal, group and standard streams. */
const GATE = 'read -r _ <&3 || exit 125; exec 3<&-; exec "$@"';

/** A program held at its gate, with the terminal and streams of this process. */
export function gated(argv: readonly string[], cwd: string, env: NodeJS.ProcessEnv, person?: Person): Target {
  const child = spawn('/bin/sh', ['-c', GATE, 'sh', ...asPerson(argv, person)], {
    cwd,
    env: personal(env, person),
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
  });
  const gate = child.stdio[3] as Writable;
  gate.on('error', () => {}); // the gate closed because the target is gone: its ending says so
  const ended = endingOf(child);
  return {
    child,
    pid: child.pid ?? 0,
    open: () => gate.end('\n'),
    abandon: async () => {
      child.kill('SIGKILL');
      await ended;
    },
    ended,
  };
}

/** A program without a gate. */
export function ungated(argv: readonly string[], cwd: string, env: NodeJS.ProcessEnv, person?: Person): ChildProcess {
  const [file, ...args] = asPerson(argv, person);
  return spawn(file!, args, { cwd, env: personal(env, person), stdio: 'inherit' });
}

export function endingOf(child: ChildProcess): Promise<Ending> {
  return new Promise(resolve => {
    child.once('error', () => resolve({ code: 127 }));
    child.once('exit', (code, signal) => resolve(signal === null ? { code: code ?? 0 } : { signal }));
  });
}

/** setpriv (util-linux) sets the person's groups too, which a plain change of user would lose. */
const asPerson = (argv: readonly string[], person: Person | undefined): string[] =>
  person === undefined
    ? [...argv]
    : ['setpriv', `--reuid=${person.uid}`, `--regid=${person.gid}`, '--init-groups', '--', ...argv];

function personal(env: NodeJS.ProcessEnv, person: Person | undefined): NodeJS.ProcessEnv {
  if (person === undefined) return env;
  const { SUDO_UID: _u, SUDO_GID: _g, SUDO_USER: _n, SUDO_COMMAND: _c, ...rest } = env;
  return { ...rest, HOME: person.home, USER: person.name, LOGNAME: person.name };
}
