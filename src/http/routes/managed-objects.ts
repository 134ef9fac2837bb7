// Finds the resource that has an object which a provider lists.
import type { Organization } from '../../domain/identity.ts';
import { canonicalJson, type JsonObject } from '../../lib/json.ts';
import type { ResourceStore } from '../../store/interfaces.ts';
import type { ResourceRecord } from '../../store/records.ts';

interface Listed {
  readonly adopt: JsonObject;
  readonly name: string | undefined;
}

/** @returns a function to the resource that imported the object, or else the one with its name */
export async function managersOf(
  resources: Pick<ResourceStore, 'list'>,
  organization: Organization,
  { provider, resource }: { readonly provider: string; readonly resource: string },
): Promise<(listed: Listed) => ResourceRecord | undefined> {
  const filter = { provider, resource, deleting: 'include' } as const;
  const { records } = await resources.list(organization, filter);
  const byAdopt = new Map<string, ResourceRecord>();
  const byName = new Map<string, ResourceRecord>();
  for (const record of records) {
    byName.set(record.name, record);
    if (record.adopt !== null) byAdopt.set(canonicalJson(record.adopt), record);
  }
  return ({ adopt, name }) =>
    byAdopt.get(canonicalJson(adopt)) ?? (name === undefined ? undefined : byName.get(name));
}
