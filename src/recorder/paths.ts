/** An absolute name from a true directory and the name given: `.`, `..` and doubled slashes are worked out as text. */
export function joined(dir: string, raw: string): string {
  const whole = raw.startsWith('/') ? raw : `${dir}/${raw}`;
  if (!/\/(?:\.{0,2})(?:\/|$)/.test(whole)) return whole;
  const out: string[] = [];
  for (const part of whole.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') out.pop();
    else out.push(part);
  }
  return `/${out.join('/')}`;
}
