// How far an informer has come: the version that its cache has reached, signs of life of the API server, failures in a row.
import type { Clock } from '../../lib/clock.ts';
import type { CatchUp } from './catch-up.ts';

export interface CacheProgress {
  /** Every change up to this version is in the cache; empty before the first list. */
  readonly version: string;
  /** True after the first complete list. */
  readonly isSynced: boolean;
  /** Resolves after the first complete list. */
  readonly synced: Promise<void>;
  /** True from a failure until a watch is open again. */
  readonly isInterrupted: boolean;
  readonly interruptions: number;
  /** Failures since the last event or steady watch. */
  readonly failures: number;
  /** Milliseconds since the last data from the API server. */
  readonly silentMs: number;
  /** Milliseconds since the last complete list. */
  readonly listAgeMs: number;
  reached(version: string): void;
  listed(version: string): void;
  /** Quiet watches are reopened before a bookmark arrives: then opening is the only sign of life. */
  opened(): void;
  /** An event arrived. */
  received(): void;
  /** A watch has lasted: what failed before it no longer counts. */
  lasted(): void;
  failed(): void;
}

export function createProgress(clock: Clock, catchUp: Pick<CatchUp, 'look'>): CacheProgress {
  const synced = Promise.withResolvers<void>();
  const state = {
    version: '',
    isSynced: false,
    isInterrupted: false,
    interruptions: 0,
    failures: 0,
  };
  let heardAt = clock.monotonic();
  let listedAt = heardAt;

  function reached(version: string): void {
    state.version = version;
    catchUp.look();
  }

  return {
    get version() {
      return state.version;
    },
    get isSynced() {
      return state.isSynced;
    },
    synced: synced.promise,
    get isInterrupted() {
      return state.isInterrupted;
    },
    get interruptions() {
      return state.interruptions;
    },
    get failures() {
      return state.failures;
    },
    get silentMs() {
      return clock.monotonic() - heardAt;
    },
    get listAgeMs() {
      return clock.monotonic() - listedAt;
    },
    reached,
    listed(version) {
      reached(version);
      heardAt = clock.monotonic();
      listedAt = heardAt;
      state.isSynced = true;
      synced.resolve();
    },
    opened() {
      heardAt = clock.monotonic();
      state.isInterrupted = false;
    },
    received() {
      heardAt = clock.monotonic();
      state.failures = 0;
    },
    lasted() {
      state.failures = 0;
    },
    failed() {
      state.failures += 1;
      state.interruptions += 1;
      state.isInterrupted = true;
      catchUp.look();
    },
  };
}
