import { isObject, type Obj, textOf } from '../shapes.ts';

/** Something that ran from one time to another on one track. Times in microseconds of the trace's own clock. */
export interface Slice {
  readonly process: string;
  readonly track: string;
  readonly name: string;
  readonly category: string;
  readonly start: number;
  end: number;
  args: Obj;
  readonly offset: number;
  readonly bytes: number;
}

/** Events that are no slices and tell nothing of them: counters, flows, samples, objects, memory, clocks, marks. */
const SILENT: ReadonlySet<string> = new Set([
  'C',
  's',
  't',
  'f',
  'P',
  'N',
  'O',
  'D',
  'v',
  'V',
  'R',
  'c',
  '(',
  ')',
  'n',
  'i',
  'I',
]);

export function isEvent(value: unknown): value is Obj {
  return isObject(value) && typeof value.ph === 'string' && (typeof value.ts === 'number' || value.ph === 'M');
}

/** Puts events together to slices: complete ones (X), begins and ends of a thread (B, E) and of a task (b, e). */
export class Slices {
  readonly all: Slice[] = [];
  /** By process id. */
  readonly processNames = new Map<string, string>();
  readonly unknown: string[] = [];
  private readonly open = new Map<string, Slice[]>();
  private latest = 0;

  add(event: Obj, offset: number, bytes: number): void {
    const phase = textOf(event.ph);
    const time = finite(event.ts);
    const process = idText(event.pid);
    this.latest = Math.max(this.latest, time + finite(event.dur));
    if (phase === 'M') {
      const name = isObject(event.args) ? textOf(event.args.name) : '';
      if (event.name === 'process_name' && name !== '') this.processNames.set(process, name);
      return;
    }
    const isTask = phase === 'b' || phase === 'e' || phase === 'S' || phase === 'F';
    const track = isTask
      ? `task ${process} ${textOf(event.cat)} ${idText(event.id ?? (isObject(event.id2) ? (event.id2.local ?? event.id2.global) : ''))}`
      : `thread ${process} ${idText(event.tid)}`;
    if (phase === 'X' || phase === 'B' || phase === 'b' || phase === 'S') {
      const slice: Slice = {
        process,
        track,
        name: textOf(event.name).slice(0, 200),
        category: textOf(event.cat),
        start: time,
        end: phase === 'X' ? time + finite(event.dur) : Number.NaN,
        args: isObject(event.args) ? event.args : {},
        offset,
        bytes,
      };
      this.all.push(slice);
      if (phase !== 'X') this.begun(track).push(slice);
    } else if (phase === 'E' || phase === 'e' || phase === 'F') this.ends(track, event, time);
    else if (!SILENT.has(phase)) this.unknown.push(`phase ${phase.slice(0, 1)}`);
  }

  private begun(track: string): Slice[] {
    const open = this.open.get(track) ?? [];
    this.open.set(track, open);
    return open;
  }

  private ends(track: string, event: Obj, time: number): void {
    const slice = this.begun(track).pop();
    if (slice === undefined) this.unknown.push('end without a begin');
    else {
      slice.end = Math.max(time, slice.start);
      if (isObject(event.args)) slice.args = { ...slice.args, ...event.args };
    }
  }

  /** Ends what never ended with the trace; gives how many these are. */
  finish(): number {
    let count = 0;
    for (const slice of this.all) {
      if (!Number.isNaN(slice.end)) continue;
      slice.end = Math.max(this.latest, slice.start);
      count++;
    }
    return count;
  }
}

function finite(value: unknown): number {
  return typeof value === 'number' && value >= 0 && value < Number.MAX_SAFE_INTEGER / 4 ? value : 0;
}

function idText(value: unknown): string {
  return typeof value === 'number' || typeof value === 'string' ? String(value).slice(0, 100) : '';
}

/** The slice that each is in: the innermost of its track that spans it. Tracks' slices come sorted by start. */
export function parentsOf(slices: readonly Slice[]): Map<Slice, Slice> {
  const parents = new Map<Slice, Slice>();
  for (const track of grouped(slices).values()) {
    const open: Slice[] = [];
    for (const slice of track.sort((a, b) => a.start - b.start || b.end - a.end)) {
      while (open.length > 0 && (open.at(-1) as Slice).end < slice.end) open.pop();
      const above = open.at(-1);
      if (above !== undefined) parents.set(slice, above);
      // What has no duration holds nothing, also not another one at the same time.
      if (slice.end > slice.start) open.push(slice);
    }
  }
  return parents;
}

function grouped(slices: readonly Slice[]): Map<string, Slice[]> {
  const tracks = new Map<string, Slice[]>();
  for (const slice of slices) {
    const track = tracks.get(slice.track);
    if (track) track.push(slice);
    else tracks.set(slice.track, [slice]);
  }
  return tracks;
}
