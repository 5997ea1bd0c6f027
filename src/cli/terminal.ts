/** What commands print, apart from results: warnings and progress, both on standard error. */
export function warn(text: string): void {
  process.stderr.write(`agentpprof: ${text}\n`);
}

export function useColor(stream: NodeJS.WriteStream): boolean {
  if (process.env.NO_COLOR) return false;
  return stream.isTTY === true && process.env.TERM !== 'dumb';
}

/** Progress after half a second of reading, on a terminal only. */
export function progressBar(quiet: boolean): { update(done: number, all: number): void; end(): void } {
  if (quiet || !process.stderr.isTTY) return { update: () => {}, end: () => {} };
  const started = performance.now();
  let shown = 0;
  return {
    update(done, all) {
      const now = performance.now();
      if (now - started < 500 || now - shown < 100) return;
      shown = now;
      process.stderr.write(
        `\r\u001b[Kreading ${Math.round((100 * done) / Math.max(1, all))} % of ${Math.round(all / 1e6)} MB`,
      );
    },
    end() {
      if (shown > 0) process.stderr.write('\r\u001b[K');
    },
  };
}

/** Progress of work that takes seconds an item ("tagging 120 of 4,000"), on a terminal only. */
export function countBar(quiet: boolean, doing: string): { update(done: number, all: number): void; end(): void } {
  if (quiet || !process.stderr.isTTY) return { update: () => {}, end: () => {} };
  return {
    update(done, all) {
      const [n, of] = [done, all].map(count => count.toLocaleString('en-US'));
      process.stderr.write(`\r\u001b[K${doing} ${n} of ${of}`);
    },
    end: () => void process.stderr.write('\r\u001b[K'),
  };
}
