// Keeps the PodDisruptionBudget of a provider, which exists while several pods are wanted.
import type { KubeClient, ObjectRef } from '../../kube/api.ts';
import { hasReason } from '../../kube/errors.ts';
import type { DeploymentOptions } from '../../providers/workloads/deployment.ts';
import { disruptionBudget } from '../../providers/workloads/disruption.ts';
import { disruptionBudgetKind } from '../workloads.ts';

/** @param before number of pods that were wanted */
export async function putBudget(
  client: Pick<KubeClient, 'apply' | 'delete'>,
  options: DeploymentOptions,
  before: number,
): Promise<void> {
  if (options.replicas > 1) {
    await client.apply(disruptionBudgetKind, disruptionBudget(options), {
      fieldManager: 'fairlead',
    });
  } else if (before > 1) {
    await removeBudget(client, options);
  }
}

export async function removeBudget(
  client: Pick<KubeClient, 'delete'>,
  { name, namespace }: ObjectRef,
): Promise<void> {
  try {
    await client.delete(disruptionBudgetKind, { name, namespace });
  } catch (thrown) {
    if (!hasReason(thrown, 'notFound')) throw thrown;
  }
}
