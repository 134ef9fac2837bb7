// Implements /resources/explanations, /resources/{id}/explanation and /events: why resources are in their state.

import { isPermitted, ruleOf } from '../../api/permissions.ts';
import { type ResourceAddress, resourceAddress } from '../../domain/identity.ts';
import type { Explanations } from '../../explanation/explanations.ts';
import type { Rights } from '../../explanation/next-steps/rights.ts';
import type { GetOptions } from '../../store/interfaces.ts';
import type { ProjectNames } from '../../store/projects/names.ts';
import type { ResourceEvents as ResourceEventStore } from '../../store/resources/events.ts';
import type { Caller } from '../auth/authenticate.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { projectIdIn } from '../request/project.ts';
import { presentExplanation, presentGroup, presentResourceEvent } from '../response/explanation.ts';
import { json, type RouteAnswer } from '../response/send.ts';

export interface ExplanationRoutesDeps {
  readonly explanations: Explanations;
  readonly projectNames: ProjectNames;
  readonly resourceEvents: ResourceEventStore;
}

const tag = 'Resources';

/** An operation on one resource, addressed by its id or by provider, type and name. */
interface OfResource {
  readonly operation: 'explainResource' | 'listResourceEvents';
  readonly documentation: Omit<Endpoint['documentation'], 'tag' | 'errors'>;
  readonly answer: (
    caller: Caller,
    address: ResourceAddress,
    options: GetOptions,
  ) => Promise<RouteAnswer>;
}

export function explanationRoutes(deps: ExplanationRoutesDeps): readonly Endpoint[] {
  return [
    listExplanations(deps),
    ...resourceEndpoints(explaining(deps)),
    ...resourceEndpoints(events(deps)),
  ];
}

function listExplanations({ explanations, projectNames }: ExplanationRoutesDeps): Endpoint {
  return endpoint('listExplanations', {
    documentation: {
      tag,
      summary: 'List why resources are not ready, and which have drifted',
      description:
        'Groups the resources by their deepest cause, the largest group first; at most 50 groups. Ready resources that have drifted are grouped by provider and kind of drift.',
      answer: { status: 200, description: 'The causes.' },
    },
    handle: async ({ caller, query }) => {
      const { project, organization } = caller;
      const { project_id: text, lifecycle_state: state, provider, set } = query;
      const loc = ['query', 'project_id'];
      const projectId = text && (await projectIdIn(projectNames, { caller, text, loc }));
      // For a token confined to one project other projects are empty.
      if (project !== undefined && (projectId ?? project) !== project) return json([]);
      const deleting = query.deleting !== undefined;
      const filter = { confinedTo: project, projectId, state, provider, set, deleting };
      const groups = await explanations.groups(organization, filter, rightsOf(caller));
      return json(groups.map(presentGroup));
    },
  });
}

function explaining({ explanations }: ExplanationRoutesDeps): OfResource {
  return {
    operation: 'explainResource',
    documentation: {
      summary: 'Explain why a resource is in its state',
      description:
        'Follows what the resource waits for to the deepest cause, and lists the next steps. Also of a resource in deletion.',
      answer: { status: 200, description: 'The explanation.' },
    },
    answer: async (caller, address, options) => {
      const asked = { ...options, rights: rightsOf(caller) };
      const explanation = await explanations.explain(caller.organization, address, asked);
      return json(presentExplanation(explanation));
    },
  };
}

function events({ resourceEvents }: ExplanationRoutesDeps): OfResource {
  return {
    operation: 'listResourceEvents',
    documentation: {
      summary: 'List the Kubernetes Events of a resource',
      description:
        'Oldest first, at most the newest 100. Kubernetes keeps Events for an hour unless it is configured otherwise. Also of a resource in deletion.',
      answer: { status: 200, description: 'The Events.' },
    },
    answer: async ({ organization }, address, options) =>
      json((await resourceEvents.list(organization, address, options)).map(presentResourceEvent)),
  };
}

/** Steps that the caller may not take are not advised. */
function rightsOf(caller: Caller): Rights {
  return {
    may: (operation) => isPermitted(caller, operation),
    roleFor: (operation) => ruleOf(operation).role,
  };
}

function resourceEndpoints({ operation, documentation, answer }: OfResource): readonly Endpoint[] {
  const shared = { tag, errors: ['resource_not_found'] as const, ...documentation };
  // A deletion that does not end is what people ask about.
  const optionsOf = ({ project }: Caller) => ({ scope: project, deleting: true });
  return [
    endpoint(operation, {
      documentation: shared,
      handle: ({ caller, path: { resource_id } }) => answer(caller, resource_id, optionsOf(caller)),
    }),
    endpoint(`${operation}ByName`, {
      documentation: shared,
      handle: ({ caller, path: tuple }) =>
        answer(caller, resourceAddress(tuple), optionsOf(caller)),
    }),
  ];
}
