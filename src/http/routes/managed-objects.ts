// Finds the resource that has an object which a provider lists.
import { type Organization, slashed } from '../../domain/identity.ts';
import { canonicalJson, type JsonObject } from '../../lib/json.ts';
import type { ResourceStore } from '../../store/interfaces.ts';

interface Listed {
  readonly adopt: JsonObject;
  readonly name: string | undefined;
}

/** @returns a function to `provider/resource/name`: of the resource that imported the object, or else of the one with its name */
export async function managersOf(
  resources: Pick<ResourceStore, 'list'>,
  organization: Organization,
  { provider, resource }: { readonly provider: string; readonly resource: string },
): Promise<(listed: Listed) => string | null> {
  const filter = { provider, resource, deleting: 'include' } as const;
  const { records } = await resources.list(organization, filter);
  const byAdopt = new Map<string, string>();
  const byName = new Map<string, string>();
  for (const record of records) {
    byName.set(record.name, slashed(record));
    if (record.adopt !== null) byAdopt.set(canonicalJson(record.adopt), slashed(record));
  }
  return ({ adopt, name }) =>
    byAdopt.get(canonicalJson(adopt)) ?? (name === undefined ? null : (byName.get(name) ?? null));
}
