// Implements /resources/register, /resources/unregister, /resources/types: the resource types of an organization.
import { FairleadError, InvalidRequest } from '../../domain/errors.ts';
import type { Organization } from '../../domain/identity.ts';
import { openOutputsSentence } from '../../domain/references/reference-check.ts';
import { identityProblem } from '../../domain/schemas/identity-problem.ts';
import type { SchemaOf } from '../../domain/schemas/immutable.ts';
import { possibleValues } from '../../domain/schemas/possible-values.ts';
import type { SchemaSandbox } from '../../domain/schemas/schema.ts';
import { typeOptionsIn } from '../../domain/type-options.ts';
import { identifiedVersionsIn, type TypeVersions } from '../../domain/type-version.ts';
import { type JsonObject, jsonBytes } from '../../lib/json.ts';
import type { DefinitionStore, ResourceStore } from '../../store/interfaces.ts';
import type { ProviderStore } from '../../store/providers/store.ts';
import type { WantedDefinition } from '../../store/records.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { planHeader, planHeaderOf } from '../request/dry-run.ts';
import { warningHeader } from '../response/headers.ts';
import { presentDefinition } from '../response/resource.ts';
import { json, jsonList, noContent, type RouteAnswer } from '../response/send.ts';
import {
  findIncompatible,
  incompatibleIds,
  maxListed,
  misfitsInWords,
} from './incompatible-resources.ts';

export interface DefinitionRoutesDeps {
  readonly definitions: DefinitionStore;
  readonly providers: Pick<ProviderStore, 'requireOpen'>;
  readonly resources: Pick<ResourceStore, 'list' | 'readers'>;
  readonly schemas: Pick<SchemaSandbox, 'checkSchema' | 'validate'>;
  /** The largest schema, in bytes of compact JSON. */
  readonly schemaBytes: number;
}

const tag = 'Types';

export function definitionRoutes(deps: DefinitionRoutesDeps): readonly Endpoint[] {
  return [listTypes(deps), registerType(deps), unregisterType(deps)];
}

function listTypes({ definitions }: DefinitionRoutesDeps): Endpoint {
  return endpoint('listTypes', {
    documentation: {
      tag,
      summary: 'List registered types',
      description: 'Sorted by provider and resource.',
      answer: { status: 200, description: 'The types.' },
    },
    handle: async ({ caller }) => {
      const records = await definitions.list(caller.organization);
      return jsonList(records.map(presentDefinition));
    },
  });
}

function registerType(deps: DefinitionRoutesDeps): Endpoint {
  return endpoint('registerType', {
    documentation: {
      tag,
      summary: 'Register a type, or replace its definition',
      description: 'Existing resources do not change; the new schema applies to later requests.',
      answer: {
        status: 200,
        description: 'The registered definition. With `dry_run=true`, as it would be.',
        headers: {
          ...planHeaderOf('create', 'update', 'none'),
          Warning: 'Present when `outputs_schema` permits members that it does not describe.',
        },
      },
      errors: ['conflict', 'provider_deleting', 'schemas_break'],
    },
    handle: async ({ caller: { organization }, query: { strict, dry_run }, body, about }) => {
      const { provider, resource, description, tags } = body;
      about({ provider, resource });
      await deps.providers.requireOpen(organization, provider);
      const schema = body.schema ?? undefined;
      const versions = identifiedVersionsIn(body);
      for (const each of schemasIn(schema, versions)) {
        await requireUsable(deps, each, organization.namespace);
      }
      requireUsableIdentity(versions);
      const wanted = {
        provider,
        resource,
        description,
        schema,
        ...versions,
        ...typeOptionsIn({ ...body, observe: body.observe ?? body.observable }),
        tags: tags ? [...new Set(tags)] : undefined,
      };
      if (strict || dry_run) {
        const answer = await previewDefinition(deps, organization, { wanted, strict });
        if (dry_run) return withWarning(answer, wanted);
      }
      const record = await deps.definitions.register(organization, wanted);
      return withWarning(json(presentDefinition(record)), wanted);
    },
  });
}

function withWarning(
  answer: RouteAnswer,
  { provider, resource, outputsSchema }: WantedDefinition,
): RouteAnswer {
  if (outputsSchema === undefined) return answer;
  const warning = openOutputsSentence(`${provider}/${resource}`, possibleValues(outputsSchema));
  return {
    ...answer,
    headers: { ...answer.headers, ...warningHeader(warning === undefined ? [] : [warning]) },
  };
}

/** @throws FairleadError schemas_break in strict mode, and `unavailable` when the configs could not be checked in time */
async function previewDefinition(
  deps: DefinitionRoutesDeps,
  organization: Organization,
  { wanted, strict }: { readonly wanted: WantedDefinition; readonly strict: boolean },
): Promise<RouteAnswer> {
  const { change, record } = await deps.definitions.previewRegister(organization, wanted);
  const { provider, resource } = wanted;
  const found = await findIncompatible(deps, organization, { provider, resource, types: [wanted] });
  const note = misfitsInWords(`the schema of ${provider}/${resource}`, found);
  // A schema that is in force already breaks nothing more.
  if (strict && change !== 'none' && note !== '') throw new FairleadError('schemas_break', note);
  const ids = incompatibleIds(found);
  const misfits = {
    incompatible_count: ids.length,
    incompatible_resources: ids.slice(0, maxListed),
  };
  return json({ ...presentDefinition(record), ...misfits }, { headers: planHeader(change) });
}

interface DefinitionSchemaAt {
  readonly loc: readonly (string | number)[];
  readonly schema: JsonObject;
  readonly of: SchemaOf;
}

function schemasIn(
  schema: JsonObject | undefined,
  { outputsSchema, adoptSchema, earlierVersions = [] }: TypeVersions,
): readonly DefinitionSchemaAt[] {
  const config = (
    each: JsonObject | undefined,
    ...loc: DefinitionSchemaAt['loc']
  ): readonly DefinitionSchemaAt[] =>
    each === undefined ? [] : [{ loc: [...loc, 'schema'], schema: each, of: 'config' }];
  const outputs = (
    each: JsonObject | undefined,
    ...loc: DefinitionSchemaAt['loc']
  ): readonly DefinitionSchemaAt[] =>
    each === undefined ? [] : [{ loc: [...loc, 'outputs_schema'], schema: each, of: 'outputs' }];
  return [
    ...config(schema),
    ...outputs(outputsSchema),
    ...(adoptSchema === undefined
      ? []
      : [{ loc: ['adopt_schema'], schema: adoptSchema, of: 'adopt' } as const]),
    ...earlierVersions.flatMap((each, index) => [
      ...config(each.schema, 'earlier_versions', index),
      ...outputs(each.outputsSchema, 'earlier_versions', index),
    ]),
  ];
}

function requireUsableIdentity({ identity, outputsSchema, adoptSchema }: TypeVersions): void {
  if (identity === undefined) return;
  const found = identityProblem(identity, { outputs: outputsSchema, adopt: adoptSchema });
  if (found === undefined) return;
  const loc = ['body', 'identity', ...found.loc];
  throw new InvalidRequest([{ loc, msg: found.problem, type: 'value_error' }]);
}

async function requireUsable(
  { schemas, schemaBytes }: DefinitionRoutesDeps,
  { loc, schema, of }: DefinitionSchemaAt,
  tenant: string,
): Promise<void> {
  if (jsonBytes(schema) > schemaBytes) {
    const which = loc.length === 1 ? loc[0] : loc.join('.');
    throw new FairleadError('too_large', `The ${which} is larger than ${schemaBytes} bytes`);
  }
  const violations = await schemas.checkSchema(schema, tenant, of);
  if (violations.length === 0) return;
  throw new InvalidRequest(
    violations.map((each) => ({ ...each, loc: ['body', ...loc, ...each.loc] })),
  );
}

function unregisterType({ definitions }: DefinitionRoutesDeps): Endpoint {
  return endpoint('unregisterType', {
    documentation: {
      tag,
      summary: 'Unregister a type',
      description: 'Its resources stay readable and can be deleted.',
      answer: { status: 204, description: 'The type is unregistered, or was not registered.' },
    },
    handle: async ({ caller, path: { provider, resource } }) => {
      await definitions.unregister(caller.organization, provider, resource);
      return noContent;
    },
  });
}
