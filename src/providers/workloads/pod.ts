// Defines what all pods with tenant code share: an unprivileged user, no access to the cluster, and resource limits.

import { defaultAmounts } from '../../domain/providers/pod-resources.ts';

export interface ResourceLimits {
  readonly cpu: string;
  readonly memory: string;
  readonly ephemeralStorage: string;
}

interface ContainerOptions {
  readonly name: string;
  readonly image: string;
  /** One of our programs that run in pods. */
  readonly program: keyof typeof programs;
  readonly args: readonly string[];
  readonly env: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: object;
  }[];
  readonly mounts: readonly {
    readonly name: string;
    readonly mountPath: string;
    readonly readOnly?: boolean;
  }[];
  readonly limits: ResourceLimits;
  readonly requests?: { readonly cpu: string; readonly memory: string };
}

/** The default termination message path of Kubernetes. */
/** Where programs write what they need while they run. */
export const scratch = { name: 'tmp', mountPath: '/tmp' };
export const messageFile = '/dev/termination-log';

/** The paths of our own programs in the image. That which runs beside the code of authors is built: it starts sooner, and is smaller. */
const programs = {
  'build-step': '/app/src/providers/build-step/main.ts',
  runtime: '/app/sdk/providers/runtime/main.js',
} as const;

/** @returns a container that passes the restricted Pod Security standard */
export function container(options: ContainerOptions) {
  const { name, image, program, args, env, mounts, limits } = options;
  const { requests = defaultAmounts.requests } = options;
  const amounts = {
    cpu: limits.cpu,
    memory: limits.memory,
    'ephemeral-storage': limits.ephemeralStorage,
  };
  return {
    name,
    image,
    imagePullPolicy: 'IfNotPresent',
    command: ['node', programs[program], ...args],
    env: [...env],
    volumeMounts: [...mounts],
    resources: { limits: amounts, requests: { ...requests } },
    terminationMessagePolicy: 'FallbackToLogsOnError',
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
  };
}

/** The service accounts of tenant pods. Neither has rights, or a token in any pod. */
export const tenantAccounts = { build: 'fairlead-build', provider: 'fairlead-provider' } as const;

/** Kubernetes creates it in every namespace: pods of other creators run as it, and it also gets no token. */
export const defaultAccount = 'default';

/** The user `nobody` of distroless images; any number but root's works. */
const user = 65_532;

/** The pod spec without containers and volumes. */
export const isolatedPod = {
  automountServiceAccountToken: false,
  enableServiceLinks: false,
  securityContext: {
    runAsNonRoot: true,
    runAsUser: user,
    runAsGroup: user,
    fsGroup: user,
    seccompProfile: { type: 'RuntimeDefault' },
  },
} as const;
