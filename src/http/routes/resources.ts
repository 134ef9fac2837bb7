// Implements /resources: the desired state of an organization.
import type { z } from 'zod';
import { ErrorCode } from '../../domain/errors.ts';
import { keyOf, type ResourceAddress, type ResourceTuple, slashed } from '../../domain/identity.ts';
import type { DeletionOptions, ResourceStore } from '../../store/interfaces.ts';
import type { ResourceFilter, ResourcePage } from '../../store/records.ts';
import type { Caller } from '../auth/authenticate.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { planHeader, planHeaderOf } from '../request/dry-run.ts';
import { ifMatch } from '../request/preconditions.ts';
import { linkTo } from '../response/link.ts';
import { answerWith, presentResource } from '../response/resource.ts';
import { type Answer, json, jsonList, noContent } from '../response/send.ts';
import {
  DeleteResourceQuery,
  GetResourceQuery,
  ListResources,
  ResourceIdPath,
  ResourceRecord,
  ResourceRecords,
  ResourceTuplePath,
} from '../schemas/resources.ts';
import { type ApplyRoutesDeps, applyResource } from './apply.ts';

export interface ResourceRoutesDeps extends ApplyRoutesDeps {
  readonly resources: ResourceStore;
}

const tag = 'Resources';
const found = {
  status: 200,
  description: 'The resource.',
  schema: ResourceRecord,
  headers: { ETag: 'Version of the resource, for `If-Match`.' },
};
const deletion = {
  description:
    'Rejected while other resources that are not drafts use the resource, unless forced. A repeated request retries a deletion that failed permanently.',
  answer: {
    status: 204,
    description:
      'The resource is deleted, in deletion, or did not exist. Reads answer 404 from now on, unless they include resources in deletion.',
    headers: planHeaderOf('delete', 'retry', 'none'),
  },
  errors: [ErrorCode.resourceInUse, ErrorCode.preconditionFailed],
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

async function deleteResource(
  { resources }: ResourceRoutesDeps,
  { organization }: Caller,
  {
    address,
    isPreview,
    ...options
  }: DeletionOptions & { address: ResourceAddress; isPreview: boolean },
): Promise<Answer> {
  if (isPreview) {
    const change = await resources.previewDeletion(organization, address, options);
    return { ...noContent, headers: planHeader(change) };
  }
  await resources.requestDeletion(organization, address, options);
  return noContent;
}

function byId(deps: ResourceRoutesDeps): readonly Endpoint[] {
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
        const record = await deps.resources.get(caller.organization, resource_id, options);
        return answerWith(record);
      },
    }),
    endpoint({
      method: 'DELETE',
      path,
      access: 'deleteResource',
      accepts: { path: ResourceIdPath, query: DeleteResourceQuery, headers: ifMatch },
      documentation: {
        operationId: 'deleteResource',
        tag,
        summary: 'Delete a resource',
        ...deletion,
      },
      handle: ({ caller, path: { resource_id: address }, query, precondition }) =>
        deleteResource(deps, caller, {
          address,
          scope: caller.project,
          force: query.force,
          isPreview: query.dry_run,
          precondition: precondition(),
        }),
    }),
  ];
}

/** Serves the same two for the third form of an id with unescaped slashes, which many clients send. */
function byTuple(deps: ResourceRoutesDeps): readonly Endpoint[] {
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
        const record = await deps.resources.get(caller.organization, addressOf(tuple), options);
        return answerWith(record);
      },
    }),
    endpoint({
      method: 'DELETE',
      path,
      access: 'deleteResource',
      accepts: { path: ResourceTuplePath, query: DeleteResourceQuery, headers: ifMatch },
      documentation: {
        operationId: 'deleteResourceByName',
        tag,
        summary: 'Delete a resource by provider, type and name',
        ...deletion,
      },
      handle: ({ caller, path: tuple, query, precondition }) =>
        deleteResource(deps, caller, {
          address: addressOf(tuple),
          scope: caller.project,
          force: query.force,
          isPreview: query.dry_run,
          precondition: precondition(),
        }),
    }),
  ];
}
