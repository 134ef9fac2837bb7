// Carries out work for several items at the same time, in their order, a few at once.

const atOnce = 8;

/** @returns the results in the order of the items. @throws the first error; nothing begins after it */
export async function inParallel<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const entries = items.entries();
  let hasFailed = false;
  const worker = async () => {
    for (const [at, item] of entries) {
      if (hasFailed) return;
      try {
        results[at] = await work(item);
      } catch (thrown) {
        hasFailed = true;
        throw thrown;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  return results;
}
