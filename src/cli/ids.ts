/** Fields whose values are ids: they leave only as pseudonyms. */
export const ID_FRAMES: ReadonlySet<string> = new Set(['session', 'parent_session', 'prompt_id']);
