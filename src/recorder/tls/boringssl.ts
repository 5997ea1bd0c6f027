import type { Bytes, Elf } from './elf.ts';
import { occurrences } from './scan.ts';

/** Where BoringSSL is inside a program, this stands in it: the file name that its error reports carry. */
export const BORINGSSL_MARK = Buffer.from('boringssl/ssl/ssl_lib.cc\0');

/** Reasons in error reports of ssl_lib.cc (BoringSSL's err.h and ssl.h). */
const [SHOULD_NOT_HAVE_BEEN_CALLED, UNINITIALIZED, SSL_HANDSHAKE_FAILURE] = [0x42, 0xe2, 0xd7];

/** push rbp; mov rbp, rsp: how a function with a frame pointer begins. */
const PROLOGUE = Buffer.from([0x55, 0x48, 0x89, 0xe5]);
/** Functions are shorter than this, and start at a multiple of 16. */
const LONGEST = 16 << 10;

interface Report {
  /** File offset of the instructions, and of the function they are in. */
  at: number;
  start: number;
  reason: number;
  line: number;
}

/**
 * SSL_write and SSL_read in a program that carries BoringSSL without symbols, by the errors they report: file offsets, or why
 * not. A probe at a wrong place could break the program, so everything must fit exactly once: SSL_write is the one function
 * with its three reasons; SSL_read the one that reports only the first of them, checks the same field of its first
 * argument for it at once, and stands shortly before SSL_write in the source. Known for x86-64 programs at fixed addresses.
 * `marks`: where BORINGSSL_MARK stands in the file.
 */
export async function findBoringSsl(
  file: Bytes,
  elf: Elf,
  marks: readonly number[],
): Promise<{ write: number; read: number } | string> {
  if (elf.machine !== 'x64' || !elf.fixed) return 'BoringSSL is found only in x86-64 programs at fixed addresses';
  const [mark, ...others] = marks;
  if (mark === undefined || others.length > 0) return 'the mark of BoringSSL does not stand in it exactly once';
  const before = await file.read(Math.max(0, mark - 256), Math.min(256, mark));
  const name = mark - before.length + before.lastIndexOf(0) + 1;
  const segment = elf.segments.find(({ offset, size }) => name >= offset && name < offset + size);
  if (segment === undefined) return 'the mark of BoringSSL is not loaded';
  const reports = await reportsWith(file, elf, name - segment.offset + segment.address);

  const functions = new Map<number, Report[]>();
  for (const report of reports) functions.set(report.start, [...(functions.get(report.start) ?? []), report]);
  const writes = [...functions.values()].filter(in_ =>
    [SHOULD_NOT_HAVE_BEEN_CALLED, UNINITIALIZED, SSL_HANDSHAKE_FAILURE].every(reason =>
      in_.some(report => report.reason === reason),
    ),
  );
  if (writes.length !== 1) return `${writes.length} functions look like SSL_write of BoringSSL`;
  const write = writes[0]!.find(({ reason }) => reason === SHOULD_NOT_HAVE_BEEN_CALLED)!;
  const field = (await checksBefore(file, write.at)).at(-1)?.field;
  if (field === undefined) return 'SSL_write of BoringSSL does not begin as expected';

  const reads: number[] = [];
  for (const [start, [only, ...more]] of functions) {
    if (more.length > 0 || only!.reason !== SHOULD_NOT_HAVE_BEEN_CALLED || only!.at - start > 64) continue;
    const distance = write.line - only!.line;
    // rdi is the first argument, not yet moved away: the check stands at the very beginning.
    const check = (await checksBefore(file, only!.at)).find(each => each.register === 7 && each.field === field);
    if (check !== undefined && distance > 0 && distance < 100) reads.push(start);
  }
  if (reads.length !== 1) return `${reads.length} functions look like SSL_read of BoringSSL`;
  return { write: write.start, read: reads[0]! };
}

/** mov ecx, NAME; mov edi, 16 (ERR_LIB_SSL); xor esi, esi; mov edx, REASON; mov r8d, LINE */
async function reportsWith(file: Bytes, elf: Elf, address: number): Promise<Report[]> {
  const call = Buffer.from([0xb9, 0, 0, 0, 0, 0xbf, 16, 0, 0, 0, 0x31, 0xf6, 0xba]);
  call.writeUInt32LE(address, 1);
  const reports: Report[] = [];
  for (const { offset, size, executable } of elf.segments) {
    if (!executable) continue;
    for (const { at } of await occurrences(file, [call], offset, size)) {
      const rest = await file.read(at + call.length, 10);
      const start = await startOf(file, elf, at);
      if (rest.length < 10 || rest[4] !== 0x41 || rest[5] !== 0xb8 || start === undefined) continue;
      reports.push({ at, start, reason: rest.readUInt32LE(0), line: rest.readUInt32LE(6) });
    }
  }
  return reports;
}

/** The nearest beginning of a function before a place of its code. */
async function startOf(file: Bytes, elf: Elf, at: number): Promise<number | undefined> {
  const segment = elf.segments.find(({ offset, size }) => at >= offset && at < offset + size)!;
  const from = Math.max(segment.offset, at - LONGEST);
  const bytes = await file.read(from, at - from);
  for (let hit = bytes.lastIndexOf(PROLOGUE); hit >= 0; hit = hit === 0 ? -1 : bytes.lastIndexOf(PROLOGUE, hit - 1))
    if ((from + hit - segment.offset + segment.address) % 16 === 0) return from + hit;
  return undefined;
}

/** Each `cmp qword [register + field], 0` in the 24 bytes before a place. */
async function checksBefore(file: Bytes, at: number): Promise<{ register: number; field: number }[]> {
  const bytes = await file.read(Math.max(0, at - 24), Math.min(24, at));
  const found: { register: number; field: number }[] = [];
  for (let i = 0; i + 8 <= bytes.length; i++)
    if (bytes[i] === 0x48 && bytes[i + 1] === 0x83 && (bytes[i + 2]! & 0xf8) === 0xb8 && bytes[i + 7] === 0)
      found.push({ register: bytes[i + 2]! & 7, field: bytes.readUInt32LE(i + 3) });
  return found;
}
