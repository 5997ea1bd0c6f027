import { createReadStream, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { constants, createGunzip } from 'node:zlib';
import type { RecordedEvent, RecordingHeader } from './events.ts';
import { PART } from './place.ts';

/** The parts of one recording, in order. */
export interface RecordingFiles {
  id: string;
  parts: string[];
}

/** Recordings in a folder, newest first. A single part's path stands for its whole recording. Throws what the file system throws. */
export function recordingsIn(path: string): RecordingFiles[] {
  const single = statSync(path).isFile() ? PART.exec(basename(path))?.[1] : undefined;
  const dir = single === undefined ? path : dirname(path);
  const byId = new Map<string, { part: number; path: string }[]>();
  for (const name of readdirSync(dir)) {
    const match = PART.exec(name);
    if (match === null || (single !== undefined && match[1] !== single)) continue;
    const parts = byId.get(match[1]!) ?? [];
    parts.push({ part: Number(match[2]), path: join(dir, name) });
    byId.set(match[1]!, parts);
  }
  return [...byId]
    .map(([id, parts]) => ({ id, parts: parts.sort((a, b) => a.part - b.part).map(part => part.path) }))
    .sort((a, b) => (a.id < b.id ? 1 : -1));
}

export interface ReadCounts {
  badLines: number;
  /** Parts that stop in the middle, as after a kill. */
  cutParts: number;
}

/** Every line of a recording, in the order written. A broken line costs that line, a part that was cut off its tail, a damaged part up to all of it. */
export async function readRecording(
  parts: readonly string[],
  take: (event: RecordedEvent | RecordingHeader) => void,
): Promise<ReadCounts> {
  const counts: ReadCounts = { badLines: 0, cutParts: 0 };
  for (const path of parts) {
    let rest = '';
    const line = (text: string): void => {
      if (text === '') return;
      try {
        const value: unknown = JSON.parse(text);
        if (typeof value === 'object' && value !== null && 'type' in value) take(value as RecordedEvent);
        else counts.badLines++;
      } catch {
        counts.badLines++;
      }
    };
    const file = createReadStream(path);
    const plain = file.pipe(createGunzip({ finishFlush: constants.Z_SYNC_FLUSH }));
    // Events, not iteration: what was unpacked before the break counts.
    const whole = await new Promise<boolean>(resolve => {
      const decoder = new StringDecoder('utf8');
      plain.on('data', (chunk: Buffer) => {
        const lines = (rest + decoder.write(chunk)).split('\n');
        rest = lines.pop() ?? '';
        for (const text of lines) line(text);
      });
      plain.on('end', () => resolve(true));
      plain.on('error', () => resolve(false));
      file.on('error', () => resolve(false));
    });
    if (!whole || rest !== '') counts.cutParts++;
  }
  return counts;
}
