// Implements /resources: the desired state of an organization. It writes intent; reconcilers do the rest.
import type { z } from 'zod';
import { ErrorCode, FairleadError, InvalidRequest } from '../../domain/errors.ts';
import { keyOf, type ResourceTuple, slashed } from '../../domain/identity.ts';
import { jsonBytes } from '../../domain/json.ts';
import type { SchemaSandbox } from '../../domain/schema.ts';
import type { DefinitionStore, ResourceStore, ValidateConfig } from '../../store/interfaces.ts';
import type {
  DefinitionRecord,
  ResourceFilter,
  ResourcePage,
  WantedResource,
} from '../../store/records.ts';
import type { Caller } from '../auth/authenticate.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { checkConfig } from '../request/config-validation.ts';
import { linkTo } from '../response/link.ts';
import { presentResource } from '../response/resource.ts';
import { type Answer, json, jsonList, noContent } from '../response/send.ts';
import {
  ApplyResource,
  DeleteResourceQuery,
  GetResourceQuery,
  ListResources,
  ResourceIdPath,
  ResourceRecord,
  ResourceRecords,
  ResourceTuplePath,
} from '../schemas/resources.ts';

export interface ResourceRoutesDeps {
  readonly resources: ResourceStore;
  readonly definitions: Pick<DefinitionStore, 'find' | 'list'>;
  readonly schemas: Pick<SchemaSandbox, 'validate'>;
  /** The largest config, in bytes of compact JSON. */
  readonly configBytes: number;
}

const tag = 'Resources';
const found = { status: 200, description: 'The resource.', schema: ResourceRecord };
const applying = [
  'A `draft` is only stored. For `pending`, the type must be registered and the config valid, and the resource is sent to its provider.',
  'Repeating a request changes nothing, so a retry is safe.',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what callers write
  'A string in the config may be, or contain, `${provider/resource/name.outputs.path}`: an output of another resource of the project, on which this resource then depends. A preceding `$` escapes it.',
].join(' ');
const deletion = {
  description:
    'Rejected while other resources that are not drafts use the resource, unless forced. A repeated request retries a deletion that failed permanently.',
  answer: {
    status: 204,
    description:
      'The resource is deleted, in deletion, or did not exist. Reads answer 404 from now on, unless they include resources in deletion.',
  },
  errors: [ErrorCode.resourceInUse],
};

export function resourceRoutes(deps: ResourceRoutesDeps): readonly Endpoint[] {
  return [listResources(deps), applyResource(deps), ...byId(deps), ...byTuple(deps)];
}

function listResources({ resources }: ResourceRoutesDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/resources/',
    access: 'listResources',
    accepts: { query: ListResources },
    documentation: {
      operationId: 'listResources',
      tag,
      summary: 'List resources',
      description: 'Sorted by provider, resource and name. All filters must match.',
      answer: { status: 200, description: 'The matching resources.', schema: ResourceRecords },
    },
    handle: async ({ caller, query }) => {
      const { project } = caller;
      const elsewhere = query.project_id !== undefined && query.project_id !== project;
      // For a token confined to one project other projects are empty, just as their resources are not found.
      if (project !== undefined && elsewhere) return json([]);
      const filter: ResourceFilter = {
        provider: query.provider,
        resource: query.resource,
        tags: query.tags,
        state: query.lifecycle_state,
        projectId: project ?? query.project_id,
        deleting: query.deleting,
        limit: query.limit,
        cursor: query.cursor,
      };
      return presentPage(await resources.list(caller.organization, filter), query);
    },
  });
}

function presentPage(
  { records, next }: ResourcePage,
  query: z.output<typeof ListResources>,
): Answer {
  const headers = linkTo('/resources/', query, next);
  return jsonList(records.map(presentResource), { headers });
}

function applyResource(deps: ResourceRoutesDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/resources/apply',
    access: 'applyResource',
    accepts: { body: ApplyResource },
    documentation: {
      operationId: 'applyResource',
      tag,
      summary: 'Create a resource, or update it if it exists',
      description: applying,
      answer: { status: 200, description: 'The current resource.', schema: ResourceRecord },
      errors: [ErrorCode.resourceBusy, ErrorCode.providerDeleting, ErrorCode.limitReached],
    },
    handle: async ({ caller, body }) => {
      const wanted = wantedFrom(body);
      if (jsonBytes(wanted.config) > deps.configBytes) {
        const message = `The config is larger than ${deps.configBytes} bytes`;
        throw new FairleadError(ErrorCode.tooLarge, message);
      }
      const validateConfig = configValidator(deps, caller, wanted.tuple);
      const options = { scope: caller.project, validateConfig, by: caller.subject };
      const record = await deps.resources.apply(caller.organization, wanted, options);
      return json(presentResource(record));
    },
  });
}

function wantedFrom(body: z.output<typeof ApplyResource>): WantedResource {
  const { provider, resource, name, config, lifecycle_state, tags, dependencies } = body;
  return {
    tuple: { provider, resource, name },
    config,
    lifecycle: lifecycle_state,
    // Both are sets: duplicates are dropped.
    tags: tags ? [...new Set(tags)] : tags,
    dependencies: dependencies && uniqueTuples(dependencies),
    projectId: body.project_id ?? undefined,
  };
}

function uniqueTuples<T extends ResourceTuple>(tuples: readonly T[]): readonly T[] {
  return [...new Map(tuples.map((each) => [slashed(each), each])).values()];
}

/** The store calls it once content would be committed; only then must the config match the type's schema. */
function configValidator(
  { definitions, schemas }: ResourceRoutesDeps,
  { organization, project }: Caller,
  { provider, resource }: ResourceTuple,
): ValidateConfig {
  return async (config) => {
    const definition = await definitions.find(organization, provider, resource);
    if (definition === undefined) {
      // Types are not visible to tokens that are confined to a project.
      const all = project === undefined ? await definitions.list(organization) : undefined;
      const msg = `Type ${provider}/${resource} is not registered${registeredOf(provider, all)}`;
      throw new InvalidRequest([
        { loc: ['body', 'resource'], msg, type: 'value_error', input: resource },
      ]);
    }
    if (definition.schema === null) return;
    const checked = { config, tenant: organization.namespace };
    const violations = await checkConfig(schemas, definition.schema, checked);
    if (violations.length === 0) return;
    throw new InvalidRequest(
      violations.map((each) => ({ ...each, loc: ['body', 'config', ...each.loc] })),
    );
  };
}

const maxNamed = 20;

function registeredOf(provider: string, all: readonly DefinitionRecord[] | undefined): string {
  if (all === undefined) return '';
  const names = all.filter((each) => each.provider === provider).map(({ resource }) => resource);
  if (names.length === 0) return `; provider ${provider} has no registered types`;
  const more = names.length > maxNamed ? ', …' : '';
  return `; registered: ${names.slice(0, maxNamed).join(', ')}${more}`;
}

function byId({ resources }: ResourceRoutesDeps): readonly Endpoint[] {
  const path = '/resources/{resource_id}';
  return [
    endpoint({
      method: 'GET',
      path,
      access: 'getResource',
      accepts: { path: ResourceIdPath, query: GetResourceQuery },
      documentation: {
        operationId: 'getResource',
        tag,
        summary: 'Get a resource',
        answer: found,
        errors: [ErrorCode.resourceNotFound],
      },
      handle: async ({ caller, path: { resource_id }, query }) => {
        const options = { scope: caller.project, deleting: query.deleting !== undefined };
        const record = await resources.get(caller.organization, resource_id, options);
        return json(presentResource(record));
      },
    }),
    endpoint({
      method: 'DELETE',
      path,
      access: 'deleteResource',
      accepts: { path: ResourceIdPath, query: DeleteResourceQuery },
      documentation: {
        operationId: 'deleteResource',
        tag,
        summary: 'Delete a resource',
        ...deletion,
      },
      handle: async ({ caller, path: { resource_id }, query: { force } }) => {
        const options = { scope: caller.project, force };
        await resources.requestDeletion(caller.organization, resource_id, options);
        return noContent;
      },
    }),
  ];
}

/** Serves the same two for the third form of an id with unescaped slashes, which many clients send. */
function byTuple({ resources }: ResourceRoutesDeps): readonly Endpoint[] {
  const path = '/resources/{provider}/{resource}/{name}';
  const addressOf = (tuple: ResourceTuple) => ({
    key: keyOf(tuple),
    tuple,
    text: slashed(tuple),
  });
  return [
    endpoint({
      method: 'GET',
      path,
      access: 'getResource',
      accepts: { path: ResourceTuplePath, query: GetResourceQuery },
      documentation: {
        operationId: 'getResourceByName',
        tag,
        summary: 'Get a resource by provider, type and name',
        answer: found,
        errors: [ErrorCode.resourceNotFound],
      },
      handle: async ({ caller, path: tuple, query }) => {
        const options = { scope: caller.project, deleting: query.deleting !== undefined };
        const record = await resources.get(caller.organization, addressOf(tuple), options);
        return json(presentResource(record));
      },
    }),
    endpoint({
      method: 'DELETE',
      path,
      access: 'deleteResource',
      accepts: { path: ResourceTuplePath, query: DeleteResourceQuery },
      documentation: {
        operationId: 'deleteResourceByName',
        tag,
        summary: 'Delete a resource by provider, type and name',
        ...deletion,
      },
      handle: async ({ caller, path: tuple, query: { force } }) => {
        const options = { scope: caller.project, force };
        await resources.requestDeletion(caller.organization, addressOf(tuple), options);
        return noContent;
      },
    }),
  ];
}
