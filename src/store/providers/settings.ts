// The store of the settings of providers. The values are in one Secret of the provider, which the API writes and has no right to
// get; Provider.spec.settings records what can be shown. The Secret is written first: after a crash in between the request has
// not succeeded, and the pods that start next already have its values; sending it again records them. A write that lost a race
// for the record starts again with the Secret.
import { randomUUID } from 'node:crypto';
import type { Provider } from '../../crds/provider.ts';
import { type Actor, storedName } from '../../domain/actor.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { Organization } from '../../domain/identity.ts';
import { fieldBytes, maxStoredBytes, storedBytes } from '../../domain/stored-size.ts';
import { allow, type KubeClient, type ScopedRules } from '../../kube/api.ts';
import { hasReason } from '../../kube/errors.ts';
import type { JsonObject, JsonValue } from '../../lib/json.ts';
import { apiVersion, kinds, label, secretKind } from '../kinds.ts';
import { maxRounds, put, read, type StoreDeps } from '../put.ts';
import { providerDeleting } from './gate.ts';
import { settingsSecretOf } from './settings-secret.ts';
import { servingVersionOf } from './type-in-force.ts';

/** `npm run generate` generates roles from these. A patch answers with the Secret, so an admission policy names the Secrets. */
export const settingsRules = {
  tenant: [allow(['create', 'patch'], '', ['secrets'])],
} satisfies ScopedRules;

export interface SettingEntry {
  readonly name: string;
  readonly sensitive: boolean;
  readonly setAt: string;
  readonly setBy: string;
  /** The name of that subject, in the form of `storedName`. */
  readonly setByName?: string | undefined;
}

export interface SettingsRecord {
  readonly provider: string;
  /** The wanted version; undefined for an external provider or one that was never deployed. */
  readonly version: string | undefined;
  /** The version whose pods get events; undefined before the first serves. */
  readonly servingVersion: string | undefined;
  /** Endpoint of an external provider. */
  readonly endpoint: string | undefined;
  /** Name of a Secret that Fairlead does not write. */
  readonly secret: string | undefined;
  /** Name of the Secret that Fairlead writes; undefined before the first write. */
  readonly ownSecret: string | undefined;
  /** Changes with every write; undefined before the first. */
  readonly revision: string | undefined;
  readonly entries: readonly SettingEntry[];
  /** Values of the entries that are not sensitive. */
  readonly values: JsonObject;
}

interface SettingWrite {
  readonly name: string;
  readonly sensitive: boolean;
  readonly value: JsonValue;
  /** The stored form of the value. */
  readonly text: string;
}

export interface SettingsChange {
  readonly set: readonly SettingWrite[];
  /** Names, also of settings without a value. */
  readonly remove: readonly string[];
  /** Recorded values that the schema has marked sensitive since. */
  readonly hide: readonly string[];
  /** The caller. */
  readonly by: Actor;
}

/** Decides on the record that the write replaces; called again when another write was faster. Throws to write nothing. */
export type PlanSettings = (record: SettingsRecord) => Promise<SettingsChange>;

export interface SettingsStore {
  /** @returns an empty record for a provider that was never deployed */
  get(organization: Organization, provider: string): Promise<SettingsRecord>;
  /** @throws FairleadError `conflict`, `provider_deleting`, `too_large`; what `plan` throws */
  write(organization: Organization, provider: string, plan: PlanSettings): Promise<SettingsRecord>;
  /** Decides like `write` and writes nothing. @returns the record as it would be */
  preview(
    organization: Organization,
    provider: string,
    plan: PlanSettings,
  ): Promise<SettingsRecord>;
}

export function createSettingsStore({ client, clock }: StoreDeps): SettingsStore {
  const find = async ({ namespace }: Organization, name: string) => {
    const found = await read<Provider>(client, kinds.provider, { namespace, name });
    if (found?.metadata.deletionTimestamp !== undefined) throw providerDeleting(name);
    return found;
  };
  /** @throws FairleadError `too_large`, before anything is written; what `plan` throws */
  async function decide(organization: Organization, name: string, plan: PlanSettings) {
    const found = await find(organization, name);
    const record = settingsRecord(name, found);
    const change = await plan(record);
    const next = changedSettings(record, change, clock.now());
    requireStorableSettings(found ?? emptyProvider(organization, name), next);
    return { found, change, next };
  }
  return {
    get: async (organization, provider) =>
      settingsRecord(provider, await find(organization, provider)),
    preview: async (organization, provider, plan) =>
      (await decide(organization, provider, plan)).next,
    write: async (organization, provider, plan) => {
      for (let round = 0; round < maxRounds; round += 1) {
        const { found, change, next } = await decide(organization, provider, plan);
        const held = found ?? (await createEmptyProvider(client, organization, provider));
        if (held === undefined) continue;
        await writeSettingsSecret(client, held, change);
        const written = await put<Provider>(client, kinds.provider, withRecord(held, next));
        if (written !== undefined) return settingsRecord(provider, written);
      }
      const message = 'Another client changes the provider at the same time; try again';
      throw new FairleadError('conflict', message);
    },
  };
}

/** The owner of the Secret; nothing runs before a deploy. @returns undefined when somebody else was faster */
function createEmptyProvider(client: KubeClient, organization: Organization, name: string) {
  return put<Provider>(client, kinds.provider, emptyProvider(organization, name));
}

function emptyProvider({ namespace }: Organization, name: string): Provider {
  return {
    apiVersion,
    kind: kinds.provider.kind,
    metadata: { name, namespace },
    spec: { provider: name },
  } as Provider;
}

function settingsRecord(provider: string, found: Provider | undefined): SettingsRecord {
  const { version, endpoint, settingsSecret, settings } = found?.spec ?? {};
  return {
    provider,
    version,
    servingVersion: servingVersionOf(found)?.version,
    endpoint,
    secret: settingsSecret,
    ownSecret: settings?.secret,
    revision: settings?.revision,
    entries: settings?.entries ?? [],
    values: (settings?.values as JsonObject | undefined) ?? {},
  };
}

function changedSettings(
  record: SettingsRecord,
  { set, remove, hide, by }: SettingsChange,
  now: Date,
): SettingsRecord {
  const gone = new Set([...set.map(({ name }) => name), ...remove]);
  const hidden = new Set([...gone, ...hide]);
  const name = storedName(by);
  const about = {
    setAt: now.toISOString(),
    setBy: by.subject,
    ...(name === undefined ? {} : { setByName: name }),
  };
  const kept = record.entries
    .filter(({ name }) => !gone.has(name))
    .map((entry) => (hidden.has(entry.name) ? { ...entry, sensitive: true } : entry));
  const shown = Object.entries(record.values).filter(([name]) => !hidden.has(name));
  const plain = set.filter(({ sensitive }) => !sensitive).map(({ name, value }) => [name, value]);
  return {
    ...record,
    revision: randomUUID(),
    entries: [...kept, ...set.map(({ name, sensitive }) => ({ name, sensitive, ...about }))],
    values: Object.fromEntries([...shown, ...plain]) as JsonObject,
  };
}

/** Status and metadata that are added later. */
const restBytes = 65_536;

/** Before the Secret is written: it would have values that the record lacks. */
function requireStorableSettings(provider: Provider, next: SettingsRecord): void {
  const object = withRecord(provider, next);
  const bytes = storedBytes(object) + fieldBytes(next.values) + restBytes;
  if (bytes <= maxStoredBytes) return;
  const message = `The settings of ${provider.metadata.name} that are not sensitive are together too large to be stored: their Provider would take ${bytes} of at most ${maxStoredBytes} bytes, and each <, > and & in them takes 6. Make them smaller`;
  throw new FairleadError('too_large', message);
}

function withRecord(provider: Provider, { revision, entries, values }: SettingsRecord): Provider {
  const settings = { secret: secretOf(provider), revision, entries: [...entries], values };
  return { ...provider, spec: { ...provider.spec, settings } } as Provider;
}

/** Recorded, because a restored Provider has another uid. */
function secretOf({ metadata, spec }: Provider): string {
  return spec.settings?.secret ?? settingsSecretOf(metadata.name, metadata.uid ?? '');
}

async function writeSettingsSecret(
  client: KubeClient,
  provider: Provider,
  { set, remove }: SettingsChange,
): Promise<void> {
  const { name, namespace = '' } = provider.metadata;
  const ref = { namespace, name: secretOf(provider) };
  const data = {
    ...Object.fromEntries(remove.map((each) => [each, null])),
    ...Object.fromEntries(
      set.map((each) => [each.name, Buffer.from(each.text).toString('base64')]),
    ),
  };
  const patch = () => client.patch(secretKind, ref, { data }, { answer: 'metadata' });
  try {
    await patch();
  } catch (thrown) {
    if (!hasReason(thrown, 'notFound')) throw settingsError(thrown, name);
    if (set.length > 0) await createSecret(client, provider, { data, patch });
  }
}

async function createSecret(
  client: KubeClient,
  provider: Provider,
  { data, patch }: { data: Record<string, string | null>; patch: () => Promise<unknown> },
): Promise<void> {
  const { name, namespace = '', uid = '' } = provider.metadata;
  const owner = { apiVersion, kind: kinds.provider.kind, name, uid };
  const present = Object.entries(data).filter(([, value]) => value !== null);
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: secretOf(provider),
      namespace,
      labels: {
        [label.managedBy]: 'fairlead',
        [label.provider]: name,
        [label.settings]: 'true',
      },
      ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
    },
    type: 'Opaque',
    data: Object.fromEntries(present),
  };
  try {
    await client.create(secretKind, secret, { answer: 'metadata' });
  } catch (thrown) {
    if (!hasReason(thrown, 'alreadyExists')) throw settingsError(thrown, name);
    await patch();
  }
}

/** The only rule that values can break. The error of the API server is not its cause: it would be logged. */
function settingsError(thrown: unknown, provider: string): unknown {
  if (!hasReason(thrown, 'invalid') && !hasReason(thrown, 'tooLarge')) return thrown;
  const message = `The settings of ${provider} are together larger than 1 MiB`;
  return new FairleadError('too_large', message);
}
