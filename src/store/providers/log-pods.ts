// Lists the pods of a provider, with what their status shows about their logs.
import type { Organization } from '../../domain/identity.ts';
import type { KubeClient, KubeObject } from '../../kube/api.ts';
import { podKind } from '../../kube/client.ts';
import { label } from '../kinds.ts';
import { providerContainer } from './pod-lines.ts';

interface PodRun {
  readonly startedAt?: string;
}

export interface LogPod extends KubeObject {
  readonly status?: {
    readonly containerStatuses?: readonly {
      readonly name: string;
      readonly state?: { readonly running?: PodRun; readonly terminated?: PodRun };
      /** The state of the container before the last restart. */
      readonly lastState?: { readonly terminated?: PodRun };
    }[];
  };
}

export interface PodFilter {
  readonly provider: string;
  readonly version?: string | undefined;
}

const maxPods = 20;

/** @returns the newest pods */
export async function podsOf(
  client: Pick<KubeClient, 'list'>,
  { namespace }: Organization,
  { provider, version }: PodFilter,
): Promise<readonly LogPod[]> {
  const ofVersion = version === undefined ? '' : `,${label.version}=${version}`;
  const labelSelector = `${label.managedBy}=fairlead,${label.provider}=${provider},!${label.build}${ofVersion}`;
  const { items } = await client.list<LogPod>(podKind, { namespace, labelSelector });
  const created = ({ metadata }: KubeObject) => metadata.creationTimestamp ?? '';
  return items.sort((left, right) => (created(left) < created(right) ? 1 : -1)).slice(0, maxPods);
}

/** @returns when the container whose log is read started, as the API server writes it */
export function containerStart(pod: LogPod, previous: boolean): string | undefined {
  const { state, lastState } = containerStatus(pod) ?? {};
  // While it waits for its restart, its log is the one of the run before.
  const present = state?.running ?? state?.terminated ?? lastState?.terminated;
  return (previous ? lastState?.terminated : present)?.startedAt;
}

/** @returns whether its container was restarted, so that its node has a second log */
export function wasRestarted(pod: LogPod): boolean {
  return containerStatus(pod)?.lastState?.terminated !== undefined;
}

function containerStatus({ status }: LogPod) {
  return status?.containerStatuses?.find(({ name }) => name === providerContainer);
}
