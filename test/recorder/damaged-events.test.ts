import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { readWhole } from '../../src/recorder/deeds.ts';
import { eventOf } from '../../src/recorder/parse-event.ts';
import { readRecording } from '../../src/recorder/reader.ts';
import { reportJson, reportText } from '../../src/recorder/report.ts';
import { Summarizer } from '../../src/recorder/summary.ts';
import { eventsOf, headerOf } from './story.ts';

const dir = mkdtempSync(join(tmpdir(), 'damaged-'));
afterAll(() => rmSync(dir, { recursive: true }));

const LINES = [
  headerOf(),
  ...eventsOf(`
    0 1 exec claude
    1 1 fork 2
    2 2 exec bash -c ls
    3 2 read /w/a
    3 2 write /w/b
    4 2 delete /w/b
    5 2 connect 10.0.0.1:443
    6 2 exit 3 cpu=4
    end`),
].map(event => ({ ...event }) as Record<string, unknown>);

async function read(lines: readonly string[]) {
  const path = join(dir, '20261101T000000Z-00c0de.0001.ndjson.gz');
  writeFileSync(path, gzipSync(lines.map(line => `${line}\n`).join('')));
  const summarizer = new Summarizer();
  const counts = await readRecording([path], event => summarizer.take(event));
  return { counts, summary: summarizer.end(), whole: await readWhole([path]) };
}

test('what is undamaged is read whole', async () => {
  const { counts, summary } = await read(LINES.map(line => JSON.stringify(line)));
  expect([counts.badLines, summary.processes.size, summary.complete]).toEqual([0, 2, true]);
});

test('property: a field of the wrong kind costs its line, or nothing where no one reads it; nothing throws', async () => {
  const wrong = fc.constantFrom(null, -1, 1e308, 8.7e15, 0.5, '', 'x', [], [1], {}, { toString: 1 }, true);
  const damage = fc.record({
    line: fc.nat(LINES.length - 1),
    field: fc.nat(30),
    drop: fc.boolean(),
    value: wrong,
  });
  await fc.assert(
    fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 4 }), async damages => {
      const lines = LINES.map(line => ({ ...line }));
      for (const { line, field, drop, value } of damages) {
        const of = lines[line] as Record<string, unknown>;
        const name = Object.keys(of)[field % Object.keys(of).length] as string;
        if (drop) delete of[name];
        else of[name] = value;
      }
      const texts = lines.map(line => JSON.stringify(line));
      const { counts, summary, whole } = await read(texts);
      expect(counts.badLines).toBe(texts.filter(text => eventOf(text) === undefined).length);
      expect(whole.read).toEqual(counts);
      const clean = (text: string) => text;
      expect(JSON.stringify(reportJson(summary, counts, clean)).length).toBeGreaterThan(0);
      expect(reportText(summary, counts, clean, false).length).toBeGreaterThan(0);
    }),
    { numRuns: 400 },
  );
});

test.each([
  ['a time past all dates', 't0_wall_ms', '1e308'],
  ['a time before 1970', 't0_wall_ms', '-1'],
  ['a time of the year 12,000', 't0_wall_ms', '316516464000000'],
  ['a number past all numbers', 't0_mono_ns', '1e999'],
])('%s makes a header none', (_, field, value) => {
  const header: Record<string, unknown> = { ...headerOf(), [field]: 'HERE' };
  expect(eventOf(JSON.stringify(header).replace('"HERE"', value))).toBeUndefined();
});

test.each([
  '[1,2]',
  'null',
  '"x"',
  '{}',
  '{"type":"proc.exec"}',
  '{"type":"constructor"}',
  '{"type":"file.moved","pid":1}',
  '{',
])('%s is no event', line => expect(eventOf(line)).toBeUndefined());
