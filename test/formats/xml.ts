/**
 * A strict reader of the XML that our SVG needs: it refuses all that XML 1.0 calls not well-formed (a bare `&` or `<`,
 * an unknown entity, an attribute twice or without quotes, a tag that closes another, a character out of range) and
 * knows no document types, comments or instructions, which we never write.
 */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: (XmlElement | string)[];
}

const NAME = '[A-Za-z_][\\w.-]*';
const TOKEN = new RegExp(
  `<!\\[CDATA\\[([\\s\\S]*?)\\]\\]>|<(/?)(${NAME})((?:\\s+${NAME}(?::${NAME})?\\s*=\\s*(?:"[^"<]*"|'[^'<]*'))*)\\s*(/?)>|([^<]+)`,
  'y',
);
const ATTRIBUTE = new RegExp(`(${NAME}(?::${NAME})?)\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, 'g');
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The root element, or an Error that says where the text is not well-formed. */
export function parseXml(text: string): XmlElement {
  const bad = FORBIDDEN.exec(text);
  if (bad !== null) throw new Error(`character U+${bad[0].codePointAt(0)!.toString(16)} at ${bad.index}`);
  const document: XmlElement = { name: '#document', attributes: {}, children: [] };
  const open: XmlElement[] = [document];
  TOKEN.lastIndex = 0;
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text);
    if (token === null) throw new Error(`no markup at ${at}: ${text.slice(at, at + 60)}`);
    const [, cdata, closing, name, attributes = '', selfClosing, chars] = token;
    const parent = open.at(-1)!;
    if (cdata !== undefined) {
      parent.children.push(cdata);
    } else if (chars !== undefined) {
      if (chars.includes(']]>')) throw new Error(`]]> in text at ${at}`);
      parent.children.push(decoded(chars, at));
    } else if (closing === '/') {
      if (attributes !== '' || selfClosing === '/' || parent.name !== name) throw new Error(`</${name}> at ${at}`);
      open.pop();
    } else {
      const element: XmlElement = { name: name!, attributes: readAttributes(attributes, at), children: [] };
      parent.children.push(element);
      if (selfClosing !== '/') open.push(element);
    }
  }
  if (open.length !== 1) throw new Error(`<${open.at(-1)!.name}> is not closed`);
  const roots = document.children.filter(child => typeof child !== 'string');
  const outside = document.children.filter(child => typeof child === 'string' && child.trim() !== '');
  if (roots.length !== 1 || outside.length > 0) throw new Error('not one root element');
  return roots[0]!;
}

/** The element and all below it, in document order. */
export function* elementsOf(element: XmlElement): Generator<XmlElement> {
  yield element;
  for (const child of element.children) if (typeof child !== 'string') yield* elementsOf(child);
}

/** All text below an element. */
export function textIn(element: XmlElement): string {
  return element.children.map(child => (typeof child === 'string' ? child : textIn(child))).join('');
}

function readAttributes(text: string, at: number): Record<string, string> {
  const found: Record<string, string> = Object.create(null);
  for (const [, name, double, single] of text.matchAll(ATTRIBUTE)) {
    if (name! in found) throw new Error(`attribute ${name} twice at ${at}`);
    found[name!] = decoded(double ?? single!, at);
  }
  return found;
}

function decoded(text: string, at: number): string {
  return text.replace(/&([^;]*;?)/g, (_, entity: string) => {
    const numeric = /^#(?:x([\da-fA-F]+)|(\d+));$/.exec(entity);
    if (numeric !== null) return String.fromCodePoint(Number.parseInt(numeric[1] ?? numeric[2]!, numeric[1] ? 16 : 10));
    const known = entity.endsWith(';') ? ENTITIES[entity.slice(0, -1)] : undefined;
    if (known === undefined) throw new Error(`&${entity} after ${at}`);
    return known;
  });
}
