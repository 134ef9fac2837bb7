// A requested rollout, and the state of one.
import type { Deployment, Provider } from '../../../api/shapes.ts';
import { deploymentState, podCounts } from '../../../client/deployment.ts';

type RolloutPods = Pick<Provider, 'status' | 'ready_replicas' | 'available_replicas' | 'replicas'>;

/** @returns ready pods of those that should run, such as `1/2` */
export function podsText(pods: RolloutPods): string {
  const { ready, replicas } = podCounts(pods);
  return `${ready}/${replicas}`;
}

/** A version that already serves is available while more of its pods start. */
export function isRolledOut({
  status,
  available_replicas: available,
  replicas,
}: RolloutPods): boolean {
  return status === 'available' && available >= replicas;
}

/** The rollout that somebody asks for. */
export interface RolloutChoice {
  readonly kind: 'rollback' | 'deploy';
  readonly provider: string;
  /** Null before the first deploy. */
  readonly from: string | null;
  readonly version: string;
}

export type RolloutState = 'running' | 'serving' | 'failed' | 'replaced';

/** @returns how the rollout of a version stands; `replaced` when somebody else has deployed another one since */
export function rolloutState(
  deployment: RolloutPods & Pick<Deployment, 'version'>,
  version: string,
): RolloutState {
  if (deployment.version !== version) return 'replaced';
  if (deployment.status === 'failed') return 'failed';
  return isRolledOut(deployment) ? 'serving' : 'running';
}

/** @returns the state of its deployment; `not deployed` before the first one */
export function providerState(provider: Provider): string {
  const { version, hosted } = provider;
  return hosted && version === null ? 'not deployed' : deploymentState(provider);
}

/** The version that the deployment wants, and the one that a rollback would deploy. */
type RolloutRole = 'current' | 'previous';

export function roleOf(version: string, provider: Provider | undefined): RolloutRole | undefined {
  if (version === provider?.version) return 'current';
  return version === provider?.previous_version ? 'previous' : undefined;
}
