/**
 * The server name in the ClientHello that opens a TLS connection (RFC 8446 section 4.1.2, RFC 6066 section 3), in lower case. `bytes` is
 * the start of what was sent and may be cut. Undefined where there is no such name: no ClientHello, none given, or cut before it.
 */
export function serverName(bytes: Uint8Array): string | undefined {
  const hello = handshakeBytes(bytes);
  const word = (at: number): number => ((hello[at] ?? 0) << 8) | (hello[at + 1] ?? 0);
  if (hello[0] !== 1) return undefined;
  let at = 4 + 2 + 32; // header of the message, version, random
  at += 1 + (hello[at] ?? 0); // session id
  at += 2 + word(at); // cipher suites
  at += 1 + (hello[at] ?? 0); // compression methods
  if (at + 2 > hello.length) return undefined;
  const end = Math.min(hello.length, at + 2 + word(at));
  for (at += 2; at + 4 <= end; at += 4 + word(at + 2)) {
    if (word(at) !== 0) continue;
    // A list of names; only type 0, a host name, was ever defined.
    const size = word(at + 7);
    if (hello[at + 6] !== 0 || size === 0 || at + 9 + size > hello.length) return undefined;
    return Buffer.from(hello.subarray(at + 9, at + 9 + size))
      .toString('latin1')
      .toLowerCase();
  }
  return undefined;
}

/** The handshake messages of the leading TLS records: a ClientHello may lie in several. */
function handshakeBytes(bytes: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let at = 0; at + 5 <= bytes.length && bytes[at] === 22; ) {
    const size = (bytes[at + 3]! << 8) | bytes[at + 4]!;
    parts.push(bytes.subarray(at + 5, at + 5 + size));
    at += 5 + size;
  }
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
}
