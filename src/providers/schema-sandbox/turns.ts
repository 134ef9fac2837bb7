// A queue in which tenants take turns, whatever each of them put in: nobody waits behind more than one job of another
// tenant per turn. What belongs to no tenant is one more in the round, without a limit of its own.

export interface TurnLimits {
  /** Of one tenant, under way at a time. */
  readonly runningOfOne: number;
  /** Of one tenant, waiting. */
  readonly waitingOfOne: number;
  /** Of everybody, waiting. */
  readonly waiting: number;
}

type Tenant = string | undefined;

export interface Turns<T> {
  /** How many of those that wait could be taken if there were somebody to do them. */
  readonly ready: number;
  hasRoom(tenant: Tenant): boolean;
  add(tenant: Tenant, item: T): void;
  remove(tenant: Tenant, item: T): void;
  /** Takes the next one; whoever does calls `done` when it has ended. */
  take(): T | undefined;
  done(tenant: Tenant): void;
  all(): readonly T[];
}

export function createTurns<T>(limits: TurnLimits): Turns<T> {
  /** In the order of their turns. */
  const waiting = new Map<Tenant, Set<T>>();
  const running = new Map<Tenant, number>();
  let size = 0;

  function mayRun(tenant: Tenant): number {
    if (tenant === undefined) return Number.POSITIVE_INFINITY;
    return limits.runningOfOne - (running.get(tenant) ?? 0);
  }

  function remove(tenant: Tenant, item: T): void {
    const own = waiting.get(tenant);
    if (own?.delete(item) !== true) return;
    size -= 1;
    if (own.size === 0) waiting.delete(tenant);
  }

  return {
    get ready() {
      let ready = 0;
      for (const [tenant, own] of waiting) ready += Math.min(own.size, Math.max(0, mayRun(tenant)));
      return ready;
    },
    hasRoom(tenant) {
      if (size >= limits.waiting) return false;
      return tenant === undefined || (waiting.get(tenant)?.size ?? 0) < limits.waitingOfOne;
    },
    add(tenant, item) {
      const own = waiting.get(tenant) ?? new Set<T>();
      waiting.set(tenant, own.add(item));
      size += 1;
    },
    remove,
    take() {
      const [tenant, own] = [...waiting].find(([each]) => mayRun(each) > 0) ?? [];
      const [item] = own ?? [];
      if (own === undefined || item === undefined) return undefined;
      remove(tenant, item);
      running.set(tenant, (running.get(tenant) ?? 0) + 1);
      // The others first, before it is this tenant's turn again.
      if (waiting.delete(tenant)) waiting.set(tenant, own);
      return item;
    },
    done(tenant) {
      const left = (running.get(tenant) ?? 0) - 1;
      if (left > 0) running.set(tenant, left);
      else running.delete(tenant);
    },
    all: () => [...waiting.values()].flatMap((own) => [...own]),
  };
}
