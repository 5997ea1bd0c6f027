// @ts-check
import { fileURLToPath } from 'node:url';

/** The root of the project, absolute, without a slash at its end. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');
