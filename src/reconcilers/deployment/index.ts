// Runs the version of a Provider and reports in its status whether its events have an endpoint.

import {
  allow,
  type Outcome,
  type Reconciler,
  type ScopedRules,
  settled,
  waitUntil,
} from '../../kube/api.ts';
import type { Clock } from '../../lib/clock.ts';
import { kinds } from '../../store/kinds.ts';
import { writeStalled } from '../stalled.ts';
import { type ActDeps, act } from './act.ts';
import { createAppliedBook } from './applied.ts';
import { certificateOf, certificateOfPod, renewalAt } from './certificate.ts';
import { decide } from './decide.ts';
import { certificateSettings, manifestText } from './manifest.ts';
import { type ObserveDeps, type Observed, observe } from './observe.ts';
import { servingPods } from './renewal.ts';

/** `npm run generate` generates roles from these. */
export const rules = {
  cluster: [
    allow(['get', 'list', 'watch', 'patch'], 'fairlead.dev', ['providers']),
    allow(['update'], 'fairlead.dev', ['providers/status']),
    allow(['patch'], 'fairlead.dev', ['builds']),
    allow(['list', 'create', 'update', 'delete'], 'fairlead.dev', ['resourcedefinitions']),
    allow(['list', 'watch'], 'apps', ['deployments']),
    allow(['list', 'watch'], '', ['pods']),
  ],
  tenant: [
    allow(['create', 'patch', 'delete'], 'apps', ['deployments']),
    allow(['create', 'patch', 'delete'], 'policy', ['poddisruptionbudgets']),
    allow(['create'], '', ['secrets']),
  ],
} satisfies ScopedRules;

type DeploymentReconcilerDeps = Omit<ObserveDeps & ActDeps, 'applied' | 'clock'> & {
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
      const at = {
        manifest: manifestText(observed, deps),
        certificates: certificateSettings(deps),
        now: deps.clock.now(),
      };
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
const maxWaitMs = 24 * 60 * 60 * 1_000;

/** Nothing changes when a certificate must be renewed, so no watch starts a pass. */
function untilRenewal(
  observed: Observed,
  { clock, certificates: { lifeMs } }: DeploymentReconcilerDeps,
): Outcome {
  const { provider, deployment } = observed;
  if (provider.spec.version === undefined) return settled;
  const held = [certificateOf(deployment), ...servingPods(observed).map(certificateOfPod)];
  const now = clock.now().getTime();
  const { uid = '' } = provider.metadata;
  const renewals = held
    .flatMap((each) => (each === undefined ? [] : renewalAt(each.expiresAt, uid, lifeMs).getTime()))
    // A pass that could not renew one has its own reason to wait.
    .filter((renewal) => renewal > now);
  if (renewals.length === 0) return settled;
  return waitUntil(new Date(Math.min(...renewals, now + maxWaitMs)));
}
