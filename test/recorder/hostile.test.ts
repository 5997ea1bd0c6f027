import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EngineName, RecordedEvent } from '../../src/recorder/events.ts';
import { harmlessJson } from '../../src/recorder/printable.ts';
import { reportJson, reportText } from '../../src/recorder/report.ts';
import { Summarizer } from '../../src/recorder/summary.ts';
import { liveRecorder, type Read, readBack, unusable } from './live.ts';

/** All that a terminal could act on, or that makes one line look like two or run backwards. */
const HARMFUL = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;

const hostile = fc.oneof(
  fc.constantFrom(
    '\x1b[2J\x1b]0;title\x07',
    'a\nprocesses\n  1 forged  [exit 0]',
    '\u202egpj.exe',
    '\udcff\udc80',
    '\ud800',
    '__proto__',
    'constructor',
    '\0',
    '',
    `/${'d'.repeat(4094)}`,
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
);

/** A recording whose every word was chosen by somebody with bad intentions. */
const recording = fc
  .record({ one: hostile, two: hostile, three: hostile, four: hostile })
  .map(({ one, two, three, four }): RecordedEvent[] => {
    const doer = { t_ns: 1, pid: 1, start_ns: 1, exec_id: 1 };
    const state = { path_state: 'kernel' as const };
    const address = { family: 'unix' as const, addr: one };
    const inet = { family: 'inet' as const, addr: '10.0.0.1', port: 443 };
    const events = [
      { ...doer, type: 'proc.exec', exe: one, argv: [two, three], cwd: four, argv_source: 'bpf' },
      { ...doer, type: 'proc.seen', parent_pid: 0, exe: two, argv: [one], cwd: three },
      { ...doer, ...state, type: 'file.open', path: one, access: 'w', trunc: true, creat: true, ret: 3 },
      { ...doer, ...state, type: 'file.delete', path: two },
      { ...doer, ...state, type: 'file.mkdir', path: `/${three}` },
      { ...doer, ...state, type: 'file.rename', from: three, to: four },
      { ...doer, ...state, type: 'file.link', from: four, to: one, symbolic: true },
      { ...doer, ...address, type: 'net.connect', ret: 0 },
      { ...doer, ...inet, type: 'net.connect', ret: 0 },
      { ...doer, type: 'net.name', name: two, addr: ['10.0.0.1'], source: 'sni', confidence: 'sent' },
      { ...doer, type: 'net.name', name: three, addr: ['10.0.0.1'], source: 'dns', confidence: 'answered' },
    ];
    return events.map((event, at) => ({ seq: at + 1, ...event }) as RecordedEvent);
  });

const same = (text: string): string => text;

describe('a report of hostile names', () => {
  it('has no character that a terminal acts on, and no line that a name has forged', () => {
    fc.assert(
      fc.property(recording, events => {
        const summarizer = new Summarizer();
        for (const event of events) summarizer.take(event);
        const summary = summarizer.end();
        const counts = { badLines: 0, cutParts: 0 };
        const text = reportText(summary, counts, same, true);
        const json = harmlessJson(reportJson(summary, counts, same));
        expect(text).not.toMatch(HARMFUL);
        expect(json).not.toMatch(HARMFUL);
        // A name may say anything, but not begin a line: what begins one is the report's own.
        expect(text.split('\n').filter(line => line === 'processes' || /^ {2}1 forged/.test(line))).toEqual([
          'processes',
        ]);
        expect(Math.max(...text.split('\n').map(line => line.length))).toBeLessThan(2000);
        expect(JSON.parse(json).files.map((file: { path: string }) => file.path)).toEqual([...summary.files.keys()]);
      }),
    );
  });
});

const SCRIPT = `
mkdir $'dir\\n\\033[2J'; cd $'dir\\n\\033[2J'
cp "$(type -P true)" $'prog\\033]0;x\\007\\377'
./$'prog\\033]0;x\\007\\377' $'one\\ntwo' $'\\342\\200\\256evil' $'\\377\\376'
echo x > $'a\\033[31m'; mv $'a\\033[31m' $'b\\r\\n'; rm $'b\\r\\n'
perl -e 'use Socket; socket(my $s, PF_UNIX, SOCK_STREAM, 0); bind($s, sockaddr_un("so\\x1b[1mck\\n"))'
`;

const live = liveRecorder();
afterAll(() => live.remove());

describe.each<EngineName>(['bpf', 'strace'])('a script of hostile names under %s', engine => {
  const reason = unusable(engine);
  if (reason !== undefined) {
    it.skip(`is not recorded here: ${reason}`, () => {});
    return;
  }
  let read: Read;
  let work: string;
  let reports: string[];
  beforeAll(async () => {
    work = join(live.dir, engine);
    mkdirSync(work);
    writeFileSync(join(work, 'script.sh'), SCRIPT);
    const out = join(live.dir, `out-${engine}`);
    live.run(['record', '--engine', engine, '--out', out, '--', 'bash', 'script.sh'], work);
    read = await readBack(out);
    reports = [live.run(['report', out, '--all']).stdout, live.run(['report', out, '--json']).stdout];
  }, 60_000);

  it('keeps every byte of them', () => {
    const at = join(work, 'dir\n\x1b[2J');
    const hostile = [...read.summary.processes.values()]
      .flatMap(({ images }) => images)
      .find(({ argv }) => argv[1] === 'one\ntwo');
    expect(hostile).toMatchObject({
      exe: `${at}/prog\x1b]0;x\x07\udcff`,
      argv: ['./prog\x1b]0;x\x07\udcff', 'one\ntwo', '\u202eevil', '\udcff\udcfe'],
      cwd: at,
    });
    expect(read.summary.files.get(`${at}/b\r\n`)).toMatchObject({ renamed: 1, deleted: 1 });
    expect([...read.summary.hosts.values()].map(({ addr }) => addr)).toContain('so\x1b[1mck\n');
  });

  it('reports them harmlessly, for people and for programs', () => {
    const [text, json] = reports;
    expect(text).not.toMatch(HARMFUL);
    expect(json).not.toMatch(HARMFUL);
    expect(text).toContain('prog\\x1b]0;x\\x07\\xff one\\ntwo \\u202eevil \\xff\\xfe');
    expect(JSON.parse(json!).schema).toBe('agentpprof.recording-report/1');
  });
});
