import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EngineName, RecordedEvent } from '../../src/recorder/events.ts';
import { liveRecorder, type Read, readBack, unusable } from './live.ts';

/** One of each thing that the engines tell, and of each in which they differ. */
const SCRIPT = `
printf '#!/bin/sh\\nexit 4\\n' > script; chmod +x script
./script
echo a > made; echo b > made; cat made > copy
mkdir dir; mv made dir/moved; rm copy; rmdir dir 2> /dev/null
ln -s dir/moved link; cat link > /dev/null; truncate -s 1 link
ls dir > /dev/null
cat missing 2> /dev/null
( kill -9 $BASHPID )
${process.execPath} sockets.cjs
`;

const SOCKETS = `
const net = require('node:net');
const server = net.createServer(socket => socket.end('bye')).listen(0, '127.0.0.1', () => {
  const { port } = server.address();
  require('node:fs').writeFileSync('port', String(port));
  net.connect(port, '127.0.0.1').on('close', () => server.close()).resume();
});
`;

type Taken = { read: Read; work: string };
type Of<T extends RecordedEvent['type']> = Extract<RecordedEvent, { type: T }>;

const live = liveRecorder();
afterAll(() => live.remove());
const taken = new Map<EngineName, Taken>();
const reason = unusable('bpf') ?? unusable('strace');

const all = <T extends RecordedEvent['type']>({ read }: Taken, type: T): Of<T>[] =>
  read.events.filter((event): event is Of<T> => event.type === type);
const inside = ({ work }: Taken, path: string): string | undefined =>
  path.startsWith(`${work}/`) ? path.slice(work.length + 1) : undefined;
const processes = ({ read }: Taken) => [...read.summary.processes.values()];
const own = (it: Taken, type: 'file.open') => all(it, type).filter(({ path }) => inside(it, path) !== undefined);

/** In these both must say the same. */
const SAME: [string, (of: Taken) => unknown][] = [
  [
    'programs',
    of =>
      processes(of)
        .flatMap(each => each.images.map(image => image.argv[0]?.split('/').at(-1)))
        .filter(name => name !== 'script' && name !== 'sh')
        .sort(),
  ],
  [
    'endings',
    of =>
      processes(of)
        .map(({ code, signal }) => `${code} ${signal}`)
        .sort(),
  ],
  [
    'working directories',
    of => [...new Set(processes(of).flatMap(each => each.images.map(image => image.cwd === of.work)))],
  ],
  ['opens', of => own(of, 'file.open').map(({ path, access, trunc }) => [inside(of, path), access, trunc])],
  [
    'folders opened',
    of =>
      own(of, 'file.open')
        .filter(({ file_kind }) => file_kind === 'dir')
        .map(({ path }) => inside(of, path)),
  ],
  ['deletions', of => all(of, 'file.delete').map(({ path }) => inside(of, path))],
  ['folders made', of => all(of, 'file.mkdir').map(({ path }) => inside(of, path))],
  ['renames', of => all(of, 'file.rename').map(({ from, to }) => [inside(of, from), inside(of, to)])],
  ['links', of => all(of, 'file.link').map(({ from, to, symbolic }) => [from, inside(of, to), symbolic])],
  ['truncations', of => all(of, 'file.truncate').map(({ path }) => inside(of, path))],
  [
    'connections',
    of =>
      all(of, 'net.connect')
        .filter(({ family }) => family === 'inet')
        .map(({ addr, in_progress }) => [addr, in_progress]),
  ],
  ['gaps', of => of.read.summary.gaps],
];

/** In these they differ, as docs/recorder.md says: bpf, then strace. */
const DIFFERENT: [string, (of: Taken) => unknown, unknown, unknown][] = [
  [
    'argv of a script',
    of =>
      processes(of)
        .flatMap(each => each.images.map(image => image.argv))
        .filter(argv => argv.includes('./script')),
    [['/bin/sh', './script']],
    [['./script']],
  ],
  [
    'its exe',
    of =>
      processes(of)
        .flatMap(each => each.images)
        .some(({ exe }) => exe.endsWith('/script')),
    false,
    true,
  ],
  ['CPU time of each process', of => processes(of).every(({ cpu_ns }) => cpu_ns !== undefined), true, false],
  [
    'largest memory of each process',
    of => processes(of).every(({ max_rss_kb }) => max_rss_kb !== undefined),
    true,
    false,
  ],
  [
    'made was new at the first open, and not at the second',
    of =>
      own(of, 'file.open')
        .filter(({ path, access }) => path.endsWith('/made') && access === 'w')
        .map(({ creat }) => creat),
    [true, false],
    [undefined, undefined],
  ],
  [
    'how the name of an opened file came to be',
    of => [...new Set(own(of, 'file.open').map(({ path_state }) => path_state))],
    ['kernel'],
    ['kernel'],
  ],
  [
    'who was accepted',
    of => all(of, 'net.accept').map(({ family, addr }) => [family, addr]),
    [['inet', '127.0.0.1']],
    [['other', '']],
  ],
  [
    'the port that was bound without choosing one',
    of => all(of, 'net.bind').map(({ port }) => port === 0),
    [false],
    [true],
  ],
  ['kinds of sockets', of => all(of, 'net.bind').map(({ socket }) => socket), ['stream'], [undefined]],
];

describe.skipIf(reason !== undefined)(`the same script under both engines (${reason ?? 'bpf, strace'})`, () => {
  beforeAll(async () => {
    for (const engine of ['bpf', 'strace'] as const) {
      const work = join(live.dir, engine);
      mkdirSync(work);
      writeFileSync(join(work, 'script.sh'), SCRIPT);
      writeFileSync(join(work, 'sockets.cjs'), SOCKETS);
      const out = join(live.dir, `out-${engine}`);
      live.run(['record', '--engine', engine, '--out', out, '--', 'bash', 'script.sh'], work);
      taken.set(engine, { read: await readBack(out), work });
    }
  }, 60_000);

  it.each(SAME)('gives the same %s', (_, of) => {
    const [bpf, strace] = [of(taken.get('bpf')!), of(taken.get('strace')!)];
    expect(bpf).not.toEqual(_ === 'gaps' ? undefined : []);
    expect(strace).toEqual(bpf);
  });

  it.each(DIFFERENT)('differs in %s', (_, of, bpf, strace) => {
    expect([of(taken.get('bpf')!), of(taken.get('strace')!)]).toEqual([bpf, strace]);
  });
});
