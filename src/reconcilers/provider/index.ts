// Says in the status of a Provider whether its events have somewhere to go.
import { type ConditionWanted, conditions, Reason } from '../../crds/conditions.ts';
import type { Provider } from '../../crds/provider.ts';
import type { Clock } from '../../domain/clock.ts';
import { canonicalJson, type JsonObject } from '../../domain/json.ts';
import { endpointProblem } from '../../events/endpoint-url.ts';
import {
  type Informer,
  type KubeClient,
  type PolicyRule,
  type Reconciler,
  settled,
} from '../../kube/api.ts';
import { apiVersion, kinds } from '../../store/kinds.ts';

/** `npm run generate` copies these into manifests and chart. */
export const rules = [
  { apiGroups: ['fairlead.dev'], resources: ['providers'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: ['fairlead.dev'], resources: ['providers/status'], verbs: ['update'] },
] satisfies readonly PolicyRule[];

interface Deps {
  readonly client: KubeClient;
  readonly providers: Pick<Informer<Provider>, 'get' | 'remember'>;
  readonly clock: Clock;
}

export function createProviderReconciler({ client, providers, clock }: Deps): Reconciler {
  return {
    name: 'provider',
    async reconcile(key) {
      const provider = providers.get(key);
      if (provider === undefined || provider.metadata.deletionTimestamp !== undefined)
        return settled;
      const next = statusOf(provider, clock.now());
      const present = provider.status ?? null;
      if (canonicalJson(next as JsonObject) === canonicalJson(present as JsonObject | null))
        return settled;
      const { name, namespace = '', uid = '', resourceVersion = '' } = provider.metadata;
      const written = await client.replaceStatus<Provider>(kinds.provider, {
        apiVersion,
        kind: kinds.provider.kind,
        metadata: { name, namespace, uid, resourceVersion },
        status: next,
      });
      providers.remember(written);
      return settled;
    },
  };
}

function statusOf(
  { metadata, spec, status }: Provider,
  now: Date,
): NonNullable<Provider['status']> {
  const { generation = 0 } = metadata;
  const previous = status?.conditions ?? [];
  return {
    ...status,
    observedGeneration: generation,
    conditions: conditions(wantedConditions(spec), { previous, generation, now }),
  };
}

function wantedConditions({ endpoint }: Provider['spec']): readonly ConditionWanted[] {
  if (endpoint === undefined) {
    const message = 'No endpoint is set and no version is deployed';
    return [{ type: 'Ready', status: 'False', reason: Reason.NotDeployed, message }];
  }
  const problem = endpointProblem(endpoint);
  if (problem === undefined) {
    const message = 'Events are sent to the endpoint of the spec';
    return [{ type: 'Ready', status: 'True', reason: Reason.ExternalEndpoint, message }];
  }
  const reason = Reason.InvalidEndpoint;
  return [
    { type: 'Ready', status: 'False', reason, message: problem },
    { type: 'Stalled', status: 'True', reason, message: problem },
  ];
}
