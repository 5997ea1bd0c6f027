/**
 * Answers that come in small steps (`text/event-stream`, or a JSON object a line): a secret in them is cut into pieces of a few characters, none of
 * which has its shape. The strings that grow step by step are put together, and where the whole holds a secret, the
 * whole without it stands in the first step and the others are empty.
 */
export function redactStream(text: string, redact: (text: string) => string): string {
  const lines = text.split('\n');
  const events = lines.map(dataOf);
  const grown = new Map<string, { at: number; set: (text: string) => void; text: string }[]>();
  events.forEach((value, at) => {
    if (value !== undefined)
      walk(value, '', (path, found, set) => grown.set(path, [...(grown.get(path) ?? []), { at, set, text: found }]));
  });
  const changed = new Set<number>();
  for (const steps of grown.values()) {
    // What every step repeats does not grow: an id, a kind.
    if (steps.every(step => step.text === steps[0]!.text)) continue;
    const whole = steps.map(step => step.text).join('');
    const clean = redact(whole);
    if (clean === whole) continue;
    steps.forEach((step, index) => {
      step.set(index === 0 ? clean : '');
      changed.add(step.at);
    });
  }
  return lines
    .map((line, at) => (changed.has(at) ? `${LINE.exec(line)![1]}${JSON.stringify(events[at])}` : line))
    .join('\n');
}

const LINE = /^((?:data: ?)?)(\{.*\})\s*$/;

function dataOf(line: string): unknown {
  const found = LINE.exec(line);
  if (found === null) return undefined;
  try {
    return JSON.parse(found[2]!);
  } catch {
    return undefined;
  }
}

/** Every string in a value with its place: names of fields, and the `index` that tells parallel parts apart. */
function walk(
  value: unknown,
  path: string,
  take: (path: string, text: string, set: (text: string) => void) => void,
): void {
  if (typeof value !== 'object' || value === null) return;
  const holder = value as Record<string, unknown>;
  const at = typeof holder.index === 'number' ? `${path}#${holder.index}` : path;
  for (const [name, inner] of Object.entries(holder)) {
    const place = Array.isArray(value) ? `${at}[]` : `${at}.${name}`;
    if (typeof inner === 'string')
      take(place, inner, text => {
        holder[name] = text;
      });
    else walk(inner, place, take);
  }
}
