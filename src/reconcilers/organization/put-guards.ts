// Writes the guards of a namespace one after the other and waits for the caches, because later checks read the caches.
import { setTimeout as pause } from 'node:timers/promises';
import { type KubeClient, keyFor } from '../../kube/api.ts';
import { hasReason } from '../../kube/errors.ts';
import { read } from '../../store/put.ts';
import { type Guard, type GuardObject, guardKinds } from './guard-kinds.ts';
import type { GuardCaches } from './guard-watch.ts';
import { guardObject, isWhole } from './guards.ts';

interface PutDeps {
  readonly client: KubeClient;
  readonly guards: GuardCaches;
}

const cacheMs = 5_000;

// A new binding takes effect in an API server after a moment.
const rightsMs = 2_000;
const rightsPauseMs = 50;

/** @throws KubeError when one cannot be written; those before it are in place then */
export async function putGuards(
  guards: readonly Guard[],
  namespace: string,
  deps: PutDeps,
): Promise<void> {
  const bound = guards.some(({ of }) => of === 'roleBinding');
  for (const guard of guards) {
    const patience = bound && guard.of !== 'roleBinding' ? rightsMs / rightsPauseMs : 0;
    await whileForbidden(patience, () => put(guard, namespace, deps));
  }
}

async function whileForbidden(times: number, attempt: () => Promise<void>): Promise<void> {
  for (let left = times; ; left -= 1) {
    try {
      await attempt();
      return;
    } catch (thrown) {
      if (left <= 0 || !hasReason(thrown, 'forbidden')) throw thrown;
    }
    await pause(rightsPauseMs);
  }
}

async function put(guard: Guard, namespace: string, { client, guards }: PutDeps): Promise<void> {
  const kind = guardKinds[guard.of];
  const ref = { namespace, name: guard.name };
  // Not cached: an object that lost our label is in no cache of ours.
  const found = await read<GuardObject>(client, kind, ref);
  const wanted = guardObject(guard, namespace, found);
  const written =
    found === undefined
      ? await create(client, { guard, namespace, wanted })
      : await replace(client, { guard, namespace, wanted });
  if (!isWhole(guard, written)) {
    // Another spelling than ours, or another writer that changes it: an immediate retry would never end.
    throw new TypeError(
      `The API server stored ${kind.kind} ${namespace}/${guard.name} with different content`,
    );
  }
  const { resourceVersion = '' } = written.metadata;
  await guards[guard.of].reached(keyFor(ref), resourceVersion, cacheMs);
}

interface Replacement {
  readonly guard: Guard;
  readonly namespace: string;
  readonly wanted: GuardObject;
}

async function create(client: KubeClient, { guard, namespace, wanted }: Replacement) {
  const kind = guardKinds[guard.of];
  try {
    return await client.create(kind, wanted);
  } catch (thrown) {
    // Kubernetes creates the account `default` of a new namespace at the same moment.
    if (!hasReason(thrown, 'alreadyExists')) throw thrown;
    const ref = { namespace, name: guard.name };
    const found = await client.get<GuardObject>(kind, ref);
    return await client.replace(kind, guardObject(guard, namespace, found));
  }
}

async function replace(client: KubeClient, { guard, namespace, wanted }: Replacement) {
  const kind = guardKinds[guard.of];
  try {
    return await client.replace(kind, wanted);
  } catch (thrown) {
    // The role of a binding is immutable.
    if (guard.of !== 'roleBinding' || !hasReason(thrown, 'invalid')) throw thrown;
    const { name, uid = '' } = wanted.metadata;
    await client.delete(kind, { namespace, name }, { uid });
    return client.create(kind, guardObject(guard, namespace));
  }
}
