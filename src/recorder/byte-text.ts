const strict = new TextDecoder('utf-8', { fatal: true });

/** Bytes as text without loss: a byte outside well-formed UTF-8 becomes the lone surrogate U+DC00 + byte. */
export function textOfBytes(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    let out = '';
    for (let at = 0; at < bytes.length; ) {
      const size = sequenceAt(bytes, at);
      if (size === 0) out += String.fromCharCode(0xdc00 + bytes[at]!);
      else out += strict.decode(bytes.subarray(at, at + size));
      at += size || 1;
    }
    return out;
  }
}

/** Length of the well-formed sequence at `at`, or 0. */
function sequenceAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!;
  const size = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (size < 2) return size;
  try {
    if (at + size > bytes.length) return 0;
    strict.decode(bytes.subarray(at, at + size));
    return size;
  } catch {
    return 0;
  }
}
