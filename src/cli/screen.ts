import { writeSync } from 'node:fs';
import type { Line } from '../top/line.ts';

const ENTER = '\u001b[?1049h\u001b[?25l';
const LEAVE = '\u001b[?25h\u001b[?1049l';
const STYLES: Readonly<Record<Line['style'], string>> = {
  head: '\u001b[1m',
  marked: '\u001b[7m',
  quiet: '\u001b[2m',
  bad: '\u001b[31m',
  '': '',
};

/**
 * The terminal's other screen, as long as a program draws on it. However the program ends (but for SIGKILL, which nobody sees
 * coming), the terminal is as it was: its own screen, its cursor, its line editing.
 */
export class Screen {
  private readonly colors: boolean;
  private on = false;
  private readonly restore = () => this.leave();

  constructor(colors: boolean) {
    this.colors = colors;
  }

  enter(): void {
    if (this.on) return;
    this.on = true;
    process.on('exit', this.restore);
    process.stdin.setRawMode?.(true);
    process.stdin.resume();
    write(ENTER);
  }

  leave(): void {
    if (!this.on) return;
    this.on = false;
    process.off('exit', this.restore);
    process.stdin.setRawMode?.(false);
    process.stdin.pause();
    write(LEAVE);
  }

  get size(): { width: number; height: number } {
    return { width: process.stdout.columns || 80, height: process.stdout.rows || 24 };
  }

  /** Draws over what is there, without clearing first: nothing flickers. */
  draw(lines: readonly Line[]): void {
    if (!this.on) return;
    const painted = lines.map(({ text, style }) => {
      const sgr = this.colors ? STYLES[style] : '';
      return sgr === '' ? `${text}\u001b[K` : `${sgr}${text}\u001b[0m\u001b[K`;
    });
    write(`\u001b[H${painted.join('\r\n')}\u001b[J`);
  }
}

/** At once, also while the program ends; a terminal that is gone takes nothing. */
function write(text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
