/** A sample by its name and labels as written: `agentpprof_calls_total{agent="codex",model="x"}`. */
export interface Parsed {
  readonly types: ReadonlyMap<string, string>;
  readonly samples: ReadonlyMap<string, number>;
  readonly labels: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;

/**
 * Reads OpenMetrics text 1.0 by its rules and nothing beyond them; throws at the first line that breaks one. Written after the
 * specification (metadata before samples, families not interleaved, suffixes by type, one EOF at the end).
 */
export function parsed(text: string): Parsed {
  if (!text.endsWith('# EOF\n')) throw new Error('no EOF at the end');
  const types = new Map<string, string>();
  const samples = new Map<string, number>();
  const labels = new Map<string, Record<string, string>>();
  const told = new Set<string>();
  let family = '';
  for (const line of text.slice(0, -'# EOF\n'.length).split('\n').slice(0, -1)) {
    const fail = (why: string): never => {
      throw new Error(`${why}: ${line}`);
    };
    const meta = /^# (TYPE|UNIT|HELP) (\S+) (.*)$/.exec(line);
    if (meta) {
      const [, what = '', name = '', value = ''] = meta;
      if (!NAME.test(name)) fail('no name');
      if (told.has(`${what} ${name}`)) fail('told twice');
      told.add(`${what} ${name}`);
      if (name !== family) {
        if (types.has(name)) fail('families are interleaved');
        family = name;
        types.set(name, 'unknown');
      }
      if ([...samples.keys()].some(key => key.startsWith(`${name}_total{`) || key.startsWith(`${name}{`)))
        fail('metadata behind samples');
      if (what === 'TYPE') types.set(name, value);
      if (what === 'UNIT' && !name.endsWith(`_${value}`)) fail('the unit is no suffix of the name');
      if (what === 'HELP' && /(?<!\\)(\\\\)*\\[^\\n"]/.test(value)) fail('a bad escape');
      continue;
    }
    if (line.startsWith('#') || line === '') fail('no line of the format');
    const at = line.indexOf('{');
    const name = line.slice(0, at < 0 ? line.indexOf(' ') : at);
    if (!NAME.test(name)) fail('no name');
    const type = types.get(family);
    if (name !== (type === 'counter' ? `${family}_total` : family)) fail(`no sample of ${family}`);
    const own: Record<string, string> = {};
    let rest = at < 0 ? line.slice(name.length) : line.slice(at + 1);
    while (at >= 0 && !rest.startsWith('}')) {
      const [all, key = '', value = ''] =
        /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"/.exec(rest) ?? fail('a bad label');
      if (Object.hasOwn(own, key)) fail('a label twice');
      own[key] = value.replace(/\\(.)/g, (_, c) => (c === 'n' ? '\n' : c));
      rest = rest.slice(all.length);
      if (rest.startsWith(',')) rest = rest.slice(1);
      else if (!rest.startsWith('}')) fail('labels that run on');
    }
    const value = /^\}? (\d+(?:\.\d+)?)$/.exec(rest)?.[1] ?? fail('no number');
    const key = line.slice(0, line.lastIndexOf(' '));
    if (samples.has(key)) fail('a sample twice');
    samples.set(key, Number(value));
    labels.set(key, own);
  }
  return { types, samples, labels };
}
