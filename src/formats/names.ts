import type { Frame } from '../profile/profile.ts';

/** Stands where a stack has no frame at all, so that no value is lost. No frame is written without a colon. */
export const NO_FRAME = '(no frame)';

/** `prompt:debug`, the name of a frame in every format but pprof. */
export function frameName(frame: Frame): string {
  return `${frame.kind}:${frame.value}`;
}

/** Anything that some program takes for the end of a line. */
const LINE_BREAKS = /\r\n|[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]/g;
/** A surrogate without its partner has no UTF-8 form; under the u flag only such ones match. */
const LONE_SURROGATES = /\p{Surrogate}/gu;
const CONTROLS = /\p{Cc}/gu;
/** Embeddings, overrides and isolates: they would turn the text that follows a name around. */
const BIDI_CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The text in one line and with a UTF-8 form; otherwise as it was. */
export function oneLine(text: string): string {
  return text.replace(LINE_BREAKS, ' ').replace(LONE_SURROGATES, '\ufffd');
}

/**
 * The text fit to be shown to a person beside other text: one line, no control characters (a terminal would obey
 * them, and XML has no way to write them), no marks that reorder what stands around it.
 */
export function displayText(text: string): string {
  return oneLine(text).replace(/\t/g, ' ').replace(CONTROLS, '\ufffd').replace(BIDI_CONTROLS, '');
}

/** `prompt:debug` fit to be shown. */
export function displayName(frame: Frame): string {
  return displayText(frameName(frame));
}

/** A frame of folded text: `;` parts frames and a line break parts stacks, so they become `,` and a space. */
export function foldedName(frame: Frame): string {
  return oneLine(frameName(frame)).replaceAll(';', ',');
}

/**
 * `prompt::debug`. pprof takes `<...>` for template parameters and may cut them out of a name, so they become
 * angle quotation marks; a line break or a tab would break the columns of its text reports.
 */
export function pprofName(frame: Frame): string {
  return oneLine(`${frame.kind}::${frame.value}`).replaceAll('\t', ' ').replaceAll('<', '‹').replaceAll('>', '›');
}
