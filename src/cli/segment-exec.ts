import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { AnnotationFault, type Segment, segmentsIn } from '../meaning/segmentation/marks.ts';
import { traceNodes } from '../meaning/segmentation/trace-lines.ts';
import { ANNOTATION, readAnnotation, TRACE, writeTrace } from '../meaning/segmentation/workspace.ts';
import { counted } from '../trace/counted.ts';
import { UsageError } from '../trace/usage-error.ts';
import { shownBy } from './segment.ts';
import type { RunFlags, Segmenter } from './segmenter.ts';

/**
 * A program of anybody's: it is started by the shell in a directory that has trace.jsonl, and writes annotation.json
 * there. What it writes is checked as every annotation is; an invalid one changes nothing.
 */
export function execSegmenter({ exec, quiet, dryRun }: RunFlags): Segmenter {
  if (exec === undefined || exec.trim() === '')
    throw new UsageError("--exec: name the program, for example --exec './mark.py'.");
  const command = exec;
  return async (sessions, history) => {
    if (sessions.length === 0) return new Map<string, Segment[]>();
    const directory = mkdtempSync(join(tmpdir(), 'agentpprof-segment-'));
    try {
      const nodes = traceNodes(
        history.trace,
        sessions.map(({ sequence, nodes: own }) => [sequence, own]),
        shownBy(history),
      );
      writeTrace(directory, nodes);
      if (dryRun) {
        process.stdout.write(
          `${command}: would read ${counted(nodes.length, 'node')} of ${counted(sessions.length, 'session')}; it was not started\n`,
        );
        return new Map<string, Segment[]>();
      }
      run(command, directory, quiet === true);
      return segmentsIn(
        annotationBy(command, directory),
        sessions.map(({ nodes: { key, ids } }) => ({ key, ids })),
      );
    } catch (error) {
      if (!(error instanceof AnnotationFault)) throw error;
      throw new Error(`--exec: ${command} wrote marks that cannot be used: ${error.message}. Nothing was changed.`);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  };
}

function run(command: string, directory: string, quiet: boolean): void {
  // A relative program is one of the folder the person is in; its arguments are its own.
  const env = { ...process.env, AGENTPPROF_WORKSPACE: directory, PATH: `${process.env.PATH}:${resolve('.')}` };
  const [program = '', ...rest] = command.split(' ');
  const started = program.startsWith('./') || program.startsWith('../') ? resolve(program) : program;
  const ran = spawnSync('/bin/sh', ['-c', [started === program ? program : quoted(started), ...rest].join(' ')], {
    cwd: directory,
    env,
    stdio: ['ignore', 'ignore', quiet ? 'ignore' : 'inherit'],
  });
  if (ran.error) throw new Error(`--exec: cannot start ${command}: ${ran.error.message}`);
  if (ran.status !== 0)
    throw new Error(`--exec: ${command} ended with ${ran.signal ?? ran.status}; nothing was changed`);
}

const quoted = (path: string): string => `'${path.replaceAll("'", "'\\''")}'`;

function annotationBy(command: string, directory: string): unknown {
  try {
    return readAnnotation(directory);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new Error(`--exec: ${command} read ${TRACE} and left no ${ANNOTATION} that is JSON; nothing was changed`);
  }
}
