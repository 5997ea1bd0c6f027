/**
 * Works through the items, so many at once, each begun in order. After a failure nothing new is begun, what runs is
 * waited for (its answers are kept), and the first failure is thrown.
 */
export async function inPool<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  let failed = false;
  let failure: unknown;
  const lane = async () => {
    while (!failed && next < items.length) {
      const item = items[next++] as T;
      try {
        await work(item);
      } catch (error) {
        if (!failed) failure = error;
        failed = true;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(Math.max(1, atOnce), items.length) }, lane));
  if (failed) throw failure;
}
