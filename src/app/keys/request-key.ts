// The key with which one API process signs its requests to providers: made at its start, never stored. The others read its
// public half at its Lease, as each of them serves the key set that providers fetch.
import { createSigner, generateEventKey, type Signer } from '../../events/sign.ts';
import type { Clock } from '../../lib/clock.ts';
import { jsonIn } from '../../lib/json.ts';
import { isPublicKey, keyId, type PublicKeys } from '../../store/event-keys.ts';
import { annotation } from '../../store/kinds.ts';
import type { Replicas } from '../../store/replicas.ts';

interface RequestKey {
  readonly signer: Signer;
  /** The annotations that the other processes read about this one. */
  readonly annotations: Readonly<Record<string, string>>;
}

export async function makeRequestKey(clock: Clock): Promise<RequestKey> {
  const signer = createSigner(await generateEventKey(), clock);
  const [key] = signer.publicKeys().keys;
  return { signer, annotations: { [annotation.requestKey]: JSON.stringify(key) } };
}

/** @returns the keys of all API processes, as of the last look at their Leases */
export function requestKeys({ members }: Pick<Replicas, 'members'>): PublicKeys {
  const keys = [...members.values()].flatMap(
    (each) => publicKeyIn(each[annotation.requestKey]) ?? [],
  );
  return [...new Map(keys.map((key) => [keyId(key), key])).values()];
}

function publicKeyIn(text: string | undefined): object | undefined {
  const key = jsonIn(text ?? '');
  return isPublicKey(key) ? key : undefined;
}
