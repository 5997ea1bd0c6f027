/**
 * Raised when the same tool inputs give other effects, so that stored ones are made again. Apart from everything else,
 * because a run that needs no new effects loads only this.
 */
export const EFFECTS_VERSION = 5;
