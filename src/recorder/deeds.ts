import { isHarmlessDevice } from '../effects/shell/touched.ts';
import type { Deed, RecordedEvent, RecordingHeader } from './events.ts';
import { isDeed, processKey } from './events.ts';
import { type ReadCounts, readRecording } from './reader.ts';
import { type RecordingSummary, Summarizer } from './summary.ts';

/** A recording as it is joined with histories: its processes, and what they did as far as that may be an effect. */
export interface ReadWhole {
  readonly summary: RecordingSummary;
  /** In the order written. */
  readonly deeds: readonly Deed[];
  /** File and network events left out of `deeds` because every program has them, by process. */
  readonly system: ReadonlyMap<string, number>;
  readonly read: ReadCounts;
}

/** Reads a recording once. What starting a program takes (libraries, settings of the system, devices) is only counted. */
export async function readWhole(parts: readonly string[]): Promise<ReadWhole> {
  const whole = new WholeReader();
  const read = await readRecording(parts, event => whole.take(event));
  return { ...whole.end(), read };
}

/** The same for events that are in memory. */
export class WholeReader {
  private readonly summarizer = new Summarizer();
  private readonly deeds: Deed[] = [];
  private readonly system = new Map<string, number>();
  private home = '';

  take(event: RecordedEvent | RecordingHeader): void {
    this.summarizer.take(event);
    if (event.type === 'recording') this.home = event.root.cwd;
    if (!isDeed(event)) return;
    if (isOfSystem(event, this.home)) {
      const key = processKey(event);
      this.system.set(key, (this.system.get(key) ?? 0) + 1);
    } else this.deeds.push(event);
  }

  end(): Omit<ReadWhole, 'read'> {
    return { summary: this.summarizer.end(), deeds: this.deeds, system: this.system };
  }
}

const SYSTEM = /^\/(?:usr|lib(?:32|64|x32)?|s?bin|etc|proc|sys|nix\/store|snap)(?:\/|$)/;
const SECRET = /^\/etc\/(?:g?shadow-?$|ssl\/private\/|sudoers|ssh\/ssh_host_)/;

/** Below the folder where the recording began nothing is the system's. */
function isOfSystem(event: Deed, home: string): boolean {
  if (event.type !== 'file.open') return false;
  const { path, access } = event;
  if (home.lastIndexOf('/') > 0 && path.startsWith(`${home}/`)) return false;
  if (path.startsWith('/dev/')) {
    if (path.startsWith('/dev/shm/')) return false;
    return isHarmlessDevice(path) || access === 'r' || /^\/dev\/(?:pts\/|tty|ptmx)/.test(path);
  }
  if (/^\/(?:proc|sys)\//.test(path)) return true;
  return (access === 'r' || access === 'path') && !event.trunc && SYSTEM.test(path) && !SECRET.test(path);
}
