import { ProfileBuilder } from '../profile/build.ts';
import type { Frame, Profile } from '../profile/profile.ts';
import { MEASURES, type Measure } from '../trace/measures.ts';
import { NO_FRAME } from './names.ts';

/** A line that is no stack with a number. `line` counts from 1. */
export class FoldedError extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(`line ${line}: ${message}`);
    this.name = 'FoldedError';
    this.line = line;
  }
}

const FOREIGN_KIND = 'function';
/** What `kind` may be before a colon; other text before one is part of a name (`std::vec`, `C:\x`). */
const KIND = /^([\p{L}_][\p{L}\p{N}_.-]*):(?!:)/u;

/**
 * Reads folded stacks, ours or any: one a line, frames parted by `;`, the value after the last space. A frame
 * `kind:value` becomes that, any other one of kind `function`. Folded text does not say what it counts: `measure`
 * does. Empty lines and lines that begin with `#` are skipped. Throws FoldedError.
 */
export function readFolded(text: string, measure: string): Profile {
  const known = MEASURES.find(each => each.name === measure);
  const measures: Measure[] = [known ?? { name: measure, unit: 'count' }];
  const builder = new ProfileBuilder(measures);
  const frames = new Map<string, number>();
  text.split('\n').forEach((raw, at) => {
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    if (line.trim() === '' || line.startsWith('#')) return;
    const space = line.lastIndexOf(' ');
    const number = line.slice(space + 1);
    if (space < 0 || !/^[+-]?\d{1,19}$/.test(number))
      throw new FoldedError(at + 1, `${JSON.stringify(line.slice(0, 60))} does not end in a space and an integer`);
    if (/ [+-]?\d+$/.test(line.slice(0, space)))
      throw new FoldedError(at + 1, 'two numbers follow the stack: this is a difference, not a profile');
    const path = line.slice(0, space);
    let node = 0;
    for (const name of path === NO_FRAME ? [] : path.split(';')) {
      let frame = frames.get(name);
      if (frame === undefined) {
        const { kind, value } = frameOf(name);
        frames.set(name, (frame = builder.stacks.frameId(kind, value)));
      }
      node = builder.stacks.child(node, frame);
    }
    builder.add(node, 0, [BigInt(number)]);
  });
  return builder.finish({ view: measure, measure, comments: [], timeNanos: 0n, durationNanos: 0n });
}

function frameOf(name: string): Frame {
  const kind = KIND.exec(name)?.[1];
  return kind === undefined ? { kind: FOREIGN_KIND, value: name } : { kind, value: name.slice(kind.length + 1) };
}
