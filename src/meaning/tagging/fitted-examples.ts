import { builtIn } from './examples.ts';
import { type Fitted, fitted } from './fitted.ts';

/** The built-in examples, fitted. The build puts in the place of this file one that has done so before (scripts/house/prepared.mjs). */
export function fittedExamples(): Fitted {
  return fitted(builtIn().map(({ text }) => text));
}
