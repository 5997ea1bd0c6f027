import { join } from 'node:path';
import { KEEP } from '../pi/keep.ts';
import { accepts } from '../pi/paths.ts';
import { SessionSink } from '../pi/read.ts';
import { clientOf } from '../pi/sniff.ts';
import type { FileState } from '../pi/state.ts';
import type { Reader } from '../reader.ts';

/** Oh My Pi, a fork of Pi: see README.md beside this file. */
export const ohMyPi: Reader = {
  agent: 'oh-my-pi',
  version: 1,
  keep: KEEP,
  roots: home => [{ path: join(home, '.omp', 'agent', 'sessions'), from: 'HOME/.omp/agent/sessions', accepts }],
  sniff: head => clientOf(head) === 'oh-my-pi',
  open: (file, out, ledger, state) => new SessionSink('oh-my-pi', file, out, ledger, state as FileState | undefined),
};
