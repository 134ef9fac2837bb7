// Implements /resources/{id}/observe and /correct: an observation of the object of a resource now, and a correction of its drift.
import { randomUUID } from 'node:crypto';
import { FairleadError } from '../../domain/errors.ts';
import { type ResourceAddress, resourceAddress } from '../../domain/identity.ts';
import type {
  DefinitionStore,
  Precondition,
  RequireObservable,
  ResourceStore,
} from '../../store/interfaces.ts';
import { retiredInWords } from '../../store/providers/type-in-force.ts';
import type { DefinitionRecord } from '../../store/records.ts';
import type { Caller } from '../auth/authenticate.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import type { RouteAnswer } from '../response/send.ts';
import type { OpenRequest, ResourceWaits } from './resource-waits.ts';

interface ObservationRoutesDeps {
  readonly resources: Pick<ResourceStore, 'observe' | 'correct'>;
  readonly definitions: Pick<DefinitionStore, 'find' | 'findFresh'>;
  readonly waits: Pick<ResourceWaits, 'corrected' | 'observed'>;
}

const answer = {
  status: 200,
  description: 'The resource.',
  headers: { ETag: 'Version of the resource, for `If-Match`.' },
};
const observing = {
  tag: 'Resources',
  summary: 'Observe the object of a resource now',
  description:
    'Nothing is changed outside. The result is in `observation` and `drift` of the record. With `Prefer: wait`, answers when the object was observed, or could not be, or when the time is up. Also of a resource that is observed only on request (`observe.every: never`).',
  answer,
  errors: ['resource_not_found', 'not_observable'] as const,
};
const correcting = {
  tag: 'Resources',
  summary: 'Correct the drift of a resource',
  description:
    'Sends an UPDATE to the provider of a ready resource that has drifted, or a CREATE when its object is gone. Without drift, changes nothing and answers with the resource. With `Prefer: wait`, answers when the resource is ready or failed, or when the time is up.',
  answer,
  errors: [
    'resource_not_found',
    'not_observable',
    'conflict',
    'provider_deleting',
    'precondition_failed',
  ] as const,
};

export function observationRoutes(deps: ObservationRoutesDeps): readonly Endpoint[] {
  return [
    endpoint('observeResource', {
      documentation: observing,
      handle: ({ path: { resource_id: address }, ...request }) =>
        startObservation(deps, request, address),
    }),
    endpoint('observeResourceByName', {
      documentation: observing,
      handle: ({ path: tuple, ...request }) =>
        startObservation(deps, request, resourceAddress(tuple)),
    }),
    endpoint('correctResource', {
      documentation: correcting,
      handle: ({ path: { resource_id: address }, ...request }) =>
        startCorrection(deps, request, address),
    }),
    endpoint('correctResourceByName', {
      documentation: correcting,
      handle: ({ path: tuple, ...request }) =>
        startCorrection(deps, request, resourceAddress(tuple)),
    }),
  ];
}

async function startObservation(
  { resources, waits, definitions }: ObservationRoutesDeps,
  request: OpenRequest,
  address: ResourceAddress,
): Promise<RouteAnswer> {
  const { organization, project: scope } = request.caller;
  const record = await resources.observe(organization, address, {
    scope,
    request: randomUUID(),
    requireObservable: observableType(definitions, request.caller),
  });
  return await waits.observed(request, record);
}

interface CorrectionRequest extends OpenRequest {
  readonly precondition: () => Precondition | undefined;
  readonly traceparent: string | undefined;
}

async function startCorrection(
  { resources, waits, definitions }: ObservationRoutesDeps,
  request: CorrectionRequest,
  address: ResourceAddress,
): Promise<RouteAnswer> {
  const { organization, project: scope } = request.caller;
  const record = await resources.correct(organization, address, {
    scope,
    precondition: request.precondition(),
    requireObservable: observableType(definitions, request.caller),
    traceparent: request.traceparent,
  });
  return await waits.corrected(request, record);
}

function observableType(
  { find, findFresh }: ObservationRoutesDeps['definitions'],
  { organization }: Caller,
): RequireObservable {
  return async ({ provider, resource }) => {
    if (isObservedType(await find(organization, provider, resource))) return;
    // The cache may be behind a version that has just taken over.
    const type = await findFresh(organization, provider, resource);
    if (isObservedType(type)) return;
    throw type?.retired == null
      ? notObservable(provider, resource)
      : new FairleadError('not_observable', retiredInWords({ provider, resource }, type.retired));
  };
}

/** No pod of the version that serves can look at objects of a type that it lacks. */
function isObservedType(type: DefinitionRecord | undefined): boolean {
  return type?.observe === true && type.retired === null;
}

export function notObservable(provider: string, resource: string): FairleadError {
  const message = `Provider ${provider} does not observe objects of type ${resource}; deploy a version of it with the handler observe`;
  return new FairleadError('not_observable', message);
}
