// Indexes of the dead letters of organizations: each follows the ConfigMaps of one namespace, from the first question about groups,
// counts or progress until some minutes after the last one. The index of an organization with many failures is opened ahead and kept.
import pLimit from 'p-limit';
import { allow, type Informer, type KubeObject, refOf, type ScopedRules } from '../../kube/api.ts';
import type { StreamingClient } from '../../kube/client.ts';
import { createInformer } from '../../kube/informer/informer.ts';
import { systemTimers, type Timers } from '../../kube/timers.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { configMapKind, label } from '../kinds.ts';
import { createDeadLetterReducer, type IndexedDeadLetter, type IndexedObject } from './indexed.ts';

/** `npm run generate` generates roles from these. */
export const deadLetterIndexRules = {
  tenant: [allow(['list', 'watch'], '', ['configmaps'])],
} satisfies ScopedRules;

export interface DeadLetterIndexes {
  /**
   * Waits for the first list of a namespace that is not followed yet.
   * @returns undefined while the dead letters cannot be followed: the caller reads them
   * @throws KubeError `timeout` when the first list takes too long; it goes on
   */
  read(namespace: string): Promise<Iterable<IndexedDeadLetter> | undefined>;
  /** Follows a namespace before anybody asks, if there is room, until `release`. */
  keep(namespace: string): void;
  release(namespace: string): void;
  /** The namespaces that are followed. */
  readonly open: readonly string[];
  /** Ends all, and begins no others. */
  close(): Promise<void>;
}

interface DeadLetterIndexesDeps {
  readonly client: StreamingClient;
  readonly clock: Clock;
  readonly log: Log;
  /** A number in [0, 1). */
  readonly random: () => number;
  /** An index ends with its namespace. */
  readonly namespaces: Pick<Informer<KubeObject>, 'onChange'>;
  readonly timers?: Timers;
  readonly limits?: Partial<DeadLetterIndexLimits>;
}

export interface DeadLetterIndexLimits {
  /** An index ends when it was not used for so long. */
  readonly idleMs: number;
  /** Beyond these numbers the least recently used index ends. */
  readonly indexes: number;
  readonly deadLetters: number;
  /** How long a question waits for the first list. */
  readonly firstListMs: number;
}

const defaultLimits: DeadLetterIndexLimits = {
  idleMs: 10 * 60_000,
  indexes: 100,
  deadLetters: 100_000,
  firstListMs: 20_000,
};

/** A watch is opened again after 45 s of silence: an index that received nothing for longer has lost the API server. */
const maxSilentMs = 90_000;

export function createDeadLetterIndexes(deps: DeadLetterIndexesDeps): DeadLetterIndexes {
  const { clock, namespaces, timers = systemTimers } = deps;
  const limits = { ...defaultLimits, ...deps.limits };
  /** The least recently used one first. */
  const open = new Map<string, { informer: Informer<IndexedObject>; askedAt: number }>();
  const kept = new Set<string>();
  /** Indexes are opened ahead one after the other: after a start there may be many. */
  const opening = pLimit(1);
  const ending = new Set<Promise<void>>();
  let cancelCheck: (() => void) | undefined;
  let isClosed = false;

  const forget = namespaces.onChange((key, _before, after) => {
    if (after === undefined) end(refOf(key).name);
  });

  function end(namespace: string): void {
    const index = open.get(namespace);
    if (index === undefined) return;
    open.delete(namespace);
    const ended = index.informer.stop().finally(() => ending.delete(ended));
    ending.add(ended);
  }

  function asked(namespace: string): Informer<IndexedObject> {
    const { informer } = open.get(namespace) ?? { informer: followDeadLetters(deps, namespace) };
    open.delete(namespace);
    open.set(namespace, { informer, askedAt: clock.monotonic() });
    cancelCheck ??= timers.after(limits.idleMs, endIdle);
    return informer;
  }

  function endIdle(): void {
    const since = clock.monotonic() - limits.idleMs;
    for (const [namespace, { askedAt }] of open) {
      if (askedAt <= since && !kept.has(namespace)) end(namespace);
    }
    cancelCheck = open.size > 0 ? timers.after(limits.idleMs / 10, endIdle) : undefined;
  }

  function size(): number {
    return [...open.values()].reduce((sum, { informer }) => sum + informer.size, 0);
  }

  /** Never the last one: an organization may have more dead letters than that. */
  function endSurplus(): void {
    const isOver = () => open.size > limits.indexes || size() > limits.deadLetters;
    for (const namespace of [...open.keys()].slice(0, -1)) if (isOver()) end(namespace);
  }

  async function openAhead(namespace: string): Promise<void> {
    const isFull = open.size >= limits.indexes || size() >= limits.deadLetters;
    if (isClosed || isFull || !kept.has(namespace) || open.has(namespace)) return;
    // A list that takes long is no reason to begin others.
    await asked(namespace)
      .attempted(limits.firstListMs)
      .catch(() => undefined);
  }

  return {
    async read(namespace) {
      if (isClosed) return undefined;
      const informer = asked(namespace);
      await informer.attempted(limits.firstListMs);
      endSurplus();
      return isUpToDate(informer) ? indexedDeadLetters(informer) : undefined;
    },
    keep(namespace) {
      kept.add(namespace);
      void opening(() => openAhead(namespace));
    },
    release: (namespace) => void kept.delete(namespace),
    get open() {
      return [...open.keys()];
    },
    async close() {
      isClosed = true;
      forget();
      cancelCheck?.();
      for (const namespace of [...open.keys()]) end(namespace);
      await Promise.all(ending);
    },
  };
}

function followDeadLetters(
  { client, clock, log, random, timers }: DeadLetterIndexesDeps,
  namespace: string,
): Informer<IndexedObject> {
  const reducer = createDeadLetterReducer();
  const informer = createInformer<IndexedObject>({
    ...{ client, clock, random, namespace, log: log.child({ namespace }) },
    ...(timers !== undefined && { timers }),
    kind: configMapKind,
    selector: { labelSelector: `${label.deadLetter}=true` },
    trim: reducer.trim,
  });
  informer.onChange((_key, before, after) => reducer.changed(before, after));
  void informer.start();
  return informer;
}

function isUpToDate({ synced, interrupted, silentMs }: Informer<IndexedObject>): boolean {
  return synced && !interrupted && silentMs < maxSilentMs;
}

function* indexedDeadLetters(informer: Informer<IndexedObject>): Iterable<IndexedDeadLetter> {
  for (const { indexed } of informer.items()) if (indexed !== undefined) yield indexed;
}
