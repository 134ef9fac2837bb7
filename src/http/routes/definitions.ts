// Implements /resources/register, /resources/unregister, /resources/types: the resource types of an organization.
import { deliveryOptionsIn } from '../../domain/delivery-options.ts';
import { FairleadError, InvalidRequest } from '../../domain/errors.ts';
import type { SchemaSandbox } from '../../domain/schema.ts';
import { type JsonObject, jsonBytes } from '../../lib/json.ts';
import type { DefinitionStore } from '../../store/interfaces.ts';
import type { ProviderStore } from '../../store/providers/store.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { presentDefinition } from '../response/resource.ts';
import { json, jsonList, noContent } from '../response/send.ts';

export interface DefinitionRoutesDeps {
  readonly definitions: DefinitionStore;
  readonly providers: Pick<ProviderStore, 'requireOpen'>;
  readonly schemas: Pick<SchemaSandbox, 'checkSchema'>;
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
        description: 'The registered definition.',
      },
      errors: ['conflict', 'provider_deleting'],
    },
    handle: async ({ caller, body, about }) => {
      const { provider, resource, description, tags } = body;
      about({ provider, resource });
      await deps.providers.requireOpen(caller.organization, provider);
      const schema = body.schema ?? undefined;
      const tenant = caller.organization.namespace;
      if (schema !== undefined) await requireUsable(deps, schema, tenant);
      const record = await deps.definitions.register(caller.organization, {
        provider,
        resource,
        description,
        schema,
        ...deliveryOptionsIn(body),
        tags: tags ? [...new Set(tags)] : undefined,
      });
      return json(presentDefinition(record));
    },
  });
}

async function requireUsable(
  { schemas, schemaBytes }: DefinitionRoutesDeps,
  schema: JsonObject,
  tenant: string,
): Promise<void> {
  if (jsonBytes(schema) > schemaBytes) {
    throw new FairleadError('too_large', `The schema is larger than ${schemaBytes} bytes`);
  }
  const violations = await schemas.checkSchema(schema, tenant);
  if (violations.length === 0) return;
  throw new InvalidRequest(
    violations.map((each) => ({ ...each, loc: ['body', 'schema', ...each.loc] })),
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
