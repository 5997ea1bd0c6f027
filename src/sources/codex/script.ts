/**
 * Code mode: the `exec` tool takes JavaScript that calls the other tools. Its source is not run and not parsed;
 * the arguments that are plain string literals are found by their names, everything else is left alone.
 */
export interface ScriptUse {
  readonly tool: string;
  /** String arguments by name. */
  readonly args: ReadonlyMap<string, string>;
}

const CALL = /\btools\s*\.\s*([A-Za-z_$][\w$]*)\s*\(/g;
const ARGUMENT = /(?:^|[{,\s])["']?(cmd|command|workdir|path|url)["']?\s*:\s*(["'`])/g;

export function scriptUses(source: string): ScriptUse[] {
  const uses: ScriptUse[] = [];
  const starts = [...source.matchAll(CALL)];
  starts.forEach((match, index) => {
    const from = (match.index as number) + match[0].length;
    const to = starts[index + 1]?.index ?? source.length;
    uses.push({ tool: match[1] as string, args: stringArguments(source, from, to) });
  });
  return uses;
}

function stringArguments(source: string, from: number, to: number): Map<string, string> {
  const found = new Map<string, string>();
  ARGUMENT.lastIndex = from;
  for (let match = ARGUMENT.exec(source); match && match.index < to; match = ARGUMENT.exec(source)) {
    const literal = literalAt(source, ARGUMENT.lastIndex - 1);
    if (!literal) break;
    const name = match[1] as string;
    if (!found.has(name)) found.set(name, literal.value);
    ARGUMENT.lastIndex = literal.end;
  }
  return found;
}

/** All string literals that hold a patch. */
export function scriptPatches(source: string): string[] {
  const patches: string[] = [];
  for (let at = source.indexOf('*** Begin Patch'); at >= 0; at = source.indexOf('*** Begin Patch', at + 1)) {
    const quote = source.slice(Math.max(0, at - 3), at).search(/["'`]\s*(?:\\n)?$/);
    const literal = quote < 0 ? undefined : literalAt(source, Math.max(0, at - 3) + quote);
    if (literal) patches.push(literal.value);
  }
  return patches;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v', '0': '\0' };

/** The literal whose quote stands at `at`; undefined if it never ends. Template expressions stay as written. */
function literalAt(source: string, at: number): { value: string; end: number } | undefined {
  const quote = source[at];
  let value = '';
  let from = at + 1;
  for (let i = from; i < source.length; i++) {
    const char = source[i] as string;
    if (char === quote) return { value: value + source.slice(from, i), end: i + 1 };
    if (char !== '\\') continue;
    value += source.slice(from, i);
    const next = source[++i] ?? '';
    const code = next === 'u' ? source.slice(i + 1, i + 5) : next === 'x' ? source.slice(i + 1, i + 3) : '';
    if (code !== '' && /^[0-9a-f]+$/i.test(code)) {
      value += String.fromCharCode(Number.parseInt(code, 16));
      i += code.length;
    } else if (next !== '\n') {
      value += Object.hasOwn(ESCAPES, next) ? ESCAPES[next] : next;
    }
    from = i + 1;
  }
  return undefined;
}
