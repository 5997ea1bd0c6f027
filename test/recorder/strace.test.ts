import { describe, expect, it } from 'vitest';
import type { RecordedEvent } from '../../src/recorder/events.ts';
import { StraceReader } from '../../src/recorder/strace.ts';
import { callOf, topLevel } from '../../src/recorder/strace-line.ts';

/** Text as strace prints it with -xx: what stands between « and » becomes hexadecimal. */
const xx = (text: string): string =>
  text.replace(/«([^»]*)»/g, (_, inner: string) =>
    [...Buffer.from(inner)].map(byte => `\\x${byte.toString(16).padStart(2, '0')}`).join(''),
  );

/** A line may begin with its time in seconds, where that matters. */
function read(lines: string, io = false): string[] {
  const events: RecordedEvent[] = [];
  const reader = new StraceReader('/w', 0n, event => events.push(event), io);
  for (const line of lines.trim().split('\n')) {
    const [, at = '1.000000001', pid, rest] = /^(?:(\d+\.\d+) )?(\d+) (.*)$/.exec(line.trim())!;
    reader.line(xx(`${pid} ${at} ${rest}`));
  }
  reader.end();
  return events.map(({ type, ...event }) => {
    const {
      seq: _s,
      t_ns: _t,
      start_ns: _n,
      child_start_ns: _c,
      argv_source: _a,
      path_state: _p,
      exec_id,
      pid,
      ...rest
    } = event as Record<string, unknown>;
    return `${pid}.${exec_id} ${type} ${Object.values(rest)
      .map(value => JSON.stringify(value))
      .join(' ')}`.trim();
  });
}

describe('the output of strace', () => {
  it('becomes processes, images and endings', () => {
    expect(
      read(`
        10 execve("«/bin/sh»", ["«sh»", "«-c»", "«a, b)»"], 0x5 /* 3 vars */) = 0
        10 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD) = 11
        11 execve("«./x»", ["«./x»"], 0x5 /* 3 vars */) = -1 ENOENT (No such file or directory)
        11 execve("«/usr/bin/x»", ["«x»"], 0x5 /* 3 vars */) = 0
        11 +++ exited with 3 +++
        10 +++ killed by SIGKILL +++`),
    ).toEqual([
      '10.1 proc.exec "/bin/sh" ["sh","-c","a, b)"] "/w"',
      '10.1 proc.fork 11',
      '11.1 proc.exec "/usr/bin/x" ["x"] "/w"',
      '11.1 proc.exit 3 0',
      '10.1 proc.exit 0 9',
    ]);
  });

  it('waits with a child until its parent is known, and joins halves of lines', () => {
    expect(
      read(`
        10 vfork( <unfinished ...>
        11 execve("«/bin/x»", ["«x»"], 0x5) = 0
        11 openat(AT_FDCWD<«/w»>, "«f»", O_WRONLY|O_CREAT|O_TRUNC, 0666 <unfinished ...>
        10 <... vfork resumed>) = 11
        11 <... openat resumed>) = 3<«/w/f»>`),
    ).toEqual([
      '10.0 proc.fork 11',
      '11.1 proc.exec "/bin/x" ["x"] "/w"',
      '11.1 file.open "/w/f" "w" true 3',
      '10.0 proc.alive',
      '11.1 proc.alive',
    ]);
  });

  it('counts threads as their process', () => {
    expect(
      read(`
        10 clone3({flags=CLONE_VM|CLONE_THREAD, child_tid=0x1}, 88) = 12
        12 unlink("«gone»") = 0
        12 +++ exited with 0 +++
        10 +++ exited with 0 +++`),
    ).toEqual(['10.0 file.delete "/w/gone"', '10.0 proc.exit 0 0']);
  });

  it('resolves names against the working directory and descriptors of the moment', () => {
    expect(
      read(`
        10 chdir("«sub»") = 0
        10 mkdir("«d»", 0777) = 0
        10 renameat2(AT_FDCWD<«/w/sub»>, "«d»", 5<«/else»>, "«../e»", RENAME_NOREPLACE) = 0
        10 symlink("«../t»", "«s»") = 0
        10 unlinkat(5<«/else»>, "«x»", AT_REMOVEDIR) = 0
        10 openat(AT_FDCWD<«/w/sub»>, "«no»", O_RDONLY) = -1 ENOENT (No such file or directory)
        10 +++ exited with 0 +++`),
    ).toEqual([
      '10.0 file.mkdir "/w/sub/d"',
      '10.0 file.rename "/w/sub/d" "/e"',
      '10.0 file.link "../t" "/w/sub/s" true',
      '10.0 file.delete "/else/x" "dir"',
      '10.0 proc.exit 0 0',
    ]);
  });

  it('reads connections and the names asked for over them', () => {
    expect(
      read(`
        10 connect(3<«socket:[1]»>, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("«10.0.0.2»")}, 16) = 0
        10 sendmmsg(3<«socket:[1]»>, [{msg_hdr={msg_name=NULL, msg_iov=[{iov_base="\\x0f\\xcd\\x01\\x00\\x00\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x01\\x61\\x02\\x62\\x63\\x00\\x00\\x01\\x00\\x01", iov_len=22}], msg_iovlen=1}, msg_len=22}], 1, 0) = 1
        10 connect(4<«socket:[2]»>, {sa_family=AF_UNIX, sun_path="«/s»"}, 110) = -1 ENOENT (No such file or directory)
        10 accept4(5<«socket:[3]»>, {sa_family=AF_INET6, sin6_port=htons(80), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, "«::1»", &sin6_addr), sin6_scope_id=0}, [28], 0) = 6
        10 +++ exited with 0 +++`),
    ).toEqual([
      '10.0 net.connect "inet" "10.0.0.2" 53 0 1',
      '10.0 net.name "a.bc" [] "dns" "asked"',
      '10.0 net.connect "unix" "/s" -2 2',
      '10.0 net.accept "inet6" "::1" 80 6',
      '10.0 proc.exit 0 0',
    ]);
  });

  it('reads with --io how long an answer took, in a line of its own or resumed', () => {
    const lines = read(
      `
        1.000000000 10 socket(AF_INET, SOCK_STREAM|SOCK_CLOEXEC, IPPROTO_TCP) = 3<«socket:[7]»> <0.000010>
        1.100000000 10 connect(3<«socket:[7]»>, {sa_family=AF_INET, sin_port=htons(5432), sin_addr=inet_addr("«10.0.0.2»")}, 16) = -1 EINPROGRESS (Operation now in progress) <0.000100>
        1.200000000 10 getsockopt(3<«socket:[7]»>, SOL_SOCKET, SO_ERROR, [0], [4]) = 0 <0.000010>
        1.300000000 10 write(3<«socket:[7]»>, "«select»", 6) = 6 <0.001000>
        1.400000000 10 epoll_wait(5<«anon_inode:[eventpoll]»>, [{events=EPOLLIN, data=0x7}], 8, -1 <unfinished ...>
        1.421000000 10 <... epoll_wait resumed>) = 1 <0.020000>
        1.422000000 10 recvfrom(3<«socket:[7]»>, "«on»", 1024, MSG_PEEK, NULL, NULL) = 2 <0.000010>
        1.430000000 10 read(3<«socket:[7]»>, "«one»", 1024) = 3 <0.000000>
        1.440000000 10 write(1<«/dev/pts/0»>, "«one»", 3) = 3 <0.000000>
        1.450000000 10 close(3<«socket:[7]»>) = 0 <0.000010>
        1.500000000 10 +++ exited with 0 +++`,
      true,
    );
    expect(lines.slice(1)).toEqual([
      '10.0 net.exchange "inet" "10.0.0.2" 5432 7 1 1300000000 1301000000 6 3 1430000000 1430000000 20000000',
      '10.0 net.io "inet" "10.0.0.2" 5432 7 "client" "stream" 1100000000 100000000 6 3 1 1 1 20000000 0 "closed"',
      '10.0 proc.exit 0 0',
    ]);
  });

  it('splits arguments outside brackets only, and takes nothing else for a call', () => {
    expect(topLevel('1, [2, {3, 4}], f(5, 6)')).toEqual(['1', '[2, {3, 4}]', 'f(5, 6)']);
    expect(callOf('--- SIGTERM {si_signo=SIGTERM} ---')).toBeUndefined();
    expect(callOf('exit_group(3) = ?')).toBeUndefined();
    expect(callOf('close(3)                          = 0')).toMatchObject({ name: 'close', ret: 0 });
  });
});
