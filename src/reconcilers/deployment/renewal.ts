// Pure. Decides about certificates of pods that serve although the wanted version cannot be applied, or does not become ready:
// while an organization is suspended, settings or a Build are missing, or a newer version fails.
import type { Build } from '../../crds/build.ts';
import { label } from '../../store/kinds.ts';
import { missingSettings } from '../../store/providers/setting-names.ts';
import { isTrue, type Pod } from '../workloads.ts';
import {
  type CertificateSettings,
  certificateOf,
  certificateOfPod,
  isDue,
  versionOfDeployment,
} from './certificate.ts';
import type { Observed } from './observe.ts';
import { isLate } from './progress.ts';
import { strangeSecret } from './settings.ts';

export interface At {
  readonly certificates: CertificateSettings;
  readonly now: Date;
}

export type RenewalDecision =
  /** Give the running pods a new certificate, and change nothing else of them. */
  | { readonly do: 'renew' }
  /** Apply the version that serves, with a new certificate; the wanted one follows once its pods are replaced. */
  | { readonly do: 'renewServing' }
  | { readonly do: 'nothing' };

/** While the wanted version may not be applied, the Deployment is of the version that serves. */
export function renewRunning(observed: Observed, at: At): RenewalDecision | undefined {
  const { provider, deployment, unguarded } = observed;
  const held = certificateOf(deployment);
  if (held === undefined || unguarded !== undefined) return undefined;
  if (versionOfDeployment(deployment) !== provider.status?.deployedVersion) return undefined;
  if (deployment?.metadata.deletionTimestamp !== undefined) return undefined;
  return isDue(held, provider.metadata.uid ?? '', at.certificates, at.now)
    ? { do: 'renew' }
    : undefined;
}

/** A version that never becomes ready occupies the Deployment, whose template is the only way to renew pods. */
export function renewServing(observed: Observed, at: At): RenewalDecision | undefined {
  const { provider, deployment, serving, unguarded } = observed;
  if (provider.status?.deployedVersion === provider.spec.version) return undefined;
  if (deployment === undefined || unguarded !== undefined) return undefined;
  if (!servingPods(observed).some((pod) => isDuePod(pod, observed, at))) return undefined;
  if (versionOfDeployment(deployment) === provider.spec.version) {
    return isLate(deployment) && canRun(observed, serving) ? { do: 'renewServing' } : undefined;
  }
  const held = certificateOf(deployment);
  const isRenewed =
    held !== undefined && !isDue(held, provider.metadata.uid ?? '', at.certificates, at.now);
  // It is being replaced. When that fails as well, the wanted version gets its turn.
  return isRenewed && !isLate(deployment) ? { do: 'nothing' } : undefined;
}

/** @returns the pods that get events while another version is wanted */
export function servingPods({ provider, pods }: Pick<Observed, 'provider' | 'pods'>) {
  const { deployedVersion } = provider.status ?? {};
  return pods.filter(
    ({ metadata, status }) =>
      deployedVersion !== undefined &&
      metadata.deletionTimestamp === undefined &&
      metadata.labels?.[label.version] === deployedVersion &&
      isTrue(status?.conditions, 'Ready') !== undefined,
  );
}

function isDuePod(pod: Pod, { provider }: Observed, { certificates, now }: At): boolean {
  const held = certificateOfPod(pod);
  return held !== undefined && isDue(held, provider.metadata.uid ?? '', certificates, now);
}

function canRun({ provider }: Observed, build: Build | undefined): boolean {
  if (build?.status?.phase !== 'success' || build.status.artifact === undefined) return false;
  return (
    strangeSecret({ provider }) === undefined && missingSettings({ provider, build }).length === 0
  );
}
