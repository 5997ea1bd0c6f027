import { createReadStream, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { constants, createGunzip } from 'node:zlib';
import type { RecordedEvent, RecordingHeader } from './events.ts';
import { Lines } from './lines.ts';
import { eventOf } from './parse-event.ts';
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
    const lines = new Lines();
    const line = (text: string): void => {
      if (text === '') return;
      const event = eventOf(text);
      if (event === undefined) counts.badLines++;
      else take(event);
    };
    const file = createReadStream(path);
    const plain = file.pipe(createGunzip({ finishFlush: constants.Z_SYNC_FLUSH }));
    // Events, not iteration: what was unpacked before the break counts.
    const whole = await new Promise<boolean>(resolve => {
      plain.on('data', (chunk: Buffer) => {
        for (const text of lines.of(chunk)) line(text);
      });
      plain.on('end', () => resolve(true));
      plain.on('error', () => resolve(false));
      file.on('error', () => resolve(false));
    });
    counts.badLines += lines.tooLong;
    if (!whole || lines.unfinished) counts.cutParts++;
  }
  return counts;
}
