import { EXAMPLES_EN } from './examples-en.ts';
import { EXAMPLES_ZH } from './examples-zh.ts';

/** A text and the tag that a person gave it. */
export interface Labelled {
  readonly text: string;
  readonly tag: string;
}

/** The built-in examples. */
export function builtIn(): Labelled[] {
  return [EXAMPLES_EN, EXAMPLES_ZH].flatMap(examples =>
    Object.entries(examples).flatMap(([tag, lines]) =>
      lines.split('\n').flatMap(line => (line.trim() === '' ? [] : [{ text: line.trim(), tag }])),
    ),
  );
}
