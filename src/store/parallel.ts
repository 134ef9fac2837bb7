// Many small writes: a few at a time, so that one request of one organization does not fill the API server.

const width = 16;

/** Does something with each item. @throws what the first one that failed threw, when none is under way any more */
export async function inParallel<T>(
  items: Iterable<T>,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = [...items].values();
  let failure: { readonly thrown: unknown } | undefined;
  const worker = async () => {
    for (const item of waiting) {
      if (failure !== undefined) return;
      await work(item).catch((thrown: unknown) => {
        failure ??= { thrown };
      });
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  if (failure !== undefined) throw failure.thrown;
}
