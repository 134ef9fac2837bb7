// Shares reads of the same object among concurrent callers. A caller only gets a read that began after its call, so whatever
// was written before the call is seen.

/** @returns a read that runs at most once at a time for each key; callers during a run share the next one */
export function sharedReads<T>(read: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const running = new Map<string, Promise<T>>();
  const next = new Map<string, Promise<T>>();

  function begin(key: string): Promise<T> {
    next.delete(key);
    const begun = read(key).finally(() => running.delete(key));
    running.set(key, begun);
    return begun;
  }

  function follow(key: string, current: Promise<T>): Promise<T> {
    const begun = current.then(
      () => begin(key),
      () => begin(key),
    );
    next.set(key, begun);
    return begun;
  }

  return (key) => {
    const following = next.get(key);
    if (following !== undefined) return following;
    const current = running.get(key);
    return current === undefined ? begin(key) : follow(key, current);
  };
}
