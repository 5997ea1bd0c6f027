import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EngineName, NetExchange, NetIo } from '../../src/recorder/events.ts';
import { liveRecorder, type Read, readBack, unusable } from './live.ts';

/**
 * A service outside of the recorded tree. It answers `hold MS BYTES` after so long with so many bytes, and writes down what it did:
 * the truth that the recording is held against. On one port it speaks first.
 */
const SERVICE = `
const net = require('node:net'), dgram = require('node:dgram'), fs = require('node:fs');
const truth = [];
const serve = (key, greets) => socket => {
  const told = { key, got: 0, gave: 0, held: [] };
  truth.push(told);
  const give = bytes => { told.gave += bytes; socket.write('x'.repeat(bytes)); };
  if (greets) setTimeout(() => give(7), 60);
  socket.on('error', () => {});
  socket.on('data', data => {
    told.got += data.length;
    const [, ms, bytes] = /hold (\\d+) (\\d+)/.exec(data) ?? [];
    if (ms === undefined) return;
    const from = process.hrtime.bigint();
    setTimeout(() => { told.held.push(Number(process.hrtime.bigint() - from)); give(Number(bytes)); }, Number(ms));
  });
};
const ports = {};
const tcp = (key, greets) => new Promise(done => {
  const server = net.createServer(serve(key, greets)).listen(0, '127.0.0.1', () => { ports[key] = server.address().port; done(); });
});
const udp = dgram.createSocket('udp4');
udp.on('message', (data, from) => {
  const told = { key: 'udp', got: data.length, gave: 3, held: [] };
  truth.push(told);
  const began = process.hrtime.bigint();
  setTimeout(() => { told.held.push(Number(process.hrtime.bigint() - began)); udp.send('xyz', from.port, from.address); }, 30);
});
udp.bind(0, '127.0.0.1', async () => {
  ports.udp = udp.address().port;
  for (const key of ['blocking', 'loop', 'tls', 'plain']) await tcp(key, false);
  await tcp('greeting', true);
  net.createServer(serve('unix', false)).listen('db.sock', () => {
    fs.writeFileSync('ports.tmp', JSON.stringify(ports));
    fs.renameSync('ports.tmp', 'ports.json');
  });
});
process.stdin.resume().on('end', () => { fs.writeFileSync('truth.json', JSON.stringify(truth)); process.exit(); });
`;

/** Calls that block, by the plainest of means; send() is a call of its own, syswrite is plain write(). */
const BLOCKING = `
use strict; use Socket; use IO::Handle;
my ($blocking, $greeting, $udp, $tls, $plain, $hello) = @ARGV;
sub dial { my ($port, $type) = @_; socket(my $s, PF_INET, $type // SOCK_STREAM, 0) or die; connect($s, sockaddr_in($port, inet_aton('127.0.0.1'))) or die; $s }
sub take { my ($s, $want) = @_; my $have = 0; while ($have < $want) { recv($s, my $b, 65536, 0); last unless length $b; $have += length $b } $have }
my $s = dial($blocking);
send($s, "hold 80 5000", 0); take($s, 5000);
send($s, "hold 20 10", 0); take($s, 10);
send($s, "bye", 0);
close $s;
$s = dial($greeting); take($s, 7); send($s, "hold 10 4", 0); take($s, 4); close $s;
$s = dial($udp, SOCK_DGRAM); send($s, "ask", 0); recv($s, my $b, 100, 0); close $s;
socket($s, PF_UNIX, SOCK_STREAM, 0) or die; connect($s, sockaddr_un('db.sock')) or die;
syswrite($s, "hold 30 6"); sysread($s, $b, 6); close $s;
$s = dial($tls); send($s, pack('H*', $hello), 0); close $s;
$s = dial($plain); syswrite($s, pack('H*', $hello =~ s/6578616d706c65/7772697474656e/r)); close $s;
socketpair(my $one, my $two, PF_UNIX, SOCK_STREAM, 0) or die; syswrite($one, "pipe"); sysread($two, $b, 4);
`;

/** Two answers waited for at once in one event loop. */
const LOOP = `
const net = require('node:net');
for (const ms of [60, 120]) {
  const socket = net.connect(Number(process.argv[2]), '127.0.0.1', () => socket.write('hold ' + ms + ' 9'));
  socket.once('data', () => socket.end());
}
`;

/** A ClientHello with the server name example.invalid and nothing else of interest. */
const HELLO = (() => {
  const name = Buffer.from('example.invalid');
  const sni = Buffer.concat([Buffer.from([0, 0, 0, name.length + 5, 0, name.length + 3, 0, 0, name.length]), name]);
  const body = Buffer.concat([
    Buffer.from([3, 3]),
    Buffer.alloc(32, 7),
    Buffer.from([0, 0, 2, 0x13, 1, 1, 0, 0, sni.length]),
    sni,
  ]);
  const message = Buffer.concat([Buffer.from([1, 0, 0, body.length]), body]);
  return Buffer.concat([Buffer.from([22, 3, 1, 0, message.length]), message]).toString('hex');
})();

interface Told {
  key: string;
  got: number;
  gave: number;
  held: number[];
}

const live = liveRecorder();
afterAll(() => live.remove());

describe.each<EngineName>(['bpf', 'strace'])('--io under %s', engine => {
  const reason = unusable(engine) ?? (spawnSync('perl', ['-e', 'use Socket']).status === 0 ? undefined : 'no perl');
  if (reason !== undefined) {
    it.skip(`measures nothing here: ${reason}`, () => {});
    return;
  }
  let ports: Record<string, number>;
  let truth: Told[];
  let read: Read;
  let without: Read;
  let report: string;

  /** The script against a service of its own, recorded. */
  const taken = async (name: string, more: string[]) => {
    const work = join(live.dir, `${name}-${engine}`);
    const out = join(work, 'out');
    mkdirSync(work);
    for (const [file, text] of [
      ['service.cjs', SERVICE],
      ['blocking.pl', BLOCKING],
      ['loop.cjs', LOOP],
    ] as const)
      writeFileSync(join(work, file), text);
    const service = spawn(process.execPath, ['service.cjs'], { cwd: work, stdio: ['pipe', 'ignore', 'inherit'] });
    const ended = new Promise(resolve => service.on('exit', resolve));
    while (!existsSync(join(work, 'ports.json'))) await delay(20);
    const ports: Record<string, number> = JSON.parse(readFileSync(join(work, 'ports.json'), 'utf8'));
    const { blocking, greeting, udp, tls, plain, loop } = ports;
    const script = `perl blocking.pl ${blocking} ${greeting} ${udp} ${tls} ${plain} ${HELLO}; ${process.execPath} loop.cjs ${loop}`;
    const { status } = live.run(
      ['record', ...more, '--engine', engine, '--out', out, '--', 'bash', '-c', script],
      work,
    );
    service.stdin.end();
    await ended;
    expect(status).toBe(0);
    const truth: Told[] = JSON.parse(readFileSync(join(work, 'truth.json'), 'utf8'));
    return { ports, truth, out, read: await readBack(out) };
  };

  beforeAll(async () => {
    const measured = await taken('with', ['--io']);
    ({ ports, truth, read } = measured);
    report = live.run(['report', measured.out]).stdout;
    without = (await taken('without', [])).read;
  }, 120_000);

  const addressOf = (key: string) => (key === 'unix' ? { addr: 'db.sock' } : { addr: '127.0.0.1', port: ports[key] });
  const fits = (key: string) => (event: NetExchange | NetIo) => {
    const { addr, port } = { port: undefined, ...addressOf(key) };
    return event.addr === addr && event.port === port;
  };
  const exchanges = (key: string) =>
    read.events.flatMap(event => (event.type === 'net.exchange' && fits(key)(event) ? [event] : []));
  const ios = (key: string) =>
    read.events.flatMap(event => (event.type === 'net.io' && fits(key)(event) ? [event] : []));

  it('says so in its header, and is off unless asked for', () => {
    expect(read.header.caps.bytes).toBe(true);
    expect(without.header.caps.bytes).toBe(false);
    expect(Object.keys(without.summary.counts).filter(type => type === 'net.io' || type === 'net.exchange')).toEqual(
      [],
    );
    expect(read.summary.gaps).toEqual([]);
  });

  it.each(['blocking', 'greeting', 'udp', 'unix', 'loop'])('counts the bytes of %s as the service did', key => {
    const told = truth.filter(each => each.key === key);
    const sum = (list: number[]) => list.reduce((a, b) => a + b, 0);
    expect(ios(key).length).toBe(told.length);
    expect({ sent: sum(ios(key).map(io => io.sent)), received: sum(ios(key).map(io => io.received)) }).toEqual({
      sent: sum(told.map(each => each.got)),
      received: sum(told.map(each => each.gave)),
    });
    expect(ios(key).every(io => io.role === 'client' && io.ended === 'closed')).toBe(true);
  });

  it.each(['blocking', 'greeting', 'udp', 'unix', 'loop'])('sees no answer of %s sooner than it was given', key => {
    const answered = exchanges(key).filter(({ first_ns, sent }) => first_ns !== undefined && sent > 0);
    const held = truth.filter(each => each.key === key).flatMap(each => each.held);
    const took = answered.map(({ from_ns, first_ns }) => first_ns! - from_ns).sort((a, b) => a - b);
    expect(took.length).toBe(held.length);
    for (const [at, least] of held.sort((a, b) => a - b).entries()) expect(took[at]).toBeGreaterThanOrEqual(least);
    for (const { asked_ns, first_ns, blocked_ns } of answered) {
      expect(blocked_ns).toBeGreaterThan(0);
      expect(blocked_ns).toBeLessThanOrEqual(first_ns! - asked_ns);
    }
  });

  it('tells questions apart, with one that nobody answered', () => {
    expect(exchanges('blocking').map(({ n, sent, received }) => [n, sent, received])).toEqual([
      [1, 12, 5000],
      [2, 10, 10],
      [3, 3, 0],
    ]);
    expect(exchanges('blocking')[2]!.first_ns).toBeUndefined();
    expect(exchanges('greeting').map(({ sent, received }) => [sent, received])).toEqual([
      [0, 7],
      [9, 4],
    ]);
  });

  it('marks waiting that two connections share, and does not count it twice', () => {
    const both = exchanges('loop');
    expect(both.map(({ shared }) => shared)).toEqual([true, true]);
    const [short, long] = ios('loop').sort((a, b) => a.blocked_ns - b.blocked_ns);
    expect(short!.shared_ns).toBe(0);
    expect(long!.shared_ns).toBeGreaterThan(0);
    const ends = both.map(({ first_ns }) => first_ns!);
    const begins = both.map(({ asked_ns }) => asked_ns);
    const claimed = short!.blocked_ns + long!.blocked_ns - long!.shared_ns;
    expect(claimed).toBeLessThanOrEqual(Math.max(...ends) - Math.min(...begins));
  });

  it('leaves out pipes between a program and itself', () => {
    const names = read.events.flatMap(event => (event.type === 'net.io' ? [event.addr] : []));
    expect(new Set(names)).toEqual(new Set(['127.0.0.1', 'db.sock']));
  });

  it('reads the server name of a TLS greeting: sent by send() always, by write() with --io', () => {
    const namedIn = ({ events }: Read) => events.flatMap(event => (event.type === 'net.name' ? [event] : []));
    expect(namedIn(without).map(({ name }) => name)).toEqual(['example.invalid']);
    expect(namedIn(read).map(({ name, addr, source, confidence }) => [name, addr, source, confidence])).toEqual([
      ['example.invalid', ['127.0.0.1'], 'sni', 'sent'],
      ['written.invalid', ['127.0.0.1'], 'sni', 'sent'],
    ]);
    expect(exchanges('tls').map(({ handshake }) => handshake)).toEqual([true]);
    expect(exchanges('plain').map(({ handshake }) => handshake)).toEqual([true]);
  });

  it('shows it in the report', () => {
    expect(report).toMatch(/2 exchanges, 1 unanswered, sent 25 B, received 5\.0 kB, .*first byte after .* waited /);
    expect(report).toContain('(example.invalid, written.invalid)');
  });
});
