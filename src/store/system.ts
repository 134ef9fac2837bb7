// Fairlead's own namespace and the keys in it: of events, of the certificates of providers and of plans.
import { allow, type KubeClient, type KubeObject, type ScopedRules } from '../kube/api.ts';
import { unlessExists } from '../kube/errors.ts';
import { namespaceKind, secretKind } from './kinds.ts';
import { read } from './put.ts';

/** Keys of an installation, by the Secrets that hold them. */
export const systemKeys = {
  events: 'fairlead-event-key',
  /** The certificate authority of providers: its certificate and its private key. */
  authority: 'fairlead-provider-authority',
  /** Key of the digests of plans: the controller creates it, and the API reads it. */
  plans: 'fairlead-plan-key',
  /** Key of the issuer in evaluation mode. */
  evaluation: 'fairlead-evaluation-issuer',
} as const;

/** `npm run generate` generates roles from these. RBAC cannot limit `create` to names: admission does. */
export const systemRules = {
  cluster: [allow(['get'], '', ['namespaces'])],
} satisfies ScopedRules;
export const eventKeyRules = keyRules(systemKeys.events);
export const authorityKeyRules = keyRules(systemKeys.authority);
export const planKeyRules = keyRules(systemKeys.plans);
/** The API only reads it. */
export const planReadingRules = {
  system: [allow(['get'], '', ['secrets'], [systemKeys.plans])],
} satisfies ScopedRules;
export const evaluationKeyRules = keyRules(systemKeys.evaluation);

function keyRules(name: string) {
  return {
    system: [allow(['get'], '', ['secrets'], [name]), allow(['create'], '', ['secrets'])],
  } satisfies ScopedRules;
}

const dataKey = 'key.json';

interface SystemSecret extends KubeObject {
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
  readonly stringData?: Readonly<Record<string, string>>;
  readonly immutable?: boolean;
}

/** Creates the namespace unless it is there. @throws KubeError */
export async function ensureSystemNamespace(client: KubeClient, name: string): Promise<void> {
  // Reads first: on a shared cluster we may not create it.
  if ((await read<KubeObject>(client, namespaceKind, { name })) !== undefined) return;
  await unlessExists(() =>
    client.create(namespaceKind, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }),
  );
}

/**
 * A key of this installation, the same for every replica and after every start: the first caller creates it.
 * @param make makes a new private key, which is stored as JSON
 * @throws KubeError, and TypeError when the Secret contains no key
 */
export async function keepKey<K extends object>(
  client: KubeClient,
  ref: { readonly namespace: string; readonly name: string },
  make: () => Promise<K>,
): Promise<K> {
  const known = await read<SystemSecret>(client, secretKind, ref);
  if (known !== undefined) return keyIn<K>(known);
  const key = await make();
  const secret: SystemSecret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { ...ref },
    type: 'Opaque',
    immutable: true,
    stringData: { [dataKey]: JSON.stringify(key) },
  };
  await unlessExists(() => client.create(secretKind, secret));
  // Always read again: after a write of unknown outcome only this shows the stored key.
  return keyIn<K>(await client.get<SystemSecret>(secretKind, ref));
}

/** A key that somebody else creates and maintains. @throws KubeError, and TypeError when there is none */
export async function givenKey<K extends object>(
  client: KubeClient,
  ref: { readonly namespace: string; readonly name: string },
): Promise<K> {
  const known = await read<SystemSecret>(client, secretKind, ref);
  if (known !== undefined) return keyIn<K>(known);
  throw new TypeError(
    `The Secret ${ref.name} with the key does not exist in the namespace ${ref.namespace}`,
  );
}

function keyIn<K extends object>({ metadata, data }: SystemSecret): K {
  const text = Buffer.from(data?.[dataKey] ?? '', 'base64').toString();
  try {
    return JSON.parse(text) as K;
  } catch {
    throw new TypeError(`The Secret ${metadata.name} contains no key in ${dataKey}`);
  }
}
