import { inet6Text } from './sockaddr.ts';

export interface DnsMessage {
  name: string;
  addr: string[];
  answer: boolean;
}

/** The question of a DNS message and the addresses that answer it (RFC 1035 section 4); undefined when it is no such message. */
export function dnsMessage(bytes: Uint8Array): DnsMessage | undefined {
  if (bytes.length < 17) return undefined;
  const word = (at: number): number => (bytes[at]! << 8) | bytes[at + 1]!;
  if (word(4) !== 1 || (bytes[2]! & 0x78) !== 0) return undefined;
  const question = nameAt(bytes, 12);
  if (question === undefined || question.end + 4 > bytes.length) return undefined;
  const answer = (bytes[2]! & 0x80) !== 0;
  const addr: string[] = [];
  let at = question.end + 4;
  for (let left = answer ? word(6) : 0; left > 0; left--) {
    const owner = nameAt(bytes, at);
    if (owner === undefined || owner.end + 10 > bytes.length) break;
    const size = word(owner.end + 8);
    const from = owner.end + 10;
    if (from + size > bytes.length) break;
    const kind = word(owner.end);
    if (kind === 1 && size === 4) addr.push(bytes.subarray(from, from + 4).join('.'));
    if (kind === 28 && size === 16) addr.push(inet6Text(bytes.subarray(from, from + 16)));
    at = from + size;
  }
  return { name: question.name, addr, answer };
}

/** A name and where it ends; pointers are followed at most 16 times, so a message cannot send us round in circles. */
function nameAt(bytes: Uint8Array, start: number): { name: string; end: number } | undefined {
  const labels: string[] = [];
  let at = start;
  let end = -1;
  for (let jumps = 0; jumps < 16; ) {
    const size = bytes[at];
    if (size === undefined) return undefined;
    if (size >= 0xc0) {
      if (end < 0) end = at + 2;
      at = ((size & 0x3f) << 8) | (bytes[at + 1] ?? 0);
      jumps++;
      continue;
    }
    if (size > 63) return undefined;
    at++;
    if (size === 0) return { name: labels.join('.').toLowerCase(), end: end < 0 ? at : end };
    if (at + size > bytes.length) return undefined;
    labels.push(Buffer.from(bytes.subarray(at, at + size)).toString('latin1'));
    at += size;
  }
  return undefined;
}
