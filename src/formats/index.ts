import type { Profile } from '../profile/profile.ts';
import type { HtmlOptions } from './html.ts';
import { writePprof, writePprofRaw } from './pprof.ts';
import type { Sink } from './sink.ts';

/** What a format may be told. Each takes what concerns it: files of all measures have no use for one. */
export interface FormatOptions {
  /** The measure of formats that show one; the profile's own when absent. */
  readonly measure?: string | undefined;
  /** What was selected, in words, for formats with a heading. */
  readonly subtitle?: string | undefined;
  /** What the explorer's page holds beyond a profile; that format alone needs it. */
  readonly page?: HtmlOptions['page'];
}

type Named = Pick<Format, 'name' | 'extensions'>;

/** Makes no I/O: equal profiles and options give equal bytes. */
export type Write = (profile: Profile, sink: Sink, options: FormatOptions) => void;

/** A way a profile leaves. */
export interface Format {
  /** What `--format` calls it. */
  readonly name: string;
  /** Endings of file names, with the dot, in lower case. */
  readonly extensions: readonly string[];
  /** Whether its bytes would harm a terminal. */
  readonly binary: boolean;
  /** What writes it is loaded when it is asked for. */
  readonly writer: () => Promise<Write>;
}

const rawPprof: Write = (profile, sink) => writePprofRaw(profile, sink);

export const FORMATS: readonly Format[] = [
  { name: 'pprof', extensions: ['.pb.gz'], binary: true, writer: async () => writePprof },
  { name: 'pprof-raw', extensions: ['.pb'], binary: true, writer: async () => rawPprof },
  {
    name: 'folded',
    extensions: ['.folded'],
    binary: false,
    writer: async () => (await import('./folded.ts')).writeFolded,
  },
  { name: 'svg', extensions: ['.svg'], binary: false, writer: async () => (await import('./svg.ts')).writeSvg },
  { name: 'html', extensions: ['.html'], binary: false, writer: async () => (await import('./html.ts')).writeHtml },
  {
    name: 'speedscope',
    extensions: ['.speedscope.json'],
    binary: false,
    writer: async () => (await import('./speedscope.ts')).writeSpeedscope,
  },
  { name: 'json', extensions: ['.json'], binary: false, writer: async () => (await import('./json.ts')).writeJson },
  {
    name: 'text',
    extensions: ['.txt'],
    binary: false,
    writer: async () => {
      const { terminalSummary } = await import('./terminal.ts');
      return (profile, sink, options) => sink(terminalSummary(profile, { ...options, width: 100 }));
    },
  },
];

/** A file name or `--format` that stands for no format. `known` are the endings, or the names. */
export class UnknownFormatError extends Error {
  readonly asked: string;
  readonly known: readonly string[];

  constructor(message: string, asked: string, known: readonly string[]) {
    super(message);
    this.name = 'UnknownFormatError';
    this.asked = asked;
    this.known = known;
  }
}

/** The format of an output path, by its longest known ending in any case of letters. Throws UnknownFormatError. */
export function formatOfPath(path: string): Format;
export function formatOfPath<F extends Named>(path: string, formats: readonly F[]): F;
export function formatOfPath(path: string, formats: readonly Named[] = FORMATS): Named {
  const name = path.toLowerCase();
  let found: Named | undefined;
  let length = 0;
  for (const format of formats) {
    for (const extension of format.extensions) {
      if (extension.length <= length || !name.endsWith(extension)) continue;
      found = format;
      length = extension.length;
    }
  }
  if (found !== undefined) return found;
  const known = formats.flatMap(format => format.extensions);
  throw new UnknownFormatError(`no format for "${path}": its name must end in ${orList(known)}`, path, known);
}

/** The format that `--format` names. Throws UnknownFormatError. */
export function formatNamed(name: string): Format;
export function formatNamed<F extends Named>(name: string, formats: readonly F[]): F;
export function formatNamed(name: string, formats: readonly Named[] = FORMATS): Named {
  const found = formats.find(format => format.name === name);
  if (found !== undefined) return found;
  const known = formats.map(format => format.name);
  throw new UnknownFormatError(`no format "${name}": there are ${known.join(', ')}`, name, known);
}

function orList(items: readonly string[]): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} or ${items.at(-1)!}`;
}
