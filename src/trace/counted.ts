/** `1 rule`, `2,000 rules`; a noun with a plural of its own gives it: `1 entry`, `2 entries`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${grouped(count)} ${count === 1 ? noun : plural}`;
}

/** An integer as people read it, `1,234,567`. What does the same for every language loads the tables of all of them. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}
