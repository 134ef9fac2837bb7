// Queues lines from several sources for one reader. A full queue makes the sources wait.

export interface LineQueue<T extends { readonly bytes: Uint8Array }> {
  /** Resolves when there is room for more. */
  push(line: T): Promise<void>;
  /** @returns everything queued; waits for the first line, and is empty once the signal is aborted */
  take(): Promise<readonly T[]>;
}

const maxBytes = 262_144;

export function createLineQueue<T extends { readonly bytes: Uint8Array }>(
  signal: AbortSignal,
): LineQueue<T> {
  let lines: T[] = [];
  let bytes = 0;
  let arrived: (() => void) | undefined;
  let taken = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => {
    arrived?.();
    taken.resolve();
  });
  return {
    async push(line) {
      lines.push(line);
      bytes += line.bytes.length;
      arrived?.();
      while (bytes > maxBytes && !signal.aborted) await taken.promise;
    },
    async take() {
      if (lines.length === 0 && !signal.aborted) {
        await new Promise<void>((resolve) => {
          arrived = resolve;
        });
        arrived = undefined;
      }
      const all = lines;
      lines = [];
      bytes = 0;
      taken.resolve();
      taken = Promise.withResolvers();
      return all;
    },
  };
}
