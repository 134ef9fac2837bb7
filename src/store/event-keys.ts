// Publishes the public half of the event key in a ConfigMap: the leader writes it, and the API reads it without access to
// the private key. The published key is the one that the leader signs with.

import { allow, type KubeClient, type KubeObject, type ScopedRules } from '../kube/api.ts';
import { pause, systemTimers } from '../kube/timers.ts';
import type { Log } from '../lib/log.ts';
import { configMapKind } from './kinds.ts';
import { maxRounds, put, read } from './put.ts';

export const publishedKeysName = 'fairlead-event-keys';
const dataKey = 'jwks.json';

/** `npm run generate` generates roles from these. */
export const publishingRules = {
  system: [
    allow(['get', 'update'], '', ['configmaps'], [publishedKeysName]),
    allow(['create'], '', ['configmaps']),
  ],
} satisfies ScopedRules;
export const publishedKeyRules = {
  system: [allow(['get'], '', ['configmaps'], [publishedKeysName])],
} satisfies ScopedRules;

/** JSON Web Keys without a private part. */
export type PublicKeys = readonly object[];

interface KeyConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

interface EventKeyStorage {
  readonly client: KubeClient;
  readonly namespace: string;
}

interface KeyPublishOptions {
  /** Changes nothing when any key is published, as for a process that does not lead. */
  readonly onlyFirst?: boolean;
  /** Whether another published key stays, by its id; default: none does. */
  readonly keeps?: (keyId: string) => boolean;
}

/** Publishes these keys. @throws KubeError */
export async function publishKeys(
  { client, namespace }: EventKeyStorage,
  keys: PublicKeys,
  { onlyFirst = false, keeps = () => false }: KeyPublishOptions = {},
): Promise<'unchanged' | 'published' | 'replaced'> {
  const ref = { namespace, name: publishedKeysName };
  const ours = new Set(keys.map(keyId));
  for (let round = 0; round < maxRounds; round += 1) {
    const found = await read<KeyConfigMap>(client, configMapKind, ref);
    const known = publicKeysIn(found);
    const others = (known ?? []).filter((key) => !ours.has(keyId(key)) && keeps(keyId(key)));
    const text = JSON.stringify({ keys: sortedKeys([...keys, ...others]) });
    if (found?.data?.[dataKey] === text) return 'unchanged';
    if (known !== undefined && onlyFirst) return 'unchanged';
    const metadata = { ...ref, ...found?.metadata };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { [dataKey]: text } };
    const written = await put<KeyConfigMap>(client, configMapKind, object);
    if (written !== undefined) return known === undefined ? 'published' : 'replaced';
  }
  throw new Error(`Another client keeps changing the ConfigMap ${publishedKeysName}`);
}

/** @returns the key id of a JSON Web Key */
export function keyId(key: object): string {
  return String((key as { kid?: unknown }).kid);
}

/** The same keys make the same text, whichever process publishes them. */
function sortedKeys(keys: PublicKeys): PublicKeys {
  return keys.toSorted((left, right) => (keyId(left) < keyId(right) ? -1 : 1));
}

interface PublishedKeys {
  /** undefined until a controller has published keys. */
  readonly current: PublicKeys | undefined;
  stop(): void;
}

/** Milliseconds between two reads of the keys by the API. */
export const publishedKeysMs = 2_000;

/** Polls the keys, and keeps the last ones while the API server is unavailable. */
export async function followKeys(
  place: EventKeyStorage & { readonly log: Log },
): Promise<PublishedKeys> {
  const { client, namespace, log } = place;
  const ref = { namespace, name: publishedKeysName };
  const stopping = new AbortController();
  const { signal } = stopping;
  let version: string | undefined;
  let current: PublicKeys | undefined;
  let explained = false;

  function explain(error?: unknown): void {
    if (explained || current !== undefined || signal.aborted) return;
    explained = true;
    const where = `${namespace}/${publishedKeysName}`;
    log.warn({ where, ...(error !== undefined && { error }) }, missing);
  }

  async function look(): Promise<void> {
    try {
      const found = await read<KeyConfigMap>(client, configMapKind, ref);
      if (found === undefined || found.metadata.resourceVersion !== version) {
        current = publicKeysIn(found) ?? current;
        version = found?.metadata.resourceVersion;
      }
      explain();
    } catch (thrown) {
      explain(thrown);
    }
  }

  async function keepLooking(): Promise<void> {
    while (!signal.aborted) {
      await pause(systemTimers, publishedKeysMs, signal);
      if (!signal.aborted) await look();
    }
  }

  await look();
  void keepLooking();
  return {
    get current() {
      return current;
    },
    stop: () => stopping.abort(),
  };
}

const missing =
  'Not ready: no controller has published the public event key yet. Check that fairlead-controller of this release is running';

/** Returns whether a value may be served as a key: it has no private part. */
export function isPublicKey(key: unknown): key is object {
  return typeof key === 'object' && key !== null && !('d' in key);
}

/** @returns undefined for anything but a set of public keys, which the API must not serve */
function publicKeysIn(object: KeyConfigMap | undefined): PublicKeys | undefined {
  try {
    const { keys } = JSON.parse(object?.data?.[dataKey] ?? '') as { keys?: unknown };
    if (!Array.isArray(keys) || keys.length === 0) return undefined;
    return keys.every(isPublicKey) ? keys : undefined;
  } catch {
    return undefined;
  }
}
