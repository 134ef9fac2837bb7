// The processes of a provider, as far as a test needs them: each calls `start` once, and a crash is followed by another one.
import type { AnyObject, HandlerLog } from '../../call.ts';
import type { Provider } from '../../provider.ts';
import { startProvider } from '../../serve/lifetime.ts';

/** The values that the handlers of a process receive besides events. */
export interface Process {
  readonly settings: AnyObject;
  readonly started: AnyObject;
}

export interface Processes {
  /** The one that receives events. */
  current(): Process;
  /** Ends it without `stop`, and starts another one. */
  crash(): Promise<void>;
  /**
   * Calls `stop` for all of them, the newest first: an operating system would have closed what a crash leaves open.
   * @throws the first error of them
   */
  close(): Promise<void>;
}

/**
 * Calls `check` and `start`.
 *
 * @throws InvalidSettings when the settings do not fit their schema
 * @throws StartFailure when `check` or `start` throws
 */
export async function startProcesses(
  provider: Provider,
  { settings, log }: { settings: AnyObject; log: HandlerLog },
): Promise<Processes> {
  const abort = new AbortController();
  const begin = async () => await startProvider(provider, { settings, log, signal: abort.signal });
  const all = [await begin()];
  return {
    current() {
      const newest = all.at(-1);
      if (newest === undefined) throw new Error('The test kit is closed');
      return newest;
    },
    async crash() {
      all.push(await begin());
    },
    async close() {
      abort.abort(new Error('The provider is stopping'));
      const failures: unknown[] = [];
      for (const process of all.splice(0).reverse()) {
        await process.stop().catch((thrown: unknown) => failures.push(thrown));
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}
