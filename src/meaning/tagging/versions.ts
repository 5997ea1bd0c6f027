// What tags depend on beside the rules of a person: a run that has stored tags of all this loads nothing that makes any.

/** Raised when equal rules give equal operations other tags, so that stored ones are made again. */
export const TAGS_VERSION = 2;

/** Raised when the examples or the way to compare them change, so that stored tags are made again. */
export const NEIGHBOURS_VERSION = 1;

/**
 * Below this confidence a prompt stays unmatched. Measured by leaving one out of the built-in examples: with both limits 92 %
 * of what it says is right, of one prompt in six. Prompts that no rule knows are harder than that (docs/tagging.md).
 */
export const CONFIDENCE = 0.7;

/** What `presetFingerprint` gives; a test holds them equal. */
export const PRESET_FINGERPRINT = '7b2a091d3a5bf9e4';
