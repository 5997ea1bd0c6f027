import { UsageError } from '../trace/usage-error.ts';

const MICROS: Readonly<Record<string, number>> = { s: 1e6, m: 60e6, h: 3600e6, d: 86_400e6 };

/** A pause as people write it (`30m`, `90s`, `1h`, `2d`), in microseconds. Throws UsageError. */
export function parseGap(text: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,6})\s*([smhd])$/.exec(text.trim()) ?? [];
  const micros = Number(digits) * (MICROS[unit] ?? 0);
  if (digits === '' || micros === 0)
    throw new UsageError(`--session-gap: ${JSON.stringify(text)} is no pause; write 30m, 90s, 1h or 2d.`);
  return micros;
}
