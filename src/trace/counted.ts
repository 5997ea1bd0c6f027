/** `1 rule`, `2,000 rules`; a noun with a plural of its own gives it: `1 entry`, `2 entries`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? noun : plural}`;
}
