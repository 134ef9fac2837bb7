// Writes the guards of a namespace and waits for the caches, because later checks read the caches.
import { setTimeout as pause } from 'node:timers/promises';
import { type KubeClient, keyFor } from '../../kube/api.ts';
import { hasReason } from '../../kube/errors.ts';
import { read } from '../../store/put.ts';
import { type Guard, type GuardObject, guardKinds } from './guard-kinds.ts';
import type { GuardCaches } from './guard-watch.ts';
import { guardObject, isWholeGuard } from './guards.ts';

interface PutDeps {
  readonly client: KubeClient;
  readonly guards: GuardCaches;
}

const cacheMs = 5_000;

// A new binding takes effect in an API server after a moment.
const rightsMs = 2_000;
const rightsPauseMs = 20;

/**
 * Role bindings go first, one after the other: their rights are needed to write the others. The first of those waits until the
 * rights have taken effect; the rest are written concurrently.
 * @throws KubeError that of the first guard that cannot be written; others may be in place then
 */
export async function putGuards(
  guards: readonly Guard[],
  namespace: string,
  deps: PutDeps,
): Promise<void> {
  const bindings = guards.filter(({ of }) => of === 'roleBinding');
  const [first, ...rest] = guards.filter((guard) => !bindings.includes(guard));
  const patience = bindings.length === 0 ? 0 : rightsMs / rightsPauseMs;
  const putPatiently = (guard: Guard) =>
    whileForbidden(patience, () => putGuard(guard, namespace, deps));
  for (const binding of bindings) await putGuard(binding, namespace, deps);
  if (first !== undefined) await putPatiently(first);
  const outcomes = await Promise.allSettled(rest.map(putPatiently));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
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

async function putGuard(
  guard: Guard,
  namespace: string,
  { client, guards }: PutDeps,
): Promise<void> {
  const kind = guardKinds[guard.of];
  const ref = { namespace, name: guard.name };
  // A guard that is in no cache is new, as a rule: the API server tells when it is not.
  const isKnown = guards[guard.of].get(keyFor(ref)) !== undefined;
  const found = isKnown ? await read<GuardObject>(client, kind, ref) : undefined;
  const wanted = guardObject(guard, namespace, found);
  const written =
    found === undefined
      ? await createGuard(client, { guard, namespace, wanted })
      : await replaceGuard(client, { guard, namespace, wanted });
  if (!isWholeGuard(guard, written)) {
    // Another spelling than ours, or another writer that changes it: an immediate retry would never end.
    throw new TypeError(
      `The API server stored ${kind.kind} ${namespace}/${guard.name} with different content`,
    );
  }
  const { resourceVersion = '' } = written.metadata;
  await guards[guard.of].reached(keyFor(ref), resourceVersion, cacheMs);
}

interface GuardReplacement {
  readonly guard: Guard;
  readonly namespace: string;
  readonly wanted: GuardObject;
}

async function createGuard(client: KubeClient, { guard, namespace, wanted }: GuardReplacement) {
  const kind = guardKinds[guard.of];
  try {
    return await client.create(kind, wanted);
  } catch (thrown) {
    // An object that lost our label is in no cache, and Kubernetes creates the account `default` of a namespace itself.
    if (!hasReason(thrown, 'alreadyExists')) throw thrown;
    const ref = { namespace, name: guard.name };
    const found = await client.get<GuardObject>(kind, ref);
    const replaced = guardObject(guard, namespace, found);
    return await replaceGuard(client, { guard, namespace, wanted: replaced });
  }
}

async function replaceGuard(client: KubeClient, { guard, namespace, wanted }: GuardReplacement) {
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
