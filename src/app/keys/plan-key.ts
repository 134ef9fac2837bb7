// The key of the digests of plans, the same for every replica: a plan that one replica has made is accepted by another. A controller
// creates it, and the API reads it when the first plan is wanted.
import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { FairleadError } from '../../domain/errors.ts';
import type { KubeClient } from '../../kube/api.ts';
import type { Clock } from '../../lib/clock.ts';
import { givenKey, keepKey, systemKeys } from '../../store/system.ts';

interface PlanKeyPlace {
  readonly client: KubeClient;
  readonly namespace: string;
}

interface PlanKey {
  /** 256 bits in base64. */
  readonly secret: string;
}

const keyBytes = 32;
/** Somebody who deletes the Secret replaces the key: until all replicas have read the new one, plans are stale. */
const readAgainMs = 60_000;

const unmadeSeconds = 5;

/** Creates the key unless there is one. @throws KubeError, and TypeError when the Secret holds none */
export async function keepPlanKey({ client, namespace }: PlanKeyPlace): Promise<void> {
  await keepKey<PlanKey>(client, { namespace, name: systemKeys.plans }, () =>
    Promise.resolve({ secret: randomBytes(keyBytes).toString('base64') }),
  );
}

/** @returns a function that reads the key when it is called, at most once a minute */
export function planKeyReader({
  client,
  namespace,
  clock,
}: PlanKeyPlace & { readonly clock: Clock }): () => Promise<KeyObject> {
  let known: { readonly key: Promise<KeyObject>; readonly at: number } | undefined;
  return () => {
    const now = clock.monotonic();
    if (known !== undefined && now - known.at < readAgainMs) return known.key;
    const key = readPlanKey({ client, namespace });
    const reading = { key, at: now };
    known = reading;
    key.catch(() => {
      if (known === reading) known = undefined;
    });
    return key;
  };
}

/** The controllers of an earlier release make no key: an upgrade may replace the API first. */
async function readPlanKey({ client, namespace }: PlanKeyPlace): Promise<KeyObject> {
  try {
    const ref = { namespace, name: systemKeys.plans };
    const key = Buffer.from((await givenKey<Partial<PlanKey>>(client, ref)).secret ?? '', 'base64');
    if (key.length === keyBytes) return createSecretKey(key);
    throw new TypeError(`The Secret ${systemKeys.plans} contains a key of another form`);
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    const message = `The key of plans is missing or cannot be read. A controller creates it when it starts: try again, and if that does not help, delete the Secret ${systemKeys.plans} and restart the controllers`;
    throw new FairleadError('unavailable', message, { cause: thrown, retryAfter: unmadeSeconds });
  }
}
