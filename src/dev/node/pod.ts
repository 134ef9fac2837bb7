// Defines which pods the local node runs: those that Fairlead makes for builds and providers (`src/providers/workloads`), with what
// the API server adds to them. It does not imitate the rest of a kubelet: a pod with anything else does not start, with the reason in its status.
// Also defines the status that the node writes.
import { z } from 'zod';
import type { KindRef, KubeObject, ObjectMeta } from '../../kube/api.ts';

function core(kind: string, plural: string, namespaced = true): KindRef {
  return { group: '', version: 'v1', kind, plural, namespaced };
}

export const podKind = core('Pod', 'pods');
export const nodeKind = core('Node', 'nodes', false);
export const secretKind = core('Secret', 'secrets');

/** A field without meaning for a process of this machine, or that only the scheduler reads. */
const ignored = z.unknown().optional();
const seconds = z.number().optional();

const envVar = z.strictObject({
  name: z.string(),
  value: z.string().optional(),
  valueFrom: z
    .strictObject({
      secretKeyRef: z.strictObject({ name: z.string(), key: z.string() }).optional(),
      fieldRef: z
        .strictObject({ fieldPath: z.literal('status.podIP'), apiVersion: ignored })
        .optional(),
    })
    .optional(),
});

const probe = z.strictObject({
  httpGet: z.strictObject({
    path: z.string(),
    port: z.number(),
    scheme: z.literal('HTTP').optional(),
  }),
  periodSeconds: seconds,
  timeoutSeconds: seconds,
  failureThreshold: z.number().optional(),
  successThreshold: z.literal(1).optional(),
});

const container = z.strictObject({
  name: z.string(),
  image: z.string(),
  command: z.tuple([z.string()], z.string(), 'is required, because there is no image'),
  env: z.array(envVar).optional(),
  volumeMounts: z
    .array(
      z.strictObject({
        name: z.string(),
        mountPath: z.string(),
        readOnly: ignored,
        recursiveReadOnly: ignored,
      }),
    )
    .optional(),
  startupProbe: probe.optional(),
  readinessProbe: probe.optional(),
  livenessProbe: probe.extend({ terminationGracePeriodSeconds: z.number().optional() }).optional(),
  terminationMessagePath: z.literal('/dev/termination-log').optional(),
  terminationMessagePolicy: z.literal('FallbackToLogsOnError'),
  imagePullPolicy: ignored,
  ports: ignored,
  resources: ignored,
  securityContext: ignored,
});

const volume = z.strictObject({
  name: z.string(),
  emptyDir: z.unknown().optional(),
  secret: z
    .strictObject({
      secretName: z.string(),
      optional: z.boolean().optional(),
      items: z
        .array(z.strictObject({ key: z.string(), path: z.string().regex(/^[^/]+$/) }))
        .optional(),
      defaultMode: ignored,
    })
    .optional(),
});

const podSpec = z.strictObject({
  // With a token, the API server adds a volume to the pod.
  automountServiceAccountToken: z.literal(false),
  restartPolicy: z.literal(['Always', 'Never']),
  activeDeadlineSeconds: seconds,
  terminationGracePeriodSeconds: seconds,
  initContainers: z.array(container).optional(),
  containers: z.array(container),
  volumes: z.array(volume).optional(),
  dnsPolicy: ignored,
  enableServiceLinks: ignored,
  imagePullSecrets: ignored,
  nodeName: ignored,
  nodeSelector: ignored,
  overhead: ignored,
  preemptionPolicy: ignored,
  priority: ignored,
  priorityClassName: ignored,
  runtimeClassName: ignored,
  schedulerName: ignored,
  securityContext: ignored,
  serviceAccount: ignored,
  serviceAccountName: ignored,
  tolerations: ignored,
  topologySpreadConstraints: ignored,
});

export type Container = z.infer<typeof container>;
export type Probe = z.infer<typeof probe>;
export type SecretVolume = NonNullable<z.infer<typeof volume>['secret']>;
export type PodSpec = z.infer<typeof podSpec>;
export type RestartPolicy = PodSpec['restartPolicy'];

/** @returns the first part of a pod that those of Fairlead do not have, and why; undefined for a pod that may run */
export function unsupportedPart(spec: unknown): string | undefined {
  const issues = podSpec.safeParse(spec, { error: podIssue }).error?.issues ?? [];
  // The command of a probe is the reason, not that the probe has no `httpGet`.
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  if (issue === undefined) return undefined;
  const key = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const path = [...issue.path, ...key]
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('');
  return `spec${path} ${issue.message}`;
}

function podIssue(issue: z.core.$ZodRawIssue): string {
  if (issue.code === 'unrecognized_keys') return 'is not supported';
  if (issue.code === 'invalid_value') return `must be ${issue.values.join(' or ')}`;
  return 'has a form that is not supported';
}

export interface Terminated {
  readonly exitCode: number;
  readonly reason: string;
  readonly message?: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
  readonly containerID?: string;
}

export interface ContainerStatus {
  readonly name: string;
  readonly image: string;
  readonly imageID: string;
  readonly containerID?: string;
  readonly restartCount: number;
  readonly ready: boolean;
  readonly started: boolean;
  readonly state: {
    readonly waiting?: { readonly reason: string; readonly message?: string };
    readonly running?: { readonly startedAt: string };
    readonly terminated?: Terminated;
  };
  readonly lastState: { readonly terminated?: Terminated };
}

export interface PodCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

export type Phase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

export interface PodStatus {
  readonly phase?: Phase;
  readonly reason?: string;
  readonly message?: string;
  readonly startTime?: string;
  readonly hostIP?: string;
  readonly hostIPs?: readonly { readonly ip: string }[];
  readonly podIP?: string;
  readonly podIPs?: readonly { readonly ip: string }[];
  readonly conditions?: readonly PodCondition[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly containerStatuses?: readonly ContainerStatus[];
}

export interface Pod extends KubeObject {
  metadata: ObjectMeta;
  readonly spec: PodSpec;
  readonly status?: PodStatus;
}

/** API times have whole seconds; finer times would be read back changed. */
export function kubeTime(date: Date): string {
  return date.toISOString().replace(/\.\d+Z$/, 'Z');
}
