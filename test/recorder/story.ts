import type { RecordedEvent, RecordingHeader } from '../../src/recorder/events.ts';
import { Summarizer } from '../../src/recorder/summary.ts';
import { Tally } from '../../src/recorder/tally.ts';
import { RecordingWriter } from '../../src/recorder/writer.ts';

/** When recordings of stories begin: the time of the wall, and the kernel's clock then. */
export const BEGAN_MS = Date.UTC(2026, 10, 1);
const MONO_NS = 5e9;

/**
 * A recording as text, one event a line, so that a case is seen at a glance. Milliseconds after the start, process, what it did:
 *
 *     0  1 exec claude --resume      5 1 fork 2          7 2 exec bash -c ls
 *     8  2 read /w/a                 8 2 write /w/b      8 2 delete /w/b
 *     9  2 connect 10.0.0.1:443      9 2 refused ::1:80  9 2 exit 3 cpu=4     9 2 killed 9
 *     end
 */
export function eventsOf(story: string): RecordedEvent[] {
  const images = new Map<number, number>();
  const events: RecordedEvent[] = [];
  for (const line of story.split('\n').map(each => each.trim())) {
    if (line === '' || line.startsWith('//')) continue;
    if (line === 'end') {
      events.push({ type: 'end', events: events.length, lost: 0 });
      continue;
    }
    const [ms, number, verb = '', ...rest] = line.split(/\s+/);
    const pid = Number(number);
    if (verb === 'exec') images.set(pid, (images.get(pid) ?? 0) + 1);
    const doer = {
      seq: events.length + 1,
      t_ns: MONO_NS + Number(ms) * 1e6,
      pid,
      start_ns: pid,
      exec_id: images.get(pid) ?? 0,
    };
    events.push(eventOf(verb, rest, doer));
    if (verb === 'fork') images.set(Number(rest[0]), 0);
  }
  return events;
}

type Doer = { seq: number; t_ns: number; pid: number; start_ns: number; exec_id: number };

function eventOf(verb: string, rest: string[], doer: Doer): RecordedEvent {
  const [first = ''] = rest;
  const cpu = rest.find(word => word.startsWith('cpu='))?.slice(4);
  const path = { path: first, path_state: 'kernel' as const };
  switch (verb) {
    case 'fork':
      return { type: 'proc.fork', ...doer, child_pid: Number(first), child_start_ns: Number(first) };
    case 'exec':
      return { type: 'proc.exec', ...doer, exe: `/usr/bin/${first}`, argv: rest, cwd: '/w', argv_source: 'bpf' };
    case 'exit':
    case 'killed': {
      const [code, signal] = verb === 'exit' ? [Number(first), 0] : [0, Number(first)];
      return { type: 'proc.exit', ...doer, code, signal, ...(cpu !== undefined && { cpu_ns: Number(cpu) * 1e6 }) };
    }
    case 'read':
    case 'write':
      return { type: 'file.open', ...doer, ...path, access: verb === 'read' ? 'r' : 'w', trunc: false, ret: 3 };
    case 'delete':
      return { type: 'file.delete', ...doer, ...path };
    case 'connect':
    case 'refused': {
      const at = first.lastIndexOf(':');
      const [addr, port] = [first.slice(0, at), Number(first.slice(at + 1))];
      const ret = verb === 'refused' ? -111 : 0;
      return { type: 'net.connect', ...doer, family: addr.includes(':') ? 'inet6' : 'inet', addr, port, ret };
    }
    default:
      throw new Error(`no such event: ${verb}`);
  }
}

export function headerOf(id = '20261101T000000Z-00c0de', argv: string[] = ['/opt/bin/claude']): RecordingHeader {
  return {
    v: 1,
    type: 'recording',
    id,
    engine: { name: 'bpf', version: '0' },
    kernel: '6.1',
    boot_id: '',
    t0_wall_ms: BEGAN_MS,
    t0_mono_ns: MONO_NS,
    root: { pid: 1, start_ns: 1, argv, cwd: '/w' },
    filters: { tree: true },
    caps: { files: true, bytes: false, tls: 'none', cpu: true },
    redaction: 'none',
    gaps: [],
  };
}

export function recordedOf(story: string) {
  const summarizer = new Summarizer();
  const tally = new Tally();
  for (const event of [headerOf(), ...eventsOf(story)]) {
    summarizer.take(event);
    tally.take(event);
  }
  return { summary: summarizer.end(), tally };
}

/** The same as a recording in a folder. */
export function writeStory(dir: string, story: string, header = headerOf()): void {
  const writer = new RecordingWriter(header, { dir, partBytes: 1 << 20, totalBytes: 1 << 30 });
  for (const event of eventsOf(story)) writer.line(JSON.stringify(event));
  writer.close();
}
