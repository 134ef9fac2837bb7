// Runs work on many items with bounded concurrency, so that one request does not flood the API server.
import pLimit from 'p-limit';

/** Maximum concurrent small writes of one request. */
export const smallWrites = 16;

/**
 * Calls `work` for each item, at most `concurrency` at a time. After an error no further item begins.
 * @throws the error of the first failing call, once no call is running any more
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
