// The store of the private npm registries of an organization. The tokens are in one Secret, which the API writes and has no right to
// get, as lines of an .npmrc for each scope; a ConfigMap records what can be shown. The Secret is written first: after a crash in
// between the request has not succeeded, and sending it again records it.
import { type Actor, storedName } from '../../domain/actor.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { Organization } from '../../domain/identity.ts';
import { npmrcOf, registriesName, scopePattern } from '../../domain/providers/registries.ts';
import { allow, type KubeClient, type KubeObject, type ScopedRules } from '../../kube/api.ts';
import { hasReason } from '../../kube/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { isJsonObject, jsonIn } from '../../lib/json.ts';
import type { Log } from '../../lib/log.ts';
import { configMapKind, label, secretKind } from '../kinds.ts';
import { maxRounds, put, read } from '../put.ts';

/** `npm run generate` generates roles from these. A patch answers with the Secret, so an admission policy names it. */
export const registryRules = {
  tenant: [
    allow(['create', 'patch'], '', ['secrets']),
    allow(['get', 'create', 'update'], '', ['configmaps']),
  ],
} satisfies ScopedRules;

export interface RegistryRecord {
  readonly scope: string;
  readonly url: string;
  readonly setAt: string;
  readonly setBy: string;
  /** As `storedName` returns it. */
  readonly setByName?: string | undefined;
}

interface RegistryWrite {
  readonly scope: string;
  readonly url: string;
  readonly token: string;
  readonly by: Actor;
  /** Checks, and writes nothing. */
  readonly isPreview: boolean;
}

export interface RegistryStore {
  /** @returns the registries in the order of their scopes */
  list(organization: Organization): Promise<readonly RegistryRecord[]>;
  /** @throws FairleadError `conflict` */
  set(organization: Organization, write: RegistryWrite): Promise<RegistryRecord>;
  /** @throws FairleadError `conflict` */
  remove(organization: Organization, scope: string): Promise<void>;
}

interface RecordMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

const maxRegistries = 20;

export function createRegistryStore({
  client,
  clock,
  log,
}: {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Log;
}): RegistryStore {
  const find = ({ namespace }: Organization) =>
    read<RecordMap>(client, configMapKind, { namespace, name: registriesName });

  /** @param change of the recorded texts; throws to write nothing */
  async function write(
    organization: Organization,
    { key, text, npmrc, check }: RegistryChange,
  ): Promise<void> {
    for (let round = 0; round < maxRounds; round += 1) {
      const found = await find(organization);
      check(found?.data ?? {});
      await writeRegistrySecret(client, organization, { key, npmrc });
      const { [key]: _, ...others } = found?.data ?? {};
      const data = text === undefined ? others : { ...others, [key]: text };
      const held = found ?? {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: metadataIn(organization),
      };
      if ((await put(client, configMapKind, { ...held, data } as RecordMap)) !== undefined) return;
    }
    const message = 'Another client changes the registries at the same time; try again';
    throw new FairleadError('conflict', message);
  }

  return {
    list: async (organization) =>
      Object.entries((await find(organization))?.data ?? {})
        .flatMap(([key, text]) => {
          const record = recordIn(key, text);
          const facts = { namespace: organization.namespace, key };
          if (record === undefined) log.warn(facts, unreadable);
          return record ?? [];
        })
        .toSorted((left, right) => (left.scope < right.scope ? -1 : 1)),
    set: async (organization, { scope, url, token, by, isPreview }) => {
      const name = storedName(by);
      const record: RegistryRecord = {
        ...{ scope, url, setAt: clock.now().toISOString(), setBy: by.subject },
        ...(name === undefined ? {} : { setByName: name }),
      };
      const key = scopeName(scope);
      const check = (data: Readonly<Record<string, string>>) => {
        if (data[key] !== undefined || Object.keys(data).length < maxRegistries) return;
        const message = `The organization has ${maxRegistries} registries, which is the limit; remove one first`;
        throw new FairleadError('conflict', message);
      };
      if (isPreview) check((await find(organization))?.data ?? {});
      else {
        const npmrc = npmrcOf(scope, url, token);
        await write(organization, { key, text: JSON.stringify(record), npmrc, check });
      }
      return record;
    },
    remove: async (organization, scope) => {
      const change = { key: scopeName(scope), text: undefined, npmrc: undefined };
      await write(organization, { ...change, check: () => undefined });
    },
  };
}

const unreadable =
  'The ConfigMap fairlead-registries has an entry that is no registry, which is skipped; set the registry of this scope again';

/** The ConfigMap may be written with the role `edit` of Kubernetes. @returns undefined for what `set` did not write */
function recordIn(key: string, text: string): RegistryRecord | undefined {
  const found = jsonIn(text);
  if (!isJsonObject(found)) return undefined;
  const { scope, url, setAt, setBy, setByName } = found;
  const isOwn = typeof scope === 'string' && scopePattern.test(scope) && scopeName(scope) === key;
  if (!isOwn || typeof url !== 'string' || typeof setBy !== 'string') return undefined;
  if (typeof setAt !== 'string' || Number.isNaN(Date.parse(setAt))) return undefined;
  return { scope, url, setAt, setBy, ...(typeof setByName === 'string' ? { setByName } : {}) };
}

interface RegistryChange {
  readonly key: string;
  /** Undefined to remove the registry, like `npmrc`. */
  readonly text: string | undefined;
  readonly npmrc: string | undefined;
  /** Throws to write nothing. */
  readonly check: (data: Readonly<Record<string, string>>) => void;
}

function scopeName(scope: string): string {
  return scope.slice(1);
}

function metadataIn({ namespace }: Organization) {
  return { name: registriesName, namespace, labels: { [label.managedBy]: 'fairlead' } };
}

async function writeRegistrySecret(
  client: KubeClient,
  organization: Organization,
  { key, npmrc }: Pick<RegistryChange, 'key' | 'npmrc'>,
): Promise<void> {
  const metadata = metadataIn(organization);
  const value = npmrc === undefined ? null : Buffer.from(npmrc).toString('base64');
  const patch = () =>
    client.patch(secretKind, metadata, { data: { [key]: value } }, { answer: 'metadata' });
  try {
    await patch();
  } catch (thrown) {
    if (!hasReason(thrown, 'notFound')) throw thrown;
    if (value === null) return;
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata,
      type: 'Opaque',
      data: { [key]: value },
    };
    try {
      await client.create(secretKind, secret, { answer: 'metadata' });
    } catch (refused) {
      if (!hasReason(refused, 'alreadyExists')) throw refused;
      await patch();
    }
  }
}
