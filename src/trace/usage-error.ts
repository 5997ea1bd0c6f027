/** Wrong usage: the message names the flag and the way out; commands exit with 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
