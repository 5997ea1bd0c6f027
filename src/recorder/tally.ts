import { processKey, type RecordedEvent, type RecordingHeader } from './events.ts';

/** What one program did: distinct files and addresses. */
export interface Deeds {
  /** Opened for reading alone. */
  readonly read: Set<string>;
  /** Opened for writing, made, cut short, linked, renamed or deleted. */
  readonly changed: Set<string>;
  readonly hosts: Set<string>;
  failedConnects: number;
}

/**
 * Counts what each program of a recording did. A process becomes several programs one after the other, and what it did belongs
 * to the one that it was at that time.
 */
export class Tally {
  private readonly deeds = new Map<string, Deeds>();

  take(event: RecordedEvent | RecordingHeader): void {
    switch (event.type) {
      case 'file.open': {
        if (event.access === 'path') return;
        const deeds = this.of(processKey(event), event.exec_id);
        const changes = event.access !== 'r' || event.trunc || event.creat === true;
        (changes ? deeds.changed : deeds.read).add(event.path);
        return;
      }
      case 'file.delete':
      case 'file.mkdir':
      case 'file.truncate':
        this.of(processKey(event), event.exec_id).changed.add(event.path);
        return;
      case 'file.rename':
        this.of(processKey(event), event.exec_id).changed.add(event.from).add(event.to);
        return;
      case 'file.link':
        this.of(processKey(event), event.exec_id).changed.add(event.to);
        return;
      case 'net.connect': {
        const deeds = this.of(processKey(event), event.exec_id);
        deeds.hosts.add(`${event.family} ${event.addr} ${event.port ?? ''}`);
        if (event.ret < 0 && event.in_progress !== true) deeds.failedConnects++;
      }
    }
  }

  /** Nothing for a program that touched nothing. */
  find(process: string, image: number): Deeds | undefined {
    return this.deeds.get(`${process} ${image}`);
  }

  private of(process: string, image: number): Deeds {
    const name = `${process} ${image}`;
    let deeds = this.deeds.get(name);
    if (deeds === undefined) {
      deeds = { read: new Set(), changed: new Set(), hosts: new Set(), failedConnects: 0 };
      this.deeds.set(name, deeds);
    }
    return deeds;
  }
}
