import { readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type Attached, attachRecordings, type KeptDigest, type RecordingSource } from '../recorder/attach.ts';
import { spansOf } from '../recorder/belonging.ts';
import { readWhole } from '../recorder/deeds.ts';
import type { RecordingFiles } from '../recorder/reader.ts';
import { evidenceOf } from '../sources/evidence.ts';
import type { Discovery } from '../sources/find.ts';
import { isPrivate, ready, writeWhole } from '../store/place.ts';
import type { Trace } from '../trace/trace.ts';
import { VERSION } from './version.ts';

/** Recordings that became part of a history. */
export interface JoinedRecordings extends Attached {
  /** Recordings of a time in which no session of the history was; they were not opened. */
  readonly ofNoSession: number;
  /** By recording id: where those of the time of some session lie. */
  readonly files: ReadonlyMap<string, RecordingFiles>;
}

/**
 * Makes those of the time of some session part of the history. What was found is kept below `cache`, so that a recording is
 * read again only when it or the history of its time has changed; `afresh` reads it anyway.
 */
export async function joinRecordings(
  trace: Trace,
  discovery: Discovery,
  recordings: readonly RecordingFiles[],
  cache: string | undefined,
  afresh: boolean,
): Promise<JoinedRecordings> {
  const sources: RecordingSource[] = [];
  const signatures = new Map<string, string>();
  let ofNoSession = 0;
  const { first, last } = spansOf(trace);
  const files = new Map<string, RecordingFiles>();
  for (const recording of recordings) {
    const { id, parts } = recording;
    const [from, to] = timesOf(id, parts);
    if (!first.some((start, at) => start > 0 && start <= to && (last[at] as number) >= from)) {
      ofNoSession++;
      continue;
    }
    files.set(id, recording);
    const signature = signatureOf(parts);
    signatures.set(id, signature);
    const kept = cache === undefined || afresh ? undefined : keptDigest(cache, id, signature);
    sources.push({ id, read: () => readWhole(parts), kept });
  }
  const attached = await attachRecordings(trace, sources, {
    transcripts: pathsOf(discovery),
    recordOf: row => {
      const { ops } = trace;
      const file = discovery.files[ops.file.get(row)];
      try {
        return file === undefined ? '' : evidenceOf(file, ops.offset.get(row), ops.bytes.get(row));
      } catch {
        return '';
      }
    },
  });
  if (cache !== undefined)
    for (const [id, digest] of attached.fresh) keep(cache, id, { signature: signatures.get(id) as string, ...digest });
  return { ...attached, ofNoSession, files };
}

/** Folder of the cache for what recordings show of histories. */
const FOLDER = 'recordings';

interface Kept extends KeptDigest {
  readonly signature: string;
}

/** Changes with the bytes of a recording. */
function signatureOf(parts: readonly string[]): string {
  const stats = parts.map(path => statSync(path, { throwIfNoEntry: false }));
  return `${VERSION} ${stats.map(stat => `${stat?.size} ${stat?.mtimeMs}`).join(' ')}`;
}

function keptDigest(cache: string, id: string, signature: string): KeptDigest | undefined {
  const folder = join(cache, FOLDER);
  if (!isPrivate(cache) || !isPrivate(folder)) return undefined;
  try {
    const kept = JSON.parse(readFileSync(join(folder, `${id}.json`), 'utf8')) as Kept;
    return kept.signature === signature && Array.isArray(kept.digest.calls) ? kept : undefined;
  } catch {
    return undefined;
  }
}

/** What cannot be kept costs the next run its time. */
function keep(cache: string, id: string, kept: Kept): void {
  try {
    ready(cache);
    writeWhole(join(cache, FOLDER), `${id}.json`, sink => sink(Buffer.from(JSON.stringify(kept))));
  } catch {
    // A cache that cannot be written is none.
  }
}

const DAY_US = 24 * 3600 * 1e6;

/** From its name's time to when it was last written to, microseconds; with a day around it, for clocks and copies. */
function timesOf(id: string, parts: readonly string[]): [from: number, to: number] {
  const [, y, mo, d, h, mi, s] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/.exec(id) ?? [];
  const from = Date.UTC(Number(y), Number(mo) - 1, Number(d), Number(h), Number(mi), Number(s)) * 1000;
  const written = Math.max(...parts.map(path => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0)) * 1000;
  return [from - DAY_US, Math.max(from, written) + DAY_US];
}

/** Files of histories by the paths that a kernel may call them. */
function pathsOf({ files }: Discovery): Map<string, number> {
  const paths = new Map<string, number>();
  const folders = new Map<string, string>();
  const real = (path: string): string => {
    const folder = dirname(path);
    let found = folders.get(folder);
    if (found === undefined) {
      try {
        found = realpathSync(folder);
      } catch {
        found = folder;
      }
      folders.set(folder, found);
    }
    return join(found, basename(path));
  };
  files.forEach(({ path, origin }, at) => {
    for (const each of [path, origin ?? path]) {
      paths.set(resolve(each), at);
      paths.set(real(resolve(each)), at);
    }
  });
  return paths;
}
