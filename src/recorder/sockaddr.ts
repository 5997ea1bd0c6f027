import { textOfBytes } from './byte-text.ts';
import type { Address } from './events.ts';

/** A `struct sockaddr` of Linux: family in host order, port and address in network order (sys/socket.h, netinet/in.h, sys/un.h). */
export function addressOf(bytes: Uint8Array): Address {
  const family = bytes.length < 2 ? 0 : bytes[0]! | (bytes[1]! << 8);
  const port = bytes.length >= 4 ? (bytes[2]! << 8) | bytes[3]! : 0;
  if (family === 2 && bytes.length >= 8) return { family: 'inet', addr: bytes.subarray(4, 8).join('.'), port };
  if (family === 10 && bytes.length >= 24) return inet6(bytes.subarray(8, 24), port);
  if (family !== 1) return { family: 'other', addr: family === 0 ? '' : `family ${family}` };
  const name = bytes.subarray(2);
  // glibc hands over what lies behind the name too: a path ends at its first NUL, an abstract name starts with one.
  const abstract = name[0] === 0 && name.length > 1;
  const rest = abstract ? name.subarray(1) : name;
  const end = rest.indexOf(0);
  const text = textOfBytes(end < 0 ? rest : rest.subarray(0, end));
  return { family: 'unix', addr: abstract && text !== '' ? `@${text}` : text };
}

function inet6(bytes: Uint8Array, port: number): Address {
  const mapped = bytes.subarray(0, 10).every(byte => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
  if (mapped) return { family: 'inet', addr: bytes.subarray(12).join('.'), port };
  return { family: 'inet6', addr: inet6Text(bytes), port };
}

/** The short form of RFC 5952: the longest run of zero groups becomes `::`. */
export function inet6Text(bytes: Uint8Array): string {
  const groups = Array.from({ length: 8 }, (_, i) => ((bytes[2 * i]! << 8) | bytes[2 * i + 1]!).toString(16));
  let best = 0;
  let from = -1;
  for (let at = 0; at < 8; at++) {
    let end = at;
    while (end < 8 && groups[end] === '0') end++;
    if (end - at > best && end - at > 1) [best, from] = [end - at, at];
  }
  if (from < 0) return groups.join(':');
  return `${groups.slice(0, from).join(':')}::${groups.slice(from + best).join(':')}`;
}
