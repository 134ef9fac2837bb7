// Signs with the private event key. Only a process that sends events reads it; the others have the public key.
import { setTimeout as pause } from 'node:timers/promises';
import { createSigner, generateEventKey, type Signer } from '../../events/sign.ts';
import { type ArtifactTokens, createArtifactTokens } from '../../http/auth/artifact-tokens.ts';
import type { KubeClient } from '../../kube/api.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { type PublicKeys, publishedKeysMs, publishKeys } from '../../store/event-keys.ts';
import { givenKey, keepKey, systemKeys } from '../../store/system.ts';

export interface Signing {
  readonly signer: Signer;
  readonly tokens: ArtifactTokens;
  readonly publicKeys: PublicKeys;
  /**
   * Publishes the public key, and restores it during a term.
   * @param keeps whether another published key stays, by its id; default: none does
   * @throws KubeError when it cannot be published
   */
  publish(
    client: KubeClient,
    signal: AbortSignal,
    keeps?: (keyId: string) => boolean,
  ): Promise<void>;
}

type EventKey = Awaited<ReturnType<typeof generateEventKey>>;

const republishMs = 30_000;

/** @throws KubeError, and TypeError when the Secret holds no key */
export async function openSigning(
  { client, clock, log }: { client: KubeClient; clock: Clock; log: Log },
  {
    systemNamespace: namespace,
    eventKeySecret,
  }: { systemNamespace: string; eventKeySecret?: string | undefined },
): Promise<Signing> {
  const key =
    eventKeySecret === undefined
      ? await keepKey(client, { namespace, name: systemKeys.events }, generateEventKey)
      : await givenKey<EventKey>(client, { namespace, name: eventKeySecret });
  const signer = createSigner(key, clock);
  const publicKeys = signer.publicKeys().keys;
  // The API waits for the first key. Only the leader replaces a key, or two releases would overwrite each other.
  await publishKeys({ client, namespace }, publicKeys, { onlyFirst: true });
  return {
    signer,
    tokens: await createArtifactTokens(key, clock),
    publicKeys,
    async publish(guarded, signal, keeps) {
      const place = { client: guarded, namespace };
      const options = keeps === undefined ? {} : { keeps };
      const outcome = await publishKeys(place, publicKeys, options);
      if (outcome === 'replaced') {
        log.info({}, 'Published the public key of a new event key');
        // Providers without the new key ask the API, whose replicas have read it by then.
        await pause(2 * publishedKeysMs, undefined, { signal }).catch(() => undefined);
      }
      void keepPublished(signal, async () => {
        await publishKeys(place, publicKeys, options).catch((thrown: unknown) => {
          if (!signal.aborted)
            log.warn({ error: thrown }, 'Publishing the public event key failed; retrying');
        });
      });
    },
  };
}

/** Somebody may delete the ConfigMap; new API replicas would then wait for the next leader. */
async function keepPublished(signal: AbortSignal, publish: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await pause(republishMs, undefined, { signal, ref: false }).catch(() => undefined);
    if (!signal.aborted) await publish();
  }
}
