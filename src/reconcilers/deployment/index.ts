// Runs the version of a Provider and reports in its status whether its events have an endpoint.
import type { Clock } from '../../domain/clock.ts';
import {
  type Outcome,
  type Reconciler,
  type ScopedRules,
  settled,
  waitUntil,
} from '../../kube/api.ts';
import { kinds } from '../../store/kinds.ts';
import { writeStalled } from '../stalled.ts';
import { type ActDeps, act, manifestOf } from './act.ts';
import { createAppliedBook } from './applied.ts';
import { certificateOf, renewalAt } from './certificate.ts';
import { decide } from './decide.ts';
import { type ObserveDeps, type Observed, observe } from './observe.ts';

/** `npm run generate` generates roles from these. */
export const rules = {
  cluster: [
    {
      apiGroups: ['fairlead.dev'],
      resources: ['providers'],
      verbs: ['get', 'list', 'watch', 'patch'],
    },
    { apiGroups: ['fairlead.dev'], resources: ['providers/status'], verbs: ['update'] },
    { apiGroups: ['apps'], resources: ['deployments'], verbs: ['list', 'watch'] },
    { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'] },
  ],
  tenant: [
    {
      apiGroups: ['apps'],
      resources: ['deployments'],
      verbs: ['create', 'patch', 'delete'],
    },
    {
      apiGroups: ['policy'],
      resources: ['poddisruptionbudgets'],
      verbs: ['create', 'patch', 'delete'],
    },
    { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
  ],
} satisfies ScopedRules;

export type DeploymentReconcilerDeps = Omit<ObserveDeps & ActDeps, 'applied' | 'clock'> & {
  readonly clock: Clock;
};

export function createDeploymentReconciler(given: DeploymentReconcilerDeps): Reconciler {
  const applied = createAppliedBook(given.clock);
  const deps = { ...given, applied };
  return {
    name: 'deployment',
    async reconcile(key) {
      const observed = observe(key, deps);
      if (observed === undefined) {
        applied.forget(key);
        return settled;
      }
      const at = { manifest: manifestOf(observed, deps), now: deps.clock.now() };
      const outcome = await act(decide(observed, at), observed, deps);
      return outcome === settled ? untilRenewal(observed, deps) : outcome;
    },
    stalled: (key, stall) =>
      writeStalled(key, stall, {
        ...deps,
        kind: kinds.provider,
        cache: deps.providers,
        statusOf: ({ status = {} }) => status,
      }),
  };
}

/** A timer is at most as long as this; the pass after it sets the next one. */
const longestWaitMs = 24 * 60 * 60 * 1_000;

/** Nothing changes when a certificate must be renewed, so no watch starts a pass. */
function untilRenewal(
  { provider, deployment }: Observed,
  { clock, certificates: { lifeMs } }: DeploymentReconcilerDeps,
): Outcome {
  const found = certificateOf(deployment);
  if (found === undefined || provider.spec.version === undefined) return settled;
  const renewal = renewalAt(found.expiresAt, provider.metadata.uid ?? '', lifeMs).getTime();
  const now = clock.now().getTime();
  // A pass that could not renew it has its own reason to wait.
  if (renewal <= now) return settled;
  return waitUntil(new Date(Math.min(renewal, now + longestWaitMs)));
}
