/** The kinds of operation, as small numbers in a column. */
export const Kind = { session: 0, prompt: 1, call: 2, tool: 3, effect: 4, event: 5 } as const;
export type Kind = (typeof Kind)[keyof typeof Kind];
export const KIND_NAMES = ['session', 'prompt', 'call', 'tool', 'effect', 'event'] as const;

/** "No row": what `parent` and friends hold where there is nothing to point at. */
export const NO_ROW = 0xffffffff;
