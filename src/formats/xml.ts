import { displayText } from './names.ts';

/** What XML 1.0 has no way to write besides control characters, which displayText takes out. */
const NOT_XML = /[\ufffe\uffff]/g;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Any text, inert and well-formed between tags and inside quotes of either kind. Cut before escaping: a cut through
 * an entity is no XML.
 */
export function escapeXml(text: string): string {
  return displayText(text)
    .replace(NOT_XML, '\ufffd')
    .replace(/[&<>"']/g, sign => ENTITIES[sign]!);
}

/** For text of our own with line breaks in it; names must have gone through displayText before. */
export function escapeXmlLines(lines: readonly string[]): string {
  return lines.map(escapeXml).join('\n');
}
