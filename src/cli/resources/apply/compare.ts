// Compares what declarations would store with what is stored, field by field, for people and programs.
import type { ResourceRecord } from '../../../api/shapes.ts';
import { type Difference, differencesOf } from '../../../client/differences.ts';
import { schemasOfType } from '../../../client/type-schemas.ts';
import type { TypeSchemas } from '../../../domain/secrets/type-schemas.ts';
import type { Api } from '../../session/api/client.ts';
import { inParallel } from '../../session/api/parallel.ts';
import { undefinedIfMissing } from '../../terminal/errors/api-error.ts';
import type { CheckedDeclaration } from './check.ts';

export interface ComparedDeclaration {
  readonly resource: string;
  readonly change: string;
  readonly differences: readonly Difference[];
  /** The resources that use it: they are updated when an output changes. While there are any, it is not replaced. */
  readonly users: readonly string[];
  /** The fields because of which it is replaced. */
  readonly forced_by: readonly string[];
  /** Why a replacement is refused. */
  readonly obstacle: 'protected' | 'in_use' | null;
}

/** @param showSecrets also shows what the schema of a type marks as secret */
export async function compareAll(
  api: Api,
  checked: readonly CheckedDeclaration[],
  { showSecrets = false }: { showSecrets?: boolean } = {},
): Promise<readonly ComparedDeclaration[]> {
  const schemas = showSecrets ? undefined : await schemasOfTypes(api);
  return await inParallel(checked, (each) => compareDeclaration(api, each, schemas));
}

type TypeSchemasByName = ReadonlyMap<string, TypeSchemas>;

async function compareDeclaration(
  api: Api,
  { declaration: { ref, body }, change, record, replacement }: CheckedDeclaration,
  schemas: TypeSchemasByName | undefined,
): Promise<ComparedDeclaration> {
  const before = change === 'none' ? record : await currentRecord(api, ref);
  // The default project of a new resource is no difference that a file makes.
  const after = { ...(record ?? body), project_id: body.project_id ?? '' };
  const { config: schema, adopt: adoptSchema } =
    schemas?.get(`${body.provider}/${body.resource}`) ?? {};
  const shown = schemas === undefined;
  const differences = differencesOf(before, after, { schema, adoptSchema, shown });
  const made = changeOf(change, { before, differences });
  const { forcedBy = [], obstacle } = replacement ?? {};
  const isInUse = obstacle?.code === 'resource_in_use';
  const users = made === 'update' || obstacle ? await usersOfResource(api, ref) : [];
  const why = obstacle && (isInUse ? 'in_use' : 'protected');
  return {
    resource: ref,
    ...{ change: made, differences, users },
    ...{ forced_by: forcedBy, obstacle: why ?? null },
  };
}

/** A busy resource is updated later. */
function changeOf(
  change: string,
  {
    before,
    differences,
  }: { before: ResourceRecord | undefined; differences: readonly Difference[] },
): string {
  if (change !== 'busy') return change;
  if (before === undefined) return 'create';
  return differences.length === 0 ? 'none' : 'update';
}

async function schemasOfTypes(api: Api): Promise<TypeSchemasByName> {
  const types = await api.list('listTypes', {});
  return new Map(types.map((each) => [`${each.provider}/${each.resource}`, schemasOfType(each)]));
}

async function currentRecord(api: Api, ref: string): Promise<ResourceRecord | undefined> {
  const path = { resource_id: ref };
  return await api.call('getResource', { path }).catch(undefinedIfMissing);
}

async function usersOfResource(api: Api, ref: string): Promise<readonly string[]> {
  return (await api.call('explainResource', { path: { resource_id: ref } })).users;
}
