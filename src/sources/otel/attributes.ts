/** Attributes of a span by name, as plain JSON values. */
export type Attributes = ReadonlyMap<string, unknown>;

/** The first of these names under which there is a text; '' if there is none. */
export function firstText(attributes: Attributes, ...names: readonly string[]): string {
  for (const name of names) {
    const value = attributes.get(name);
    if (typeof value === 'string' && value !== '') return value;
  }
  return '';
}
