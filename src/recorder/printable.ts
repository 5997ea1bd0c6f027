/**
 * Names come from whoever wrote the files: they may hold newlines, terminal escapes, text that runs backwards, bytes that
 * are no text. Shown as escapes they can neither move the cursor nor look like another name.
 */
const HOSTILE =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** One line of harmless text; longer than `widest` characters it loses its middle, and says how much. */
export function printable(text: string, widest = 200): string {
  const shown = text.replace(HOSTILE, character => {
    const code = character.charCodeAt(0);
    if (code === 0x0a) return '\\n';
    if (code === 0x0d) return '\\r';
    if (code === 0x09) return '\\t';
    if (code >= 0xdc80 && code <= 0xdcff) return `\\x${(code - 0xdc00).toString(16)}`;
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
  const characters = shown.length > widest ? [...shown] : [];
  if (characters.length <= widest) return shown;
  const half = Math.max(8, Math.floor((widest - 16) / 2));
  const cut = characters.length - 2 * half;
  return `${characters.slice(0, half).join('')}…(${cut} more)…${characters.slice(-half).join('')}`;
}

/** JSON in which every character that a terminal could act on is an escape; it parses to the same value. */
export function harmlessJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replace(
    /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
