// Provides a client whose watch of a kind can be held: what it caches stays as it was, as behind a slow network.
import type { StreamingClient } from '../../../src/kube/client.ts';

export interface LateClient {
  readonly client: StreamingClient;
  /** Holds what the watches of the kind bring from now on. */
  hold(): void;
  release(): void;
}

export function lateClient(real: StreamingClient, plural: string): LateClient {
  let gate = Promise.resolve();
  let open: () => void = () => undefined;

  async function* held<T>(chunks: AsyncIterable<T>): AsyncIterable<T> {
    for await (const chunk of chunks) {
      await gate;
      yield chunk;
    }
  }

  return {
    client: {
      ...real,
      async watch(kind, scope, signal) {
        const chunks = await real.watch(kind, scope, signal);
        // An informer only iterates over it.
        return kind.plural === plural ? (held(chunks) as unknown as typeof chunks) : chunks;
      },
    },
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      open = resolve;
    },
    release: () => open(),
  };
}
