// Runs a reconciler over the keys of a queue, from the start to the stop of a controller. Informer changes become keys here; no
// reconciler can see which event triggered it.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { type Informer, type Key, type KubeObject, keyFor, type Reconciler } from './api.ts';
import { hasReason } from './errors.ts';
import { createPass, type PassEnding } from './pass.ts';
import type { Priority, Workqueue } from './queue/workqueue.ts';
import { pause, systemTimers, type Timers } from './timers.ts';

/** Observes every pass, for metrics. It must not throw. */
export interface ControllerObserver {
  reconciled(reconciler: string, ending: PassEnding, ms: number): void;
}

/** A source of keys. */
export interface TriggerSource {
  /** Resolves once every existing object is cached. */
  ready(): Promise<void>;
  /**
   * Subscribes to the keys to reconcile, starting with those of existing objects.
   * @returns a function that unsubscribes
   */
  subscribe(enqueue: (keys: Iterable<Key>, priority: Priority) => void): () => void;
}

/** Returns the keys affected by a change. A removal is a change like any other: its `after` is undefined. */
export type KeyMap<T> = (key: Key, before: T | undefined, after: T | undefined) => Iterable<Key>;

/**
 * @param map for secondary kinds; default: the object's own key. It must be cheap and safe to repeat: it is called again
 * when it throws.
 * @returns a source of keys: all that the informer has cached, to be swept, and then every change
 */
export function watchCache<T extends KubeObject>(
  informer: Pick<Informer<T>, 'start' | 'items' | 'onChange'>,
  map: KeyMap<T> = (key) => [key],
): TriggerSource {
  return {
    ready: () => informer.start(),
    subscribe(enqueue) {
      const unseen = new Set<Key>();
      for (const { metadata } of informer.items()) unseen.add(keyFor(metadata));
      return informer.onChange((key, before, after) => {
        const keys = map(key, before, after);
        enqueue(keys, unseen.delete(key) ? 'sweep' : 'fresh');
      });
    },
  };
}

/** @returns a map to the affected keys of an object before and after the change */
export function either<T>(keysOf: (object: T) => Iterable<Key>): KeyMap<T> {
  return (_key, before, after) => {
    const keys = new Set(after === undefined ? [] : keysOf(after));
    if (before !== undefined) for (const key of keysOf(before)) keys.add(key);
    return keys;
  };
}

/** Returns the cached keys of a namespace, for a change that concerns all of its objects. */
export function keysIn<T extends KubeObject>(
  informer: Pick<Informer<T>, 'items'>,
  namespace: string,
): readonly Key[] {
  return Array.from(informer.items(namespace), ({ metadata }) => keyFor(metadata));
}

export interface Controller {
  readonly name: string;
  /** How much goes on after its passes; stopping cuts what takes longer than its patience. */
  readonly background?: number;
  /**
   * Waits until every source is ready, sweeps existing objects and starts the workers. A controller starts once.
   * @param signal stops the controller when aborted (this process stops, or lost its lease)
   */
  start(signal: AbortSignal): Promise<void>;
  /** Aborts running passes and resolves when they have ended, or after the grace period. */
  stop(): Promise<void>;
}

export interface ControllerOptions {
  readonly reconciler: Reconciler;
  readonly sources: readonly TriggerSource[];
  readonly queue: Workqueue;
  readonly clock: Clock;
  readonly timers?: Timers;
  readonly log: Log;
  /** Concurrent passes; default 16. Passes mostly wait for responses. */
  readonly concurrency?: number;
  /** How long `stop` waits for running passes, in milliseconds; default 10 s. */
  readonly graceMs?: number;
  /**
   * The part of `graceMs` in which running passes are not aborted, so that they can still record responses; default 0, and unused
   * when the lease was lost (the signal's reason is a KubeError `aborted`).
   */
  readonly patienceMs?: number;
  readonly observer?: ControllerObserver;
}

/** Passes that find everything settled never await anything; after this long they yield to the event loop. */
const maxTurnMs = 10;

export function createController(options: ControllerOptions): Controller {
  const { reconciler, sources, queue, clock, timers = systemTimers, log } = options;
  const { concurrency = 16, graceMs = 10_000, patienceMs = 0, observer } = options;
  const { name } = reconciler;
  const stopping = new AbortController();
  const { signal } = stopping;
  const cancelling = new AbortController();
  const subscriptions: (() => void)[] = [];
  const pass = createPass({
    ...{ reconciler, queue, clock, log },
    stopping: signal,
    cancelling: cancelling.signal,
  });
  let workers: Promise<unknown> = Promise.resolve();
  let turnBegan = clock.monotonic();
  let finished: Promise<void> | undefined;

  async function work(): Promise<void> {
    for (;;) {
      const key = await queue.get();
      if (key === undefined) return;
      if (clock.monotonic() - turnBegan > maxTurnMs) {
        await nextTurn();
        turnBegan = clock.monotonic();
      }
      const began = clock.monotonic();
      const ending = signal.aborted ? 'aborted' : await pass(key);
      queue.done(key);
      observer?.reconciled(name, ending, clock.monotonic() - began);
    }
  }

  async function start(outer: AbortSignal): Promise<void> {
    const told = () => {
      // Another process may lead already: running passes have no authority, and must not continue.
      if (hasReason(outer.reason, 'aborted')) cancelling.abort();
      void stop();
    };
    outer.addEventListener('abort', told, { once: true });
    if (outer.aborted) await stop();
    const aborted = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    // A pass that sees only half of the existing objects would treat the others as missing.
    const ready = Promise.all(sources.map((source) => source.ready()));
    if (!signal.aborted) await Promise.race([ready, aborted]);
    if (signal.aborted) return;
    for (const source of sources) {
      const end = source.subscribe((keys, priority) => {
        for (const key of keys) queue.add(key, priority);
      });
      subscriptions.push(end);
    }
    log.info({ reconciler: name, keys: queue.depth, concurrency }, 'Controller started');
    turnBegan = clock.monotonic();
    workers = Promise.all(Array.from({ length: concurrency }, work));
  }

  async function stop(): Promise<void> {
    stopping.abort();
    if (patienceMs === 0) cancelling.abort();
    for (const end of subscriptions.splice(0)) end();
    const grace = new AbortController();
    finished ??= reconciler.background?.finish(cancelling.signal);
    const drained = Promise.all([queue.shutDown(), workers, finished]).then(() => grace.abort());
    if (patienceMs > 0) {
      await Promise.race([drained, pause(timers, patienceMs, grace.signal)]);
      cancelling.abort();
    }
    await Promise.race([drained, pause(timers, graceMs - patienceMs, grace.signal)]);
    if (!grace.signal.aborted) {
      log.warn(
        { reconciler: name, passes: queue.inProgress },
        'Passes did not finish within the grace period',
      );
    }
  }

  return {
    name,
    get background() {
      return reconciler.background?.size() ?? 0;
    },
    start,
    stop,
  };
}
