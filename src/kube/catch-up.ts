// Waits until a cache has caught up with a version, such as that of one's own write.
import { KubeError } from './errors.ts';

export interface CatchUp {
  /** Checks every waiting condition again. */
  look(): void;
  /** Resolves when the condition holds. @throws KubeError `timeout` after `timeoutMs` */
  until(holds: () => boolean, timeoutMs: number): Promise<void>;
}

export function createCatchUp(): CatchUp {
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
        message: 'The cache did not catch up in time',
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
