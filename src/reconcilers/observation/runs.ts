// The observations under way, so that an event of the same resource can end them: they only read, and it changes what they read.
import type { Key } from '../../kube/api.ts';

export interface ObservationRuns {
  /** @returns a signal that is aborted when an event of the resource is sent */
  begin(key: Key): AbortSignal;
  end(key: Key): void;
  abort(key: Key): void;
}

export function createObservationRuns(): ObservationRuns {
  const running = new Map<Key, AbortController>();
  return {
    begin(key) {
      const controller = new AbortController();
      running.set(key, controller);
      return controller.signal;
    },
    end: (key) => void running.delete(key),
    abort: (key) => running.get(key)?.abort(),
  };
}
