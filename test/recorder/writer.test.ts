import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { RecordedEvent, RecordingHeader } from '../../src/recorder/events.ts';
import { readRecording, recordingsIn } from '../../src/recorder/reader.ts';
import { RecordingWriter } from '../../src/recorder/writer.ts';

const dir = mkdtempSync(join(tmpdir(), 'agentsight-writer-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const header = (id: string): RecordingHeader => ({
  v: 1,
  type: 'recording',
  id,
  engine: { name: 'bpf', version: '0' },
  kernel: '6',
  boot_id: '',
  t0_wall_ms: 0,
  t0_mono_ns: 0,
  root: { pid: 1, start_ns: 0, argv: ['x'], cwd: '/' },
  filters: { tree: true },
  caps: { files: true, bytes: false, tls: 'none', cpu: true },
  redaction: 'none',
  gaps: [],
});
const read = async (parts: string[]) => {
  const events: (RecordedEvent | RecordingHeader)[] = [];
  const counts = await readRecording(parts, event => events.push(event));
  return { events, counts };
};
const line = (seq: number): string =>
  JSON.stringify({ type: 'gap', seq, t_ns: seq, reason: 'lost', count: 1, noise: Math.sin(seq) });

it('comes back as it was written, in order', async () => {
  const writer = new RecordingWriter(header('20260101T000000Z-aaaaaa'), {
    dir,
    partBytes: 1 << 20,
    totalBytes: 1 << 30,
  });
  for (let seq = 1; seq <= 20_000; seq++) writer.line(line(seq));
  writer.close();
  const { events, counts } = await read(recordingsIn(dir)[0]!.parts);
  expect(events.map(event => (event.type === 'gap' ? event.seq : event.type))).toEqual([
    'recording',
    ...Array.from({ length: 20_000 }, (_, i) => i + 1),
  ]);
  expect(counts).toEqual({ badLines: 0, cutParts: 0 });
});

it('stays below its size: the oldest parts but the first go, and a gap counts what went', async () => {
  const writer = new RecordingWriter(header('20260102T000000Z-bbbbbb'), {
    dir,
    partBytes: 100_000,
    totalBytes: 400_000,
  });
  for (let seq = 1; seq <= 60_000; seq++) writer.line(line(seq));
  writer.close();
  const { id, parts } = recordingsIn(dir)[0]!;
  expect(id).toBe('20260102T000000Z-bbbbbb');
  expect(parts.reduce((sum, path) => sum + readFileSync(path).length, 0)).toBeLessThan(500_000);
  const { events } = await read(parts);
  const rotated = events.flatMap(event => (event.type === 'gap' && event.reason === 'rotated' ? [event] : []));
  const kept = events.flatMap(event => (event.type === 'gap' && event.reason === 'lost' ? [event.seq] : []));
  expect(rotated.length).toBeGreaterThan(0);
  expect(kept[0]).toBe(1);
  expect(kept.at(-1)).toBe(60_000);
  expect(kept.length + rotated.reduce((sum, { count }) => sum + count, 0)).toBe(60_000);
  expect(events[0]!.type).toBe('recording');
});

it('cut off or dirtied it still gives what is whole, and counts the rest', async () => {
  const id = '20260103T000000Z-cccccc';
  const writer = new RecordingWriter(header(id), { dir, partBytes: 1 << 20, totalBytes: 1 << 30 });
  for (let seq = 1; seq <= 5; seq++) writer.line(line(seq));
  writer.flush();
  const path = join(dir, readdirSync(dir).find(name => name.startsWith(id))!);
  const whole = readFileSync(path).length;
  for (let seq = 6; seq <= 2000; seq++) writer.line(line(seq));
  writer.close();
  truncateSync(path, whole + 40);
  const cut = await read([path]);
  expect(cut.events.length).toBeGreaterThanOrEqual(6);
  truncateSync(path, whole);
  appendFileSync(path, 'no gzip at all');
  expect((await read([path])).counts.cutParts).toBe(1);
});
