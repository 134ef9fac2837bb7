// Waits until a cache has caught up with a version, such as that of one's own write.
import { KubeError } from '../errors.ts';

export interface CatchUp {
  /** Checks every waiting condition again. */
  look(): void;
  /** Resolves when the condition holds. @throws KubeError `timeout` after `timeoutMs` */
  until(holds: () => boolean, timeoutMs: number): Promise<void>;
}

/** @param kind for the message of the error */
export function createCatchUp(kind: string): CatchUp {
  const waiters = new Set<() => void>();
  return {
    look() {
      for (const each of waiters) each();
    },
    async until(holds, timeoutMs) {
      if (holds()) return;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const look = () => {
        if (holds()) resolve();
      };
      const late = new KubeError({
        reason: 'timeout',
        message: `The cache of the kind ${kind} did not catch up with the API server in ${timeoutMs} ms`,
      });
      const timer = setTimeout(() => reject(late), timeoutMs);
      waiters.add(look);
      try {
        await promise;
      } finally {
        clearTimeout(timer);
        waiters.delete(look);
      }
    },
  };
}
