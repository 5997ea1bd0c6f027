/** Amounts in few cells, for columns of a screen. */

/** `999`, `1.2k`, `12k`, `3.4M`: at most five cells. */
export function brief(count: number): string {
  let value = count;
  for (const letter of ['', 'k', 'M', 'G', 'T']) {
    // 999,600 is 1.0M, not 1000k.
    if (value < 999.5 || letter === 'T')
      return letter === '' || value >= 9.95 ? `${Math.round(value)}${letter}` : `${value.toFixed(1)}${letter}`;
    value /= 1000;
  }
  return '';
}

/** `$0.04`, `$12.30`, `$123`, `$12k`. */
export function dollars(nano: number): string {
  const value = nano / 1e9;
  if (value === 0) return '$0';
  if (value < 99.995) return `$${value.toFixed(2)}`;
  return `$${value < 9999.5 ? Math.round(value) : brief(value)}`;
}

/** `0:05`, `12:03`, `1:02:03`, `3d 4h`, of microseconds. */
export function clock(micros: number): string {
  const seconds = Math.max(0, Math.floor(micros / 1e6));
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  if (hours >= 48) return `${Math.floor(hours / 24)}d ${hours % 24}h`;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** `940K`, `12M`, `1.2G` of bytes, in powers of 1024 as `top` has them. */
export function memory(bytes: number): string {
  let value = bytes / 1024;
  for (const letter of ['K', 'M', 'G', 'T']) {
    if (value < 1023.5 || letter === 'T') return `${value < 9.95 ? value.toFixed(1) : Math.round(value)}${letter}`;
    value /= 1024;
  }
  return '';
}
