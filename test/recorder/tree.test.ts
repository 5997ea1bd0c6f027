import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EngineName } from '../../src/recorder/events.ts';
import { liveRecorder, type Read, readBack, unusable } from './live.ts';

/** What an agent's shell may do in a minute. Every line has its truth in the tests below. */
const SCRIPT = `
set -e
git init -q repo
cd repo
echo one > a.txt
git add a.txt
git -c user.name=n -c user.email=n@example.invalid commit -qm m
cd ..
mkdir -p d/e
cd d
echo two >> ../b.txt
cat ../b.txt | tr a-z A-Z > e/c.txt
mv e/c.txt ../moved.txt
ln -s ../moved.txt soft
cat soft > copy.txt
rm soft
ln ../moved.txt hard
truncate -s 2 hard
(sleep 0.05; exit 3) & wait $! || true
bash -c 'echo x > ../inplace.txt; exec rm ../inplace.txt'
mkdir ../real && ln -s real ../alias && echo y > ../alias/through.txt
printf x > $'new\\nline\\033[31m\\377.txt'
cd ..
node net.cjs
for i in $(seq 300); do /bin/true; done
sleep 2 &
sleep 0.2
exit 7
`;

const NET = `
const http = require('node:http'), net = require('node:net'), fs = require('node:fs'), dgram = require('node:dgram');
const question = Buffer.from('0fcd01000001000000000000076578616d706c6507696e76616c69640000010001', 'hex');
const udp = dgram.createSocket('udp4');
udp.on('error', () => {});
udp.send(question, 53, '127.0.0.1', () => udp.close());
new (require('node:worker_threads').Worker)("require('node:fs').writeFileSync('thread.txt', 't')", { eval: true });
const server = http.createServer((_, answer) => answer.end('ok')).listen(0, '127.0.0.1', () => {
  fs.writeFileSync('port', String(server.address().port));
  http.get({ port: server.address().port, host: '127.0.0.1', agent: false }, answer => answer.resume().on('end', () => {
    server.close();
    const unix = net.createServer(socket => socket.end()).listen('sock', () => net.connect('sock').on('close', () => unix.close()).resume());
  }));
});
`;

const live = liveRecorder();
afterAll(() => live.remove());

const recordings = new Map<
  EngineName,
  { read: Read; code: number | null; work: string; report: string; port: number }
>();

describe.each<EngineName>(['bpf', 'strace'])('a scripted shell under %s', engine => {
  const reason = unusable(engine);
  if (reason !== undefined) {
    it.skip(`is not recorded here: ${reason}`, () => {});
    return;
  }
  let read: Read;
  let work: string;
  let report: string;

  beforeAll(async () => {
    work = join(live.dir, `work-${engine}`);
    mkdirSync(work);
    writeFileSync(join(work, 'script.sh'), SCRIPT);
    writeFileSync(join(work, 'net.cjs'), NET);
    const out = join(live.dir, `out-${engine}`);
    const { status: code, stderr } = live.run(
      ['record', '--engine', engine, '--out', out, '--', 'bash', 'script.sh'],
      work,
    );
    expect(stderr).toContain(`events by ${engine}`);
    read = await readBack(out);
    report = live.run(['report', out, '--all']).stdout;
    recordings.set(engine, { read, code, work, report, port: Number(readFileSync(join(work, 'port'), 'utf8')) });
  }, 120_000);

  const at = (path: string) => read.summary.files.get(join(work, path));
  const processes = () => [...read.summary.processes.values()];
  const argvs = () => processes().flatMap(process => process.images.map(image => image.argv.join(' ')));

  it('passes the exit code through', () => {
    expect(recordings.get(engine)!.code).toBe(7);
  });

  it('is one tree without gaps, whose header names the engine', () => {
    expect(read.header).toMatchObject({ engine: { name: engine }, root: { argv: ['bash', 'script.sh'], cwd: work } });
    expect(read.summary.gaps).toEqual([]);
    expect(read.summary).toMatchObject({ complete: true, lost: 0 });
    expect(read.summary.roots).toHaveLength(1);
    expect(read.summary.roots[0]!.pid).toBe(read.header.root.pid);
    const seqs = read.events.flatMap(event => ('seq' in event ? [event.seq] : []));
    expect(new Set(seqs).size).toBe(seqs.length);
  });

  it('has every process, with its ending', () => {
    const truth = [
      'git init -q repo',
      'git add a.txt',
      'mkdir -p d/e',
      'cat ../b.txt',
      'tr a-z A-Z',
      'mv e/c.txt ../moved.txt',
      'ln -s ../moved.txt soft',
      'rm soft',
      'seq 300',
      'node net.cjs',
    ];
    expect(argvs()).toEqual(expect.arrayContaining(truth));
    const short = processes().filter(process => process.images.at(-1)?.exe.endsWith('/true'));
    expect(short).toHaveLength(300);
    expect(
      short.every(
        process => process.code === 0 && process.signal === 0 && process.parent === read.summary.roots[0]!.key,
      ),
    ).toBe(true);
    const background = processes().find(process => process.code === 3);
    expect(background).toMatchObject({ images: [], signal: 0 });
    expect(background!.children.map(child => child.images[0]!.argv)).toEqual([['sleep', '0.05']]);
    expect(
      processes()
        .filter(process => process.alive)
        .map(process => process.images[0]?.argv),
    ).toEqual([['sleep', '2']]);
  });

  it('gives a deletion to the program that replaced the shell, in the same process', () => {
    const process = processes().find(({ images }) => images.length === 2 && images[1]!.argv[0] === 'rm');
    expect(process?.images.map(image => image.argv[0])).toEqual(['bash', 'rm']);
    const deleted = read.events.find(event => event.type === 'file.delete' && event.path === join(work, 'inplace.txt'));
    expect(deleted).toMatchObject({ pid: process!.pid, exec_id: process!.images[1]!.exec_id });
  });

  it.each([
    ['repo/a.txt', { writes: 1 }],
    ['d', { created: 1, directory: true }],
    ['d/e', { created: 1, directory: true }],
    ['b.txt', { writes: 1, reads: 1 }],
    ['d/e/c.txt', { writes: 1, renamed: 1 }],
    ['moved.txt', { renamed: 1, reads: 1 }],
    ['d/soft', { linked: 1, deleted: 1, reads: 0 }],
    ['d/copy.txt', { writes: 1 }],
    ['d/hard', { linked: 1 }],
    ['inplace.txt', { writes: 1, deleted: 1 }],
    ['real/through.txt', { writes: 1 }],
    ['thread.txt', { writes: 1 }],
    ['port', { writes: 1 }],
  ])('knows what happened to %s', (path, truth) => {
    expect(at(path)).toMatchObject(truth);
  });

  it('names the file behind a symbolic link, not the link', () => {
    expect(at('alias/through.txt')).toBeUndefined();
  });

  it('has the connections: loopback HTTP both ways, a unix socket, a name asked for', () => {
    const { port } = recordings.get(engine)!;
    const hosts = [...read.summary.hosts.values()];
    expect(hosts.find(host => host.family === 'inet' && host.port === port)).toMatchObject({
      addr: '127.0.0.1',
      connects: 1,
      failed: 0,
    });
    // Node asks for no address when it accepts, and strace sees only what the program asked for.
    const accepted = hosts
      .filter(host => host.accepted > 0)
      .map(host => `${host.family} ${host.addr} ${host.accepted}`);
    expect(accepted.sort()).toEqual(engine === 'bpf' ? ['inet 127.0.0.1 1', 'unix sock 1'] : ['other  2']);
    expect(hosts.find(host => host.family === 'unix' && host.addr === 'sock')).toMatchObject({ connects: 1, bound: 1 });
    expect([...read.summary.names.keys()]).toContain('example.invalid');
  });

  it('shows a name of newlines, escapes and broken bytes harmlessly', () => {
    expect(at('d/new\nline\x1b[31m\udcff.txt')).toMatchObject({ writes: 1 });
    expect(report).toContain('new\\nline\\x1b[31m\\xff.txt');
    expect(report).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
  });
});

describe('both engines', () => {
  it('tell the same of the same script', context => {
    const [bpf, strace] = [recordings.get('bpf'), recordings.get('strace')];
    if (bpf === undefined || strace === undefined) return context.skip('one engine cannot run here');
    const told = ({ read, work, port }: NonNullable<typeof bpf>) => ({
      argv: [...read.summary.processes.values()]
        .flatMap(process => process.images.map(image => image.argv.join(' ')))
        .sort(),
      // git's temporary names are drawn by lot, and its object names hold the time.
      files: [...read.summary.files.values()]
        .filter(file => file.path.startsWith(`${work}/`) && !/\.git\/(?:objects|t[A-Za-z0-9]{6})/.test(file.path))
        .map(({ path, reads, writes, deleted, renamed, linked }) => ({
          path: path.slice(work.length),
          // git reads a file once more where it was changed in the second in which it was last looked at.
          read: reads > 0,
          writes,
          deleted,
          renamed,
          linked,
        }))
        .sort((a, b) => (a.path < b.path ? -1 : 1)),
      connects: [...read.summary.hosts.values()]
        .filter(host => host.connects > 0)
        .map(host => `${host.addr}:${host.port === port ? 'PORT' : host.port} ${host.connects} ${host.failed}`)
        .sort(),
      endings: [...read.summary.processes.values()].map(process => `${process.code} ${process.signal}`).sort(),
    });
    expect(told(strace)).toEqual(told(bpf));
  });
});

it('the script has run whole', context => {
  const all = [...recordings.values()];
  if (all.length === 0) return context.skip('no engine can run here');
  for (const { work } of all) expect(existsSync(join(work, 'real/through.txt'))).toBe(true);
});
