import { columnsOf } from '../text/sparse.ts';
import { TfIdf } from '../text/tfidf.ts';

/** Examples as a matrix by feature. Fitting them takes longer than asking about a few prompts, so it is kept apart. */
export interface Fitted {
  readonly texts: number;
  /** Features that stand in any example, ascending, and in how many. */
  readonly features: Uint16Array;
  readonly counts: Uint16Array | Uint32Array;
  /** Behind each other for all features: the examples it stands in, ascending, and its weights there. */
  readonly rows: Uint16Array | Uint32Array;
  readonly values: Float32Array;
}

/** What is said at the beginning of a prompt tells what it is about. */
export const READ = 2000;

export function fitted(texts: readonly string[]): Fitted {
  const { starts, rows, values } = columnsOf(new TfIdf().fitRows(texts.map(text => text.slice(0, READ))));
  const features: number[] = [];
  const counts: number[] = [];
  for (let column = 0; column + 1 < starts.length; column++) {
    const count = (starts[column + 1] as number) - (starts[column] as number);
    if (count === 0) continue;
    features.push(column);
    counts.push(count);
  }
  return {
    texts: texts.length,
    features: Uint16Array.from(features),
    counts: Uint32Array.from(counts),
    rows,
    values,
  };
}

/** The space in which the examples were fitted. */
export function spaceOf({ texts, features, counts }: Fitted): TfIdf {
  return TfIdf.of(texts, features, counts);
}
