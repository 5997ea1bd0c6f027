import { KernelScanner, kernelRuns } from './kernel/kernel.ts';
import { PlainScanner } from './scan.ts';
import { CHUNK, type Scanner } from './scanner.ts';

/** The kernel is WebAssembly with SIMD; js is plain JavaScript. Both give the same records. */
export type Engine = 'kernel' | 'js';

const LARGE = 8 << 20;

const idle: Record<Engine, Scanner[]> = { kernel: [], js: [] };

/** The engine of this runtime. */
export function bestEngine(): Engine {
  return kernelRuns() ? 'kernel' : 'js';
}

/**
 * Runs `use` with a scanner that nobody uses meanwhile: reading inside of reading gets another one. Scanners of the
 * usual chunk size are kept for the next reading, because making one costs as much as reading a small file.
 */
export function withScanner<T>(engine: Engine | undefined, chunk: number | undefined, use: (scanner: Scanner) => T): T {
  const wanted = engine ?? bestEngine();
  const size = chunk ?? CHUNK;
  const scanner = (size === CHUNK ? idle[wanted].pop() : undefined) ?? newScanner(wanted, size);
  try {
    return use(scanner);
  } finally {
    // One that a long line made large gives its memory back.
    if (size === CHUNK && scanner.output.length < LARGE) idle[wanted].push(scanner);
  }
}

function newScanner(engine: Engine, chunk: number): Scanner {
  return engine === 'kernel' ? new KernelScanner(chunk) : new PlainScanner(chunk);
}
