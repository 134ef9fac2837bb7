// Defines what the local node reads from pods and writes to their status: the supported parts of the core API.
import type { KindRef, KubeObject, ObjectMeta } from '../../kube/api.ts';

function core(kind: string, plural: string, namespaced = true): KindRef {
  return { group: '', version: 'v1', kind, plural, namespaced };
}

export const podKind = core('Pod', 'pods');
export const nodeKind = core('Node', 'nodes', false);
export const configMapKind = core('ConfigMap', 'configmaps');
export const secretKind = core('Secret', 'secrets');
export const serviceAccountKind = core('ServiceAccount', 'serviceaccounts');

export type RestartPolicy = 'Always' | 'OnFailure' | 'Never';

export interface KeyRef {
  readonly name: string;
  readonly key: string;
  readonly optional?: boolean;
}

export interface FieldRef {
  readonly fieldPath: string;
}

export interface ResourceFieldRef {
  readonly containerName?: string;
  readonly resource: string;
  readonly divisor?: string;
}

export interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly fieldRef?: FieldRef;
    readonly resourceFieldRef?: ResourceFieldRef;
    readonly configMapKeyRef?: KeyRef;
    readonly secretKeyRef?: KeyRef;
  };
}

export interface SourceRef {
  readonly name: string;
  readonly optional?: boolean;
}

export interface EnvFrom {
  readonly prefix?: string;
  readonly configMapRef?: SourceRef;
  readonly secretRef?: SourceRef;
}

export interface KeyToPath {
  readonly key: string;
  readonly path: string;
}

export interface DownwardItem {
  readonly path: string;
  readonly fieldRef?: FieldRef;
  readonly resourceFieldRef?: ResourceFieldRef;
}

export interface ProjectedSource {
  readonly configMap?: SourceRef & { readonly items?: readonly KeyToPath[] };
  readonly secret?: SourceRef & { readonly items?: readonly KeyToPath[] };
  readonly downwardAPI?: { readonly items?: readonly DownwardItem[] };
  readonly serviceAccountToken?: {
    readonly path: string;
    readonly audience?: string;
    readonly expirationSeconds?: number;
  };
}

export interface Volume {
  readonly name: string;
  readonly emptyDir?: object;
  readonly configMap?: ProjectedSource['configMap'];
  readonly secret?: {
    readonly secretName: string;
    readonly optional?: boolean;
    readonly items?: readonly KeyToPath[];
  };
  readonly downwardAPI?: ProjectedSource['downwardAPI'];
  readonly projected?: { readonly sources?: readonly ProjectedSource[] };
}

export interface VolumeMount {
  readonly name: string;
  readonly mountPath: string;
  readonly subPath?: string;
}

export interface Probe {
  readonly httpGet?: {
    readonly host?: string;
    readonly port: number | string;
    readonly path?: string;
    readonly scheme?: 'HTTP' | 'HTTPS';
    readonly httpHeaders?: readonly { readonly name: string; readonly value: string }[];
  };
  readonly tcpSocket?: { readonly host?: string; readonly port: number | string };
  readonly exec?: { readonly command?: readonly string[] };
  readonly grpc?: object;
  readonly initialDelaySeconds?: number;
  readonly periodSeconds?: number;
  readonly timeoutSeconds?: number;
  readonly successThreshold?: number;
  readonly failureThreshold?: number;
  readonly terminationGracePeriodSeconds?: number;
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly workingDir?: string;
  readonly env?: readonly EnvVar[];
  readonly envFrom?: readonly EnvFrom[];
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[];
  readonly resources?: {
    readonly limits?: Readonly<Record<string, string>>;
    readonly requests?: Readonly<Record<string, string>>;
  };
  readonly volumeMounts?: readonly VolumeMount[];
  readonly startupProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly livenessProbe?: Probe;
  /** For an init container, `Always` makes it a sidecar, which this node does not support. */
  readonly restartPolicy?: string;
  readonly terminationMessagePath?: string;
  readonly terminationMessagePolicy?: 'File' | 'FallbackToLogsOnError';
}

export interface PodSpec {
  readonly nodeName?: string;
  readonly hostNetwork?: boolean;
  readonly hostname?: string;
  readonly restartPolicy?: RestartPolicy;
  readonly activeDeadlineSeconds?: number;
  readonly terminationGracePeriodSeconds?: number;
  readonly serviceAccountName?: string;
  readonly initContainers?: readonly Container[];
  readonly containers: readonly Container[];
  readonly volumes?: readonly Volume[];
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

export interface Condition {
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
  readonly conditions?: readonly Condition[];
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
