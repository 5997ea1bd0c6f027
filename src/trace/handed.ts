import { type Cells, type Codes, codesBelow } from './cells.ts';
import { type Dictionary, NumberColumn, StringColumn } from './columns.ts';
import { Operations } from './operations.ts';
import type { Session } from './sessions.ts';
import { type TextKind, Texts } from './texts.ts';
import { Touches, type TouchKind } from './touches.ts';

/**
 * Operations that nobody has linked yet, as plain values for another thread. The cells of columns are moved there and
 * not copied, so the operations are not to be used any more.
 */
export interface Handed {
  readonly length: number;
  readonly numbers: readonly (readonly [name: string, cells: Cells])[];
  readonly strings: readonly (readonly [name: string, codes: Codes, values: readonly string[]])[];
  readonly sessions: readonly Session[];
  readonly texts: readonly (readonly [kind: TextKind, rows: readonly number[], texts: readonly string[]])[];
  readonly touches: {
    readonly rows: readonly number[];
    readonly kinds: readonly TouchKind[];
    readonly values: readonly string[];
    readonly others: readonly string[];
  };
}

export function handOver(ops: Operations): Handed {
  const { numbers, strings } = ops.columns();
  const { rows, kinds, values, others } = ops.touches;
  return {
    length: ops.length,
    numbers: [...numbers].flatMap(([name, column]) => (column.isEmpty ? [] : [[name, column.cells] as const])),
    strings: [...strings].flatMap(([name, column]) =>
      column.size === 0 ? [] : [[name, column.codes, column.values] as const],
    ),
    sessions: ops.sessions.all,
    texts: ops.texts.kinds().map(kind => {
      const texts = ops.texts.here(kind);
      return [kind, [...texts.keys()], [...texts.values()]] as const;
    }),
    touches: { rows, kinds, values, others },
  };
}

/** What is to be moved when these are sent. */
export function buffersOf({ numbers, strings }: Handed): ArrayBuffer[] {
  return [...numbers, ...strings].map(([, cells]) => cells.buffer as ArrayBuffer);
}

/** The operations again; their string codes mean the same as those of `base`, which learns the words it did not know. */
export function takeOver(handed: Handed, base: Operations): Operations {
  const numbers = new Map(handed.numbers);
  const strings = new Map(handed.strings.map(([name, codes, values]) => [name, { codes, values }]));
  const wordsOf = (name: string): Dictionary =>
    (base.columns().strings.get(name) ?? base.freeField(name.slice('free.'.length))).dictionary;
  const ops = new Operations(
    new Texts(handed.texts.map(([kind]) => kind)),
    {
      numbers: name => {
        const column = new NumberColumn();
        const cells = numbers.get(name);
        if (cells) column.replace(cells);
        return column;
      },
      strings: name => {
        const words = wordsOf(name);
        const theirs = strings.get(name);
        return theirs
          ? StringColumn.of(translated(theirs.codes, theirs.values, words), words)
          : new StringColumn(words);
      },
      extra: prefix =>
        [...numbers.keys(), ...strings.keys()].flatMap(name =>
          name.startsWith(prefix) ? name.slice(prefix.length) : [],
        ),
    },
    Touches.beside(base.touches),
  );
  ops.length = handed.length;
  ops.sessions.restore(handed.sessions);
  for (const [kind, rows, texts] of handed.texts)
    for (const [at, row] of rows.entries()) ops.texts.put(kind, row, texts[at] as string);
  const { rows, kinds, values, others } = handed.touches;
  for (const [at, row] of rows.entries())
    ops.touches.add(row, kinds[at] as TouchKind, values[at] as string, others[at] as string);
  return ops;
}

function translated(codes: Codes, values: readonly string[], words: Dictionary): Codes {
  const moved = values.map(value => words.code(value));
  const most = moved.reduce((largest, code) => Math.max(largest, code), 0);
  const into = most < 256 ** codes.BYTES_PER_ELEMENT ? codes : codesBelow(most + 1, codes.length);
  for (let row = 0; row < codes.length; row++) into[row] = moved[codes[row] as number] as number;
  return into;
}
