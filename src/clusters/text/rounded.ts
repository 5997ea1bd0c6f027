/** Numbers in texts are said roughly (1, 2, 5, 10, 20, ...), so that sessions that are much alike read alike. */
export function roughly(value: number): number {
  if (value <= 0) return 0;
  const power = 10 ** Math.floor(Math.log10(value));
  const lead = value / power;
  return (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10) * power;
}

/** `20 s`, `5 min`, `2 h` of microseconds. */
export function roughTime(micros: number): string {
  const seconds = micros / 1e6;
  if (seconds < 60) return `${roughly(Math.max(1, seconds))} s`;
  return seconds < 3600 ? `${roughly(seconds / 60)} min` : `${roughly(seconds / 3600)} h`;
}

export function roughCount(count: number): string {
  if (count < 1000) return String(roughly(count));
  return count < 1e6 ? `${roughly(count / 1000)} k` : `${roughly(count / 1e6)} M`;
}
