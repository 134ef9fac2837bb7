// Implements /resources: the desired state of an organization.
import type { z } from 'zod';
import { ErrorBody } from '../../api/schemas/core.ts';
import type { ListResources } from '../../api/schemas/resources.ts';
import { InvalidRequest } from '../../domain/errors.ts';
import { type ResourceAddress, resourceAddress } from '../../domain/identity.ts';
import type { Clock } from '../../lib/clock.ts';
import type { DefinitionStore, DeletionOptions, ResourceStore } from '../../store/interfaces.ts';
import type { ResourceFilter, ResourceRecord as StoredRecord } from '../../store/records.ts';
import type { ResourceWatches } from '../../store/watches/index.ts';
import type { Caller } from '../auth/authenticate.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { planHeader, planHeaderOf } from '../request/dry-run.ts';
import { projectIdIn } from '../request/project.ts';
import { callerView, type Showing, viewOfPiece } from '../response/caller-view.ts';
import { eventStreamType, wantsEvents } from '../response/event-stream.ts';
import { linkTo } from '../response/headers.ts';
import { presentResource } from '../response/resource.ts';
import {
  json,
  jsonList,
  jsonPieces,
  mapPieces,
  noContent,
  type RouteAnswer,
} from '../response/send.ts';
import { type ApplyRoutesDeps, applyResource, updateResource } from './apply.ts';
import { observationRoutes } from './observation.ts';
import { createResourceWaits, type OpenRequest, type ResourceWaits } from './resource-waits.ts';

export interface ResourceRoutesDeps extends Omit<ApplyRoutesDeps, 'waits' | 'definitions'> {
  readonly resources: ResourceStore;
  readonly definitions: Pick<DefinitionStore, 'find' | 'findFresh' | 'list' | 'schemasOf'>;
  readonly watches: ResourceWatches;
  readonly clock: Clock;
}

const tag = 'Resources';
const found = {
  status: 200,
  description: 'The resource, or its changes as events.',
  headers: { ETag: 'Version of the resource, for `If-Match`.' },
  type: eventStreamType,
};
const watching =
  'With `Accept: text/event-stream`, answers with events: an `upsert` with the record for each resource that exists, then `synced`, then every change: `upsert`, `deleting` (when the answer does not include resources in deletion) and `deleted` (gone, or no filter matches any more). After a lost connection, the `id` of the last event as `Last-Event-ID` continues the stream; an event `reset` means that everything follows anew. A comment is sent after every few seconds of silence. An event `expired` is the last one when the token expires.';
const readingText = `${watching} With \`Prefer: wait\`, answers when the resource is a draft, ready or failed, or when the time is up.`;
const deletion = {
  description:
    'Rejected while other resources that are not drafts use the resource, unless forced, and while the resource is protected. A repeated request retries a deletion that failed permanently. With `Prefer: wait`, answers when the resource is gone or its deletion has failed, or when the time is up.',
  answer: {
    status: 204,
    description:
      'The resource is deleted, in deletion, or did not exist. Reads answer 404 from now on, unless they include resources in deletion.',
    headers: planHeaderOf('delete', 'retry', 'none'),
  },
  otherAnswers: [
    {
      status: 202,
      description: 'The deletion was still under way when the time to wait was up.',
      schema: ErrorBody,
    },
  ],
  errors: [
    'resource_in_use',
    'resource_protected',
    'deletion_failed',
    'precondition_failed',
    'plan_required',
  ] as const,
};

type Deps = ResourceRoutesDeps & { readonly waits: ResourceWaits };

export function resourceRoutes(given: ResourceRoutesDeps): readonly Endpoint[] {
  const deps = { ...given, waits: createResourceWaits(given) };
  return [
    listResources(deps),
    applyResource(deps),
    ...updateResource(deps),
    ...byId(deps),
    ...byTuple(deps),
    ...observationRoutes(deps),
  ];
}

function listResources(deps: Deps): Endpoint {
  const { waits } = deps;
  return endpoint('listResources', {
    documentation: {
      tag,
      summary: 'List resources',
      description: `In a fixed order, nearly that of provider, resource and name. All filters must match. With \`limit\`, \`Link\` has the next page; the last page may be empty. ${watching}`,
      answer: {
        status: 200,
        description: 'The matching resources, or their changes as events.',
        type: eventStreamType,
      },
    },
    handle: async ({ query, accept, ...rest }) => {
      const request = hidingSecrets(rest, query);
      const { caller } = request;
      const { project } = caller;
      const asEvents = wantsEvents(accept);
      if (asEvents) refusePages(query);
      const asked = await askedProject(deps, caller, query);
      // For a token confined to one project other projects are empty, just as their resources are not found.
      const isEmpty = project !== undefined && (asked ?? project) !== project;
      if (isEmpty && !asEvents) return json([]);
      const projectId = isEmpty ? noProject : (project ?? asked);
      const filter = resourceFilter(query, projectId);
      if (asEvents) return waits.watch(request, { filter });
      return await presentList(deps, request, { filter, query });
    },
  });
}

async function askedProject(
  { projectNames }: Pick<Deps, 'projectNames'>,
  caller: Caller,
  { project_id: text }: z.output<typeof ListResources>,
): Promise<string | undefined> {
  if (text === undefined) return undefined;
  return await projectIdIn(projectNames, { caller, text, loc: ['query', 'project_id'] });
}

/** No project has this id. */
const noProject = '';

function refusePages(query: z.output<typeof ListResources>): void {
  const given = (['limit', 'cursor'] as const).filter((name) => query[name] !== undefined);
  if (given.length === 0) return;
  throw new InvalidRequest(
    given.map((name) => ({
      loc: ['query', name],
      msg: `A stream of events has no pages; omit ${name}`,
      type: 'value_error',
    })),
  );
}

function resourceFilter(
  query: z.output<typeof ListResources>,
  projectId: string | undefined,
): ResourceFilter {
  const { lifecycle_state: state, project_id: _text, secrets: _hide, ...filters } = query;
  // A parameter that is no filter does not compile.
  return { ...(filters satisfies Pick<ResourceFilter, keyof typeof filters>), state, projectId };
}

async function presentList(
  deps: Deps,
  request: Showing & { readonly caller: Caller },
  { filter, query }: { filter: ResourceFilter; query: z.output<typeof ListResources> },
): Promise<RouteAnswer> {
  const { organization } = request.caller;
  const { limit, cursor } = filter;
  const { resources } = deps;
  const view = callerView(request, deps);
  // One by one: others have their turn between two of them.
  function* present(records: readonly StoredRecord[]) {
    const piece = viewOfPiece(view);
    for (const record of records) yield presentResource(record, piece);
  }
  if (limit === undefined && cursor === undefined) {
    const pieces = resources.listAll(organization, filter);
    return await jsonPieces(mapPieces(pieces, present));
  }
  const { records, next } = await resources.list(organization, filter);
  return await jsonList(present(records), {
    headers: linkTo('/resources/', query, next),
  });
}

async function deleteResource(
  { resources, waits }: Deps,
  request: OpenRequest,
  {
    address,
    isPreview,
    ...options
  }: DeletionOptions & { address: ResourceAddress; isPreview: boolean },
): Promise<RouteAnswer> {
  const { organization } = request.caller;
  if (isPreview) {
    const change = await resources.previewDeletion(organization, address, options);
    return { ...noContent, headers: planHeader(change) };
  }
  await resources.requestDeletion(organization, address, options);
  return waits.deleted(request, address);
}

function hidingSecrets<Request extends object>(
  request: Request,
  { secrets }: { readonly secrets?: 'hide' | undefined },
): Request & { readonly hidesSecrets: boolean } {
  return { ...request, hidesSecrets: secrets === 'hide' };
}

function byId(deps: Deps): readonly Endpoint[] {
  return [
    endpoint('getResource', {
      documentation: {
        tag,
        summary: 'Get a resource',
        description: readingText,
        answer: found,
        errors: ['resource_not_found'],
      },
      handle: ({ path: { resource_id: address }, query, ...request }) =>
        deps.waits.read(hidingSecrets(request, query), {
          address,
          deleting: query.deleting !== undefined,
        }),
    }),
    endpoint('deleteResource', {
      documentation: {
        tag,
        summary: 'Delete a resource',
        ...deletion,
      },
      handle: ({ path: { resource_id: address }, query, precondition, ...request }) =>
        deleteResource(deps, request, {
          address,
          scope: request.caller.project,
          force: query.force,
          orphan: query.orphan,
          isPreview: query.dry_run,
          precondition: precondition(),
        }),
    }),
  ];
}

/** Serves the same two for the third form of an id with unescaped slashes, which many clients send. */
function byTuple(deps: Deps): readonly Endpoint[] {
  return [
    endpoint('getResourceByName', {
      documentation: {
        tag,
        summary: 'Get a resource by provider, type and name',
        description: readingText,
        answer: found,
        errors: ['resource_not_found'],
      },
      handle: ({ path: tuple, query, ...request }) =>
        deps.waits.read(hidingSecrets(request, query), {
          address: resourceAddress(tuple),
          deleting: query.deleting !== undefined,
        }),
    }),
    endpoint('deleteResourceByName', {
      documentation: {
        tag,
        summary: 'Delete a resource by provider, type and name',
        ...deletion,
      },
      handle: ({ path: tuple, query, precondition, ...request }) =>
        deleteResource(deps, request, {
          address: resourceAddress(tuple),
          scope: request.caller.project,
          force: query.force,
          orphan: query.orphan,
          isPreview: query.dry_run,
          precondition: precondition(),
        }),
    }),
  ];
}
