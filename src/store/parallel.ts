// Runs work on many items with bounded concurrency, so that one request does not flood the API server.
import pLimit from 'p-limit';

/** Small writes of one request that are under way at a time. */
export const smallWrites = 16;

/**
 * Calls `work` for each item, at most `concurrency` at a time. After an error it begins no further item.
 * @throws what the first failing call threw, once no call is under way any more
 * @example await forEachConcurrently(records, 8, (record) => remove(record))
 */
export async function forEachConcurrently<T>(
  items: Iterable<T>,
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const limit = pLimit(concurrency);
  let failure: { readonly thrown: unknown } | undefined;
  const run = async (item: T) => {
    if (failure !== undefined) return;
    await work(item).catch((thrown: unknown) => {
      failure ??= { thrown };
    });
  };
  await limit.map(items, run);
  if (failure !== undefined) throw failure.thrown;
}
