// Disturbs the replicas of a soak, one after the other: stops like a rollout, kills like a crash, suspends.
import { setTimeout as pause } from 'node:timers/promises';
import type { Replica } from '../../test/support/servers/replica.ts';

/** Two leases: another replica works meanwhile, and the suspended one finds out late. */
const suspendedMs = 30_000;
const downMs = 2_000;
/** A Lease expires, the work of a replica goes to another, everything is listed again. */
export const aftermathMs = 30_000;

export interface Replicas {
  /** Run from start to end: their memory is sampled. They may be suspended. */
  readonly lasting: { readonly controller: Replica };
  readonly restarted: { readonly api: Replica; readonly controller: Replica };
}

interface Disturbance {
  readonly name: string;
  run(): Promise<void>;
}

/** @param report is called before each @returns how many there were */
export async function disturb(
  replicas: Replicas,
  { everyMs, report, signal }: DisturbOptions,
): Promise<number> {
  const all = disturbances(replicas);
  let count = 0;
  for (;;) {
    await pause(everyMs, undefined, { signal }).catch(() => undefined);
    const next = all[count % all.length];
    if (signal.aborted || next === undefined) return count;
    report(next.name);
    await next.run();
    count += 1;
  }
}

export interface DisturbOptions {
  readonly everyMs: number;
  readonly report: (name: string) => void;
  readonly signal: AbortSignal;
}

function disturbances({ lasting, restarted }: Replicas): readonly Disturbance[] {
  const { api, controller } = restarted;
  return [
    { name: 'kill -9 of a controller', run: () => restart(controller, () => controller.kill()) },
    { name: 'SIGTERM to an API replica', run: () => restart(api, () => api.drain()) },
    { name: 'suspension of a controller', run: () => suspend(lasting.controller) },
    { name: 'SIGTERM to a controller', run: () => restart(controller, () => controller.drain()) },
    { name: 'kill -9 of an API replica', run: () => restart(api, () => api.kill()) },
  ];
}

async function restart(replica: Replica, end: () => Promise<unknown>): Promise<void> {
  await end();
  await pause(downMs);
  await replica.start();
}

async function suspend(replica: Replica): Promise<void> {
  replica.freeze();
  await pause(suspendedMs);
  replica.thaw();
}
