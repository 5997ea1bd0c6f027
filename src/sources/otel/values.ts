import { isObject, listOf, type Obj } from '../shapes.ts';

/** A member under its name in JSON, or under the one of the protocol's definition. */
export function member(object: Obj, camel: string, snake: string): unknown {
  return object[camel] ?? object[snake];
}

const DEEPEST = 16;

/** An attribute's value (`{stringValue}`, `{intValue: "7"}`, ...) as plain JSON; undefined for what is none. */
export function plainOf(value: unknown, depth = 0): unknown {
  if (!isObject(value) || depth > DEEPEST) return undefined;
  for (const [name, held] of Object.entries(value)) {
    switch (name) {
      case 'stringValue':
      case 'string_value':
      case 'boolValue':
      case 'bool_value':
      case 'doubleValue':
      case 'double_value':
      case 'bytesValue':
      case 'bytes_value':
        return held;
      case 'intValue':
      case 'int_value':
        return Number(held);
      case 'arrayValue':
      case 'array_value':
        return isObject(held) ? listOf(held.values).map(each => plainOf(each, depth + 1)) : [];
      case 'kvlistValue':
      case 'kvlist_value':
        return isObject(held) ? Object.fromEntries(attributesOf(held.values, depth + 1)) : {};
    }
  }
  return undefined;
}

/** Attributes by name: a list of key and value, or (from other exporters) a plain object. */
export function attributesOf(given: unknown, depth = 0): Map<string, unknown> {
  const attributes = new Map<string, unknown>();
  if (isObject(given)) for (const [name, value] of Object.entries(given)) attributes.set(name, value);
  for (const entry of listOf(given)) {
    if (isObject(entry) && typeof entry.key === 'string') attributes.set(entry.key, plainOf(entry.value, depth));
  }
  return attributes;
}

const HEX = /^(0x)?([0-9a-f]{16}|[0-9a-f]{32})$/i;
const BASE64 = /^([A-Za-z0-9+/]{11}=|[A-Za-z0-9+/]{22}==)$/;

/**
 * A trace or span id as lower-case hex. OTLP's JSON has hex; a generic conversion of the protobuf message gives base64
 * of the same bytes. Zeros are no id. Anything else stays as it is.
 */
export function idOf(value: unknown): string {
  if (typeof value !== 'string') return '';
  const hex = HEX.exec(value)?.[2] ?? (BASE64.test(value) ? Buffer.from(value, 'base64').toString('hex') : undefined);
  if (hex === undefined) return value.slice(0, 200);
  return /^0*$/.test(hex) ? '' : hex.toLowerCase();
}

/**
 * Nanoseconds since the epoch, as a decimal string (the rule, since they do not fit a double) or a number, as whole
 * microseconds; 0 for what is none.
 */
export function microsOfNanos(value: unknown): number {
  if (typeof value === 'number') {
    return value > 0 && value / 1000 <= Number.MAX_SAFE_INTEGER ? Math.floor(value / 1000) : 0;
  }
  if (typeof value !== 'string' || !/^\d{4,19}$/.test(value)) return 0;
  const micros = BigInt(value) / 1000n;
  return micros <= Number.MAX_SAFE_INTEGER ? Number(micros) : 0;
}
