// The state and the pods of a provider as people see them. Pure.
import type { Provider } from '../api/shapes.ts';

/** The state of a provider or a deployment. */
type State = Pick<Provider, 'status' | 'serving_version'>;
export type Pods = Pick<Provider, 'ready_replicas' | 'available_replicas' | 'replicas'>;

/** @returns `rolling` while new pods start beside a version that has taken over, and the state of the API otherwise */
export function deploymentState({ status, serving_version: serving }: State): string {
  return status === 'progressing' && serving !== null ? 'rolling' : status;
}

/** @returns pods of those that are wanted: during a rollout there are more */
export function podCounts({
  ready_replicas: ready,
  available_replicas: available,
  replicas,
}: Pods) {
  return { ready: Math.min(ready, replicas), available: Math.min(available, replicas), replicas };
}
