import { redactArguments } from '../privacy/arguments.ts';
import { counted } from '../trace/counted.ts';
import { duration, ioJson, ioText } from './io-summary.ts';
import { textName } from './place.ts';
import { printable } from './printable.ts';
import type { ReadCounts } from './reader.ts';
import type { FileRecord, HostRecord, Image, ProcessRecord, RecordingSummary } from './summary.ts';

type Clean = (text: string) => string;

/** `agentpprof.recording-report/1`: everything the text shows, uncut. `clean` takes secrets and homes out of every string. */
export function reportJson(summary: RecordingSummary, read: ReadCounts, clean: Clean): object {
  const { header } = summary;
  return {
    schema: 'agentpprof.recording-report/1',
    recording: header && {
      ...header,
      root: { ...header.root, argv: redactArguments(header.root.argv, clean), cwd: clean(header.root.cwd) },
    },
    complete: summary.complete,
    lost: summary.lost,
    bad_lines: read.badLines,
    cut_parts: read.cutParts,
    duration_ns: summary.last_ns - summary.first_ns,
    counts: summary.counts,
    peak: summary.peak.rss_kb > 0 ? { ...summary.peak, t_ns: summary.peak.t_ns - summary.first_ns } : undefined,
    processes: [...summary.processes.values()].map(process => ({
      key: process.key,
      pid: process.pid,
      parent: process.parent,
      images: process.images.map(image => ({
        ...image,
        exe: clean(image.exe),
        argv: redactArguments(image.argv, clean),
        cwd: clean(image.cwd),
      })),
      began_ns: process.began_ns - summary.first_ns,
      ended_ns: process.ended_ns === undefined ? undefined : process.ended_ns - summary.first_ns,
      code: process.code,
      signal: process.signal,
      cpu_ns: process.cpu_ns,
      max_rss_kb: process.max_rss_kb,
      alive: process.alive,
    })),
    files: [...summary.files.values()].map(file => ({ ...file, path: clean(file.path) })),
    network: [...summary.hosts.values()].map(host => ({
      ...host,
      addr: host.family === 'unix' ? clean(host.addr) : host.addr,
      io: host.io && ioJson(host.io),
    })),
    names: Object.fromEntries([...summary.names].map(([name, addresses]) => [name, [...addresses]])),
    tls:
      summary.tls.messages + summary.tls.probes.length === 0
        ? undefined
        : { ...summary.tls, probes: summary.tls.probes.map(clean), rows: [...summary.tls.rows.values()] },
    gaps: summary.gaps.map(gap => (gap.what === undefined ? gap : { ...gap, what: clean(gap.what) })),
  };
}

/**
 * The report for a person. Every name is made harmless; long lists are cut with their count. `calls`: lines about tool calls,
 * for between the head and the processes.
 */
export function reportText(
  summary: RecordingSummary,
  read: ReadCounts,
  clean: Clean,
  all: boolean,
  calls: readonly string[] = [],
): string {
  const { header, peak } = summary;
  const name = (text: string, widest?: number): string => printable(clean(text), widest);
  const out: string[] = [];
  if (header !== undefined) {
    const { engine } = header;
    out.push(
      `recording ${name(header.id)}  ${new Date(header.t0_wall_ms).toISOString()}  engine ${name(engine.name)}  kernel ${name(header.kernel)}`,
    );
    for (const reason of engine.fell_back ?? []) out.push(`  not ${name(reason)}`);
    const { comm, cgroup } = header.filters;
    if (comm !== undefined) out.push(`  every process called ${name(comm)}`);
    else if (cgroup !== undefined) out.push(`  every process of control group ${name(cgroup)}`);
    else out.push(`  ${name(redactArguments(header.root.argv, clean).join(' '))}  in ${name(header.root.cwd)}`);
  }
  const forks = [...summary.processes.values()];
  const failed = forks.filter(({ code, signal }) => (code ?? 0) !== 0 || (signal ?? 0) !== 0).length;
  const cpu = forks.reduce((sum, { cpu_ns }) => sum + (cpu_ns ?? 0), 0);
  out.push(
    `  ${counted(forks.length, 'process', 'processes')} (${failed} ended with an error), ${counted(summary.files.size, 'file')}, ${counted(summary.hosts.size, 'address', 'addresses')}, ${duration(summary.last_ns - summary.first_ns)}${cpu > 0 ? `, CPU ${duration(cpu)}` : ''}${peak.rss_kb > 0 ? `, at most ${megabytes(peak.rss_kb)} resident at once` : ''}`,
  );
  out.push('', ...calls, 'processes');
  const tree: string[] = [];
  const unended = summary.complete ? 'still running' : 'not seen to end';
  for (const root of summary.roots)
    drawTree(root, 0, tree, unended, ({ argv, exe }) => name(redactArguments(argv, clean).join(' ') || exe, 160));
  out.push(...limited(tree, 400));
  out.push(
    '',
    ...files(summary, name, all),
    ...network([...summary.hosts.values()], summary, name),
    ...tlsLines(summary, name),
    ...gapLines(summary, read, name),
  );
  return `${out.join('\n')}\n`;
}

function drawTree(
  root: ProcessRecord,
  level: number,
  out: string[],
  unended: string,
  shown: (image: Image) => string,
): void {
  // A stack of our own: a chain of 10,000 forks must not end ours.
  const todo: [ProcessRecord, number][] = [[root, level]];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const [process, depth] = next;
    const indent = '  '.repeat(Math.min(depth, 40) + 1);
    const end = process.alive ? unended : process.signal ? `signal ${process.signal}` : `exit ${process.code}`;
    const cpu = process.cpu_ns === undefined ? '' : `, CPU ${duration(process.cpu_ns)}`;
    const memory = process.max_rss_kb === undefined ? '' : `, peak ${megabytes(process.max_rss_kb)}`;
    const what = process.images.length === 0 ? '(fork)' : process.images.map(shown).join('  => ');
    out.push(`${indent}${process.pid} ${what}  [${end}${cpu}${memory}]`);
    for (let at = process.children.length - 1; at >= 0; at--) todo.push([process.children[at]!, depth + 1]);
  }
}

function files(summary: RecordingSummary, name: (text: string) => string, all: boolean): string[] {
  const cwd = summary.header?.root.cwd ?? '/';
  const inside = (path: string): boolean => path === cwd || path.startsWith(cwd === '/' ? '/' : `${cwd}/`);
  const changed: FileRecord[] = [];
  const readOnly: FileRecord[] = [];
  let elsewhere = 0;
  for (const file of summary.files.values()) {
    if (file.writes + file.created + file.deleted + file.renamed + file.linked > 0) {
      if (all || !file.path.startsWith('/dev/')) changed.push(file);
    } else if (all || inside(file.path)) readOnly.push(file);
    else elsewhere++;
  }
  const word = (file: FileRecord): string => {
    const parts: [number, string][] = [
      [file.created, 'created'],
      [file.writes, 'written'],
      [file.reads, 'read'],
      [file.renamed, 'renamed'],
      [file.linked, 'linked'],
      [file.deleted, 'deleted'],
    ];
    return parts
      .filter(([count]) => count > 0)
      .map(([count, text]) => (count === 1 ? text : `${text} ${count}`))
      .join(', ');
  };
  const line = (file: FileRecord): string =>
    `  ${name(file.path)}${file.directory ? '/' : ''}${file.truncatedName ? ' (name cut)' : ''}  ${word(file)}`;
  const out = [
    `files changed: ${changed.length}`,
    ...limited(changed.map(line), 200),
    '',
    `files only read: ${readOnly.length}${elsewhere > 0 ? `, and ${elsewhere} outside the working directory (--all)` : ''}`,
  ];
  return [...out, ...limited(readOnly.map(line), 100), ''];
}

function network(hosts: HostRecord[], summary: RecordingSummary, name: (text: string) => string): string[] {
  const out = [`network: ${counted(hosts.length, 'address', 'addresses')}`];
  for (const host of hosts) {
    const names = host.names.length > 0 ? ` (${host.names.map(each => name(each)).join(', ')})` : '';
    const at =
      host.family === 'inet6'
        ? `[${host.addr}]:${host.port}`
        : host.family === 'inet'
          ? `${host.addr}:${host.port}`
          : `${host.family} ${name(host.addr) || '(unnamed)'}`;
    const parts = [
      host.connects > 0 ? `connected ${host.connects}` : '',
      host.failed > 0 ? `failed ${host.failed}` : '',
      host.accepted > 0 ? `accepted ${host.accepted}` : '',
      host.bound > 0 ? `bound ${host.bound}` : '',
    ];
    out.push(`  ${at}${names}  ${parts.filter(Boolean).join(', ')}`);
    if (host.io !== undefined) out.push(`    ${ioText(host.io)}`);
  }
  const asked = [...summary.names.keys()];
  if (asked.length > 0) out.push(`  names asked for: ${asked.map(each => name(each)).join(', ')}`);
  return [...limited(out, 200), ''];
}

function tlsLines({ header, tls }: RecordingSummary, name: (text: string) => string): string[] {
  if (tls.messages === 0) return [];
  const out = [
    `messages inside TLS: ${tls.messages}, ${counted(tls.redacted, 'secret')} taken out; text in ${name(textName(header?.id ?? ''))}`,
  ];
  for (const { dir, host, start, count, bytes } of tls.rows.values())
    out.push(
      `  ${dir === 'sent' ? 'to' : 'from'} ${name(host) || '?'}  ${name(start)}  ${counted(count, 'time')}, ${counted(bytes, 'byte')}`,
    );
  return [...limited(out, 100), ''];
}

function gapLines(summary: RecordingSummary, read: ReadCounts, name: (text: string) => string): string[] {
  const out: string[] = [];
  const byReason = new Map<string, number>();
  for (const gap of summary.gaps) byReason.set(gap.reason, (byReason.get(gap.reason) ?? 0) + gap.count);
  for (const [reason, count] of byReason) {
    out.push(`  ${GAPS[reason] ?? printable(reason)}: ${count}`);
    const about = new Set(summary.gaps.flatMap(gap => (gap.reason === reason && gap.what ? [gap.what] : [])));
    out.push(
      ...limited(
        [...about].map(what => `    ${name(what)}`),
        20,
      ),
    );
  }
  if (!summary.complete && !byReason.has('engine_exit'))
    out.push('  the recording has no end: the recorder was killed, or is still running');
  if (read.badLines + read.cutParts > 0)
    out.push(`  ${counted(read.badLines, 'unreadable line')}, ${counted(read.cutParts, 'part')} cut off`);
  const alive = [...summary.processes.values()].filter(process => process.alive).length;
  if (alive > 0)
    out.push(
      `  ${counted(alive, 'process', 'processes')} ${summary.complete ? 'still running at the end' : 'not seen to end'}`,
    );
  const never = (summary.header?.gaps ?? []).map(each => printable(each)).join('; ');
  return [
    'gaps',
    ...(out.length > 0 ? out : ['  none']),
    ...(never === '' ? [] : [`  never seen by this engine: ${never}`]),
  ];
}

const GAPS: Readonly<Record<string, string>> = {
  lost: 'events lost because the buffer was full',
  untracked: 'processes not followed because too many ran at once',
  io_uring: 'programs that use io_uring, whose file opens are not seen',
  '32bit': '32-bit programs, whose calls are not decoded',
  engine_exit: 'the engine ended early; the target went on unseen',
  rotated: 'events dropped by the size cap',
  stopped: 'stopped by agentsight stop; the target went on unseen',
  not_recorded: 'nothing recorded: no engine',
  tls_unavailable: 'TLS text unavailable for this binary',
  tls_not_http1: 'connections inside TLS whose text was not kept from some point on',
  tls_lost: 'pieces of TLS text lost because the buffer was full',
  unreadable: 'lines of the engine that could not be understood',
};

const limited = (lines: string[], most: number): string[] =>
  lines.length <= most ? lines : [...lines.slice(0, most), `  … and ${lines.length - most} more`];

const megabytes = (kb: number): string => `${(kb / 1024).toFixed(kb < 102_400 ? 1 : 0)} MB`;
