/** Reading of values whose shape nobody promised. */
export type Fields = Readonly<Record<string, unknown>>;

/** The value as an object with named fields; undefined for anything else, arrays included. */
export function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

/** The string, or '' for anything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The object in a JSON text; undefined for anything else and for broken JSON. */
export function parsedFields(text: string): Fields | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}
