// Builds the PodDisruptionBudget of a provider with several pods. Pure.
import { type DeploymentOptions, servingPodsSelector, workloadMetadata } from './deployment.ts';

/** @returns the budget: a drain evicts one pod after the other */
export function disruptionBudget(options: DeploymentOptions) {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: workloadMetadata(options),
    spec: {
      maxUnavailable: 1,
      // A pod that is not ready receives no events, and must not block a drain.
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
      selector: servingPodsSelector(options),
    },
  };
}
