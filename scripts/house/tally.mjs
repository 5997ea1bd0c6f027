// @ts-check

/** Counts checks and ends with the line that other programs read. */
export class Tally {
  passed = 0;
  failed = 0;
  skipped = 0;

  /** @param {{ passed: number, failed: number, skipped?: number }} counts */
  add(counts) {
    this.passed += counts.passed;
    this.failed += counts.failed;
    this.skipped += counts.skipped ?? 0;
  }

  /** @param {boolean} ok */
  check(ok) {
    if (ok) this.passed++;
    else this.failed++;
  }

  /** The closing line: always in this form and the last one of the output. */
  get line() {
    return `${this.passed} passed, ${this.failed} failed`;
  }

  /** Prints what was skipped, if anything, and the closing line; sets the exit code. */
  close() {
    if (this.skipped > 0) console.log(`${this.skipped} skipped`);
    console.log(this.line);
    // A run in which nothing passed has tested nothing.
    process.exitCode = this.failed > 0 || this.passed === 0 ? 1 : 0;
  }
}

/**
 * The counts of the last closing line in a text.
 *
 * @param {string} text
 * @returns {{ passed: number, failed: number } | undefined}
 */
export function closingCounts(text) {
  const last = [...text.matchAll(/^(\d+) passed, (\d+) failed$/gm)].at(-1);
  return last && { passed: Number(last[1]), failed: Number(last[2]) };
}

/**
 * @param {{ numPassedTests?: number, numFailedTests?: number, numPendingTests?: number, numTodoTests?: number,
 *   testResults?: { status: string, assertionResults: unknown[] }[] }} report what vitest's JSON reporter wrote
 * @returns {{ passed: number, failed: number, skipped: number }} a file that failed before its first test counts as one failure
 */
export function vitestCounts(report) {
  const brokenFiles = (report.testResults ?? []).filter(f => f.status === 'failed' && f.assertionResults.length === 0);
  return {
    passed: report.numPassedTests ?? 0,
    failed: (report.numFailedTests ?? 0) + brokenFiles.length,
    skipped: (report.numPendingTests ?? 0) + (report.numTodoTests ?? 0),
  };
}
