import { appendFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type LiveRecording, LiveRecordings } from '../../src/recorder/live.ts';
import { usageNow } from '../../src/recorder/live-usage.ts';
import { runningName } from '../../src/recorder/place.ts';
import { startOf } from '../../src/recorder/recording.ts';
import { RecordingWriter } from '../../src/recorder/writer.ts';
import { eventsOf, headerOf } from './story.ts';

const dirs: string[] = [];
afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true });
});

/** A recording under way whose recorder is this test. */
function underWay(partBytes = 1 << 20, id = '20261101T000000Z-00c0de') {
  const dir = mkdtempSync(join(tmpdir(), 'agentsight-live-'));
  dirs.push(dir);
  const writer = new RecordingWriter(headerOf(id), { dir, partBytes, totalBytes: 1 << 30 });
  const file = join(dir, runningName(id));
  writeFileSync(file, JSON.stringify({ pid: process.pid, start: startOf(process.pid) }));
  return {
    dir,
    file,
    write(story: string) {
      for (const event of eventsOf(story)) writer.line(JSON.stringify(event));
      writer.flush();
    },
  };
}

const shown = (recordings: LiveRecording[]) =>
  recordings.map(({ started, ended, failed, processes }) =>
    [
      `${started} started, ${ended} ended, ${failed} failed:`,
      ...[...processes.values()].map(({ pid, argv, hosts }) => [pid, ...argv, ...hosts].join(' ')),
    ].join(' | '),
  );

describe('recordings under way', () => {
  test('are followed as they are written: what is alive, what it is, whom it asked', async () => {
    const recording = underWay();
    const live = new LiveRecordings(recording.dir);
    expect(shown(await live.refresh())).toEqual(['0 started, 0 ended, 0 failed:']);
    recording.write('0 1 exec claude');
    expect(shown(await live.refresh())).toEqual(['1 started, 0 ended, 0 failed: | 1 claude']);
    recording.write('1 1 fork 2');
    expect(shown(await live.refresh())).toEqual(['2 started, 0 ended, 0 failed: | 1 claude | 2 claude']);
    recording.write('2 2 exec curl x\n3 2 connect 10.0.0.1:443\n3 2 connect 10.0.0.1:80\n4 1 read /w/a');
    expect(shown(await live.refresh())).toEqual(['2 started, 0 ended, 0 failed: | 1 claude | 2 curl x 10.0.0.1']);
    recording.write('5 2 exit 1');
    // What comes late brings nobody back.
    recording.write('4 2 connect 10.0.0.9:1');
    expect(shown(await live.refresh())).toEqual(['2 started, 1 ended, 1 failed: | 1 claude']);
    live.close();
  });

  test('are followed over all their parts', async () => {
    const recording = underWay(1);
    const live = new LiveRecordings(recording.dir);
    for (let pid = 2; pid < 12; pid++) {
      recording.write(`${pid} 1 fork ${pid}`);
      expect((await live.refresh())[0]?.started).toBe(pid);
    }
    expect(readdirSync(recording.dir).length).toBeGreaterThan(10);
  });

  test('are there no more when their recorder is gone, or its number is another process', async () => {
    const recording = underWay();
    const live = new LiveRecordings(recording.dir);
    recording.write('0 1 exec claude');
    expect((await live.refresh()).length).toBe(1);
    writeFileSync(recording.file, JSON.stringify({ pid: process.pid, start: 1 }));
    expect(await live.refresh()).toEqual([]);
    writeFileSync(recording.file, 'no JSON');
    expect(await live.refresh()).toEqual([]);
  });

  test('that are damaged stop there; a folder that is not there has none', async () => {
    const recording = underWay();
    const live = new LiveRecordings(recording.dir);
    recording.write('0 1 exec claude');
    await live.refresh();
    const part = readdirSync(recording.dir).find(name => name.endsWith('.gz')) as string;
    appendFileSync(join(recording.dir, part), 'this is no gzip at all');
    expect(shown(await live.refresh())).toEqual(['1 started, 0 ended, 0 failed: | 1 claude']);
    recording.write('1 1 fork 2');
    recording.write('1 1 fork 3');
    expect(shown(await live.refresh())).toEqual(['1 started, 0 ended, 0 failed: | 1 claude']);
    expect(shown(await live.refresh())).toEqual(['1 started, 0 ended, 0 failed: | 1 claude']);
    expect(await new LiveRecordings(join(recording.dir, 'nowhere')).refresh()).toEqual([]);
  });
});

describe('what the system says of a process', () => {
  const began = (startOf(process.pid) as number) * 1e7;
  test('is that of the process that was recorded, and of no other with its number', () => {
    expect(usageNow({ pid: process.pid, start_ns: began + 9e6 }, 'bpf')?.rss_kb).toBeGreaterThan(1000);
    expect(usageNow({ pid: process.pid, start_ns: began + 1e9 }, 'bpf')).toBeUndefined();
    expect(usageNow({ pid: process.pid, start_ns: began + 1e9 }, 'strace')).toBeDefined();
    expect(usageNow({ pid: process.pid, start_ns: began + 9e9 }, 'strace')).toBeUndefined();
    expect(usageNow({ pid: 4194305, start_ns: 0 }, 'bpf')).toBeUndefined();
  });
});
