import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type Attached, attachRecordings, type RecordingRead } from '../recorder/attach.ts';
import { spansOf } from '../recorder/belonging.ts';
import { readWhole } from '../recorder/deeds.ts';
import type { RecordingFiles } from '../recorder/reader.ts';
import type { Discovery } from '../sources/discover.ts';
import { evidenceOf } from '../sources/evidence.ts';
import type { Trace } from '../trace/trace.ts';

/** Recordings that became part of a history. */
export interface JoinedRecordings extends Attached {
  /** Recordings of a time in which no session of the history was; they were not opened. */
  readonly ofNoSession: number;
}

/** Reads those of the time of some session and makes them part of the history. */
export async function joinRecordings(
  trace: Trace,
  discovery: Discovery,
  recordings: readonly RecordingFiles[],
): Promise<JoinedRecordings> {
  const read: RecordingRead[] = [];
  let ofNoSession = 0;
  const { first, last } = spansOf(trace);
  for (const { id, parts } of recordings) {
    const [from, to] = timesOf(id, parts);
    if (first.some((start, at) => start > 0 && start <= to && (last[at] as number) >= from))
      read.push({ id, whole: await readWhole(parts) });
    else ofNoSession++;
  }
  const attached = attachRecordings(trace, read, {
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
  return { ...attached, ofNoSession };
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
