/**
 * Micro-dollars in words for people: `$12.34`, `$1,234.50`, `<$0.01` for something that is not nothing, `$0.00` for
 * nothing. Halves of a cent round up. A difference keeps its sign: `-$0.50`, and `>-$0.01` for hardly less.
 */
export function formatDollars(microDollars: bigint | number): string {
  const micro = BigInt(microDollars);
  const size = micro < 0n ? -micro : micro;
  if (size === 0n) return '$0.00';
  if (size < 10_000n) return micro < 0n ? '>-$0.01' : '<$0.01';
  const cents = (size + 5_000n) / 10_000n;
  const whole = (cents / 100n).toString().replace(/\B(?=(?:\d{3})+$)/g, ',');
  return `${micro < 0n ? '-' : ''}$${whole}.${(cents % 100n).toString().padStart(2, '0')}`;
}
