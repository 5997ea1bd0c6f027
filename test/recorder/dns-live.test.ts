import { spawn, spawnSync } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EngineName } from '../../src/recorder/events.ts';
import { liveRecorder, type Read, readBack, unusable } from './live.ts';

/** A name server's own address on loopback, so that port 53 is free whoever else serves names here. */
const SERVER = '127.0.153.53';
const ANSWERED = '127.0.153.1';

/** Answers every question for an IPv4 address with ANSWERED, every other with nothing. */
function answer(question: Buffer): Buffer {
  const end = question.indexOf(0, 12) + 5;
  const asksFor4 = question.readUInt16BE(end - 4) === 1;
  const head = Buffer.from(question.subarray(0, end));
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(asksFor4 ? 1 : 0, 6);
  head.writeUInt32BE(0, 8);
  const address = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...ANSWERED.split('.').map(Number)]);
  return asksFor4 ? Buffer.concat([head, address]) : head;
}

/** By Node's own resolver (send and recvfrom); then a connection to the address that came back. */
const BY_NODE = `
const resolver = new (require('node:dns').Resolver)();
resolver.setServers(['${SERVER}']);
resolver.resolve4('service.example.invalid', (error, [address]) => {
  require('node:net').connect(9, address).on('error', () => {});
});
`;

const live = liveRecorder();
afterAll(() => live.remove());

const mayBind = await new Promise<string | undefined>(resolve => {
  const socket = createSocket('udp4');
  socket.once('error', error => resolve(error.message));
  socket.bind(53, SERVER, () => socket.close(() => resolve(undefined)));
});

describe.each<EngineName>(['bpf', 'strace'])('names asked of a real name server, under %s', engine => {
  const reason = unusable(engine) ?? mayBind;
  if (reason !== undefined) {
    it.skip(`are not tried here: ${reason}`, () => {});
    return;
  }
  let server: Socket;
  beforeAll(() => {
    server = createSocket('udp4');
    server.on('message', (question, from) => server.send(answer(question), from.port, from.address));
    return new Promise<void>(resolve => void server.bind(53, SERVER, resolve));
  });
  afterAll(() => new Promise<void>(resolve => void server.close(() => resolve())));

  /** Not spawnSync: the server lives in this process. */
  const recorded = async (name: string, more: string[], argv: string[]): Promise<Read> => {
    const out = join(live.dir, `${name}-${engine}`);
    const args = [live.program, 'record', '--quiet', '--engine', engine, ...more, '--out', out, '--', ...argv];
    const child = spawn(process.execPath, args, { cwd: live.dir, env: live.env, stdio: 'ignore' });
    await new Promise(resolve => child.on('exit', resolve));
    return readBack(out);
  };

  it('are told with their answers, and name the address that was then connected to', async () => {
    writeFileSync(join(live.dir, 'ask.cjs'), BY_NODE);
    const { summary, events } = await recorded('node', [], [process.execPath, 'ask.cjs']);
    const named = events.flatMap(event => (event.type === 'net.name' ? [event] : []));
    expect(named.map(({ name, addr, confidence }) => [name, addr, confidence])).toEqual([
      ['service.example.invalid', [], 'asked'],
      ['service.example.invalid', [ANSWERED], 'answered'],
    ]);
    const host = [...summary.hosts.values()].find(({ addr, port }) => addr === ANSWERED && port === 9);
    expect(host).toMatchObject({ connects: 1, names: ['service.example.invalid'] });
  });

  it('by the C library are told too, which asks for both kinds of addresses in one call', async context => {
    // The C library knows its server from a file: in a mount namespace of its own it is another file.
    const resolv = join(live.dir, `resolv-${engine}`);
    writeFileSync(resolv, `nameserver ${SERVER}\n`);
    const mounts = `mount --bind ${resolv} /etc/resolv.conf`;
    if (spawnSync('unshare', ['-m', 'sh', '-c', mounts]).status !== 0) return context.skip('no mount namespace here');
    const asks = `${mounts} && getent -s dns ahosts libc.example.invalid`;
    const { events } = await recorded('libc', [], ['unshare', '-m', 'sh', '-c', asks]);
    const named = events.flatMap(event => (event.type === 'net.name' ? [event] : []));
    expect(named.filter(({ confidence }) => confidence === 'asked').map(({ name }) => name)).toEqual([
      'libc.example.invalid',
      'libc.example.invalid',
    ]);
    expect(named.flatMap(({ addr }) => addr)).toEqual([ANSWERED]);
  });
});
