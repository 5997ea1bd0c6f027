import { Buffer } from 'node:buffer';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { ASSIGNED, assertNoCanary, CANARIES, canariesIn, EMAILS, HOMES, NAMES, SHAPED } from './canaries.ts';
import { plantCanaries } from './plant.ts';

const SECRET = SHAPED[2] as (typeof SHAPED)[number];

function gzipNamed(text: string): Buffer {
  const zipped = zlib.gzipSync(text);
  zipped[3] = 8;
  return Buffer.concat([zipped.subarray(0, 10), Buffer.from('a.txt\0'), zipped.subarray(10)]);
}

describe('a canary is found however it is wrapped', () => {
  const wrappings: [how: string, wrap: (text: string) => Uint8Array | string][] = [
    ['plain', text => `a ${text} b`],
    ['without its end', text => text.slice(0, -10)],
    ['without its beginning', text => text.slice(-20)],
    ['in bytes', text => Buffer.from(text)],
    ['in UTF-16', text => Buffer.from(text, 'utf16le')],
    ['in a protobuf string', text => Buffer.concat([Buffer.from([0x32, text.length]), Buffer.from(text)])],
    ['in gzip', text => zlib.gzipSync(text)],
    [
      'in gzip after other bytes',
      text => Buffer.concat([Buffer.from('head'), zlib.gzipSync(text), Buffer.from('tail')]),
    ],
    ['in gzip with a file name', text => gzipNamed(text)],
    ['in gzip cut off', text => zlib.gzipSync(text.repeat(9)).subarray(0, -9)],
    ['in deflate', text => zlib.deflateSync(text)],
    [
      'in deflate between other bytes',
      text => Buffer.concat([Buffer.from('head'), zlib.deflateSync(text), Buffer.from('tail')]),
    ],
    ['in base64', text => `data:text/plain;base64,${Buffer.from(text).toString('base64')}`],
    ['in the middle of base64', text => Buffer.from(`{"a":"${text}"}`).toString('base64').slice(1)],
    ['in base64 of gzip', text => `<script>load("${zlib.gzipSync(`{"t":"${text}"}`).toString('base64')}")</script>`],
    ['in gzip in gzip', text => zlib.gzipSync(zlib.gzipSync(text))],
  ];
  test.each(wrappings)('%s', (_, wrap) => {
    expect(canariesIn(wrap(SECRET.text)).join()).toContain(SECRET.name);
    expect(() => assertNoCanary(wrap(SECRET.text), 'the output')).toThrow(/^the output leaks .*GitHub personal token/);
  });

  test('in percent signs, Unicode escapes and JSON', () => {
    const name = NAMES[0] as (typeof NAMES)[number];
    const escaped = name.text.replace(/./g, unit => `\\u${unit.charCodeAt(0).toString(16)}`);
    for (const text of [encodeURIComponent(name.text), escaped]) expect(canariesIn(text).join()).toContain(name.name);
  });

  test('and nothing is found where nothing is', () => {
    expect(canariesIn('prompt:debug;tool:Bash 12\n'.repeat(100))).toEqual([]);
    expect(canariesIn(zlib.gzipSync('[redacted] ~ [email]'))).toEqual([]);
  });
});

test('every canary has needles of its own inside its text', () => {
  for (const { text, needles } of CANARIES)
    for (const needle of needles) expect(text.replace(/\n/g, '')).toContain(needle.replace(/\n/g, ''));
  const all = CANARIES.flatMap(({ needles }) => [...new Set(needles)]);
  expect(new Set(all).size).toBe(all.length);
  expect(new Set(CANARIES.map(({ name }) => name)).size).toBe(CANARIES.length);
});

test('the planted histories hold every canary, for both agents, in lines of JSON', () => {
  const home = mkdtempSync(path.join(tmpdir(), 'canaries-'));
  const sessions = plantCanaries(home);
  for (const [agent, folder] of [
    ['claude-code', '.claude'],
    ['codex', '.codex'],
  ] as const) {
    const files = readdirSync(path.join(home, folder), { recursive: true, encoding: 'utf8' }).filter(name =>
      name.endsWith('.jsonl'),
    );
    expect(files).toHaveLength(sessions[agent]);
    const text = files.map(name => readFileSync(path.join(home, folder, name), 'utf8')).join('');
    const rows = text
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line));
    const words = JSON.stringify(rows);
    const missing = [...SHAPED, ...ASSIGNED, ...EMAILS, ...HOMES, ...NAMES].filter(
      ({ needles }) => !needles.every(needle => words.includes(JSON.stringify(needle).slice(1, -1))),
    );
    expect(missing).toEqual([]);
    expect(rows.every(row => typeof row.timestamp === 'string')).toBe(true);
  }
});
