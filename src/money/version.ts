/**
 * Names the bundled price table together with our own way of reading it. Costs kept on disk are keyed by it, so the
 * part after `r` is raised whenever a model id or a tariff is read differently. Kept apart from the library so that
 * a warm run can compare versions without loading it.
 */
export const PRICES_VERSION = 'genai-prices-0.1.8.r1';

/** The version of a table with a user's overrides on top; `hash` comes from `Overrides`. */
export function tableVersion(overridesHash?: string): string {
  return overridesHash === undefined ? PRICES_VERSION : `${PRICES_VERSION}+prices-${overridesHash}`;
}
