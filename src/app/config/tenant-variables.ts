// The variables of limits, networks, artifacts, pods and local binaries.
import { z } from 'zod';
import { defaultLimits } from '../../domain/limits.ts';
import {
  amount,
  cidrs,
  PodScheduling,
  parsedJson,
  quantity,
  reconciling,
  service,
  serving,
  variable,
  wholeNumber,
  yesOrNo,
} from './variable.ts';

const starting = ['dev', 'kubectl'] as const;
const text = 'a non-empty string';
const httpUrl = 'an `http` or `https` URL';
const url = 'a URL';
const cidrsInWords = 'CIDR blocks of IPv4 or IPv6, separated by commas';
const quantityInWords = 'a whole number with `Mi`, `Gi` or `Ti`, such as `200Gi`';

export const tenantVariables = {
  FAIRLEAD_LIMIT_PODS: variable(amount(100_000).optional(), {
    meaning: 'Pods of one organization that have not terminated.',
    readers: service,
    standard: `\`${defaultLimits.pods}\``,
  }),
  FAIRLEAD_LIMIT_JOBS: variable(amount(1_000_000).optional(), {
    meaning: 'Jobs of one organization, including those of finished builds.',
    readers: reconciling,
    standard: `\`${defaultLimits.jobs}\``,
  }),
  FAIRLEAD_LIMIT_CONFIG_MAPS: variable(amount(1_000_000).optional(), {
    meaning:
      'ConfigMaps of one organization besides the histories of resources. Each dead letter and each orphan receipt is one.',
    readers: reconciling,
    standard: `\`${defaultLimits.configMaps}\``,
  }),
  FAIRLEAD_LIMIT_RESOURCES: variable(amount(10_000_000).optional(), {
    meaning: 'Resource objects of one organization, including drafts.',
    readers: service,
    standard: `\`${defaultLimits.resources}\``,
  }),
  FAIRLEAD_LIMIT_RESOURCE_BYTES: variable(quantity.optional(), {
    meaning: 'Total size of all Resource objects of one organization, as JSON in etcd.',
    readers: service,
    allowed: quantityInWords,
    standard: `\`${defaultLimits.resourceBytes}\``,
  }),
  FAIRLEAD_LIMIT_CPU: variable(amount(1_000_000).optional(), {
    meaning: 'Total CPUs of all pods of one organization.',
    readers: service,
    standard: `\`${defaultLimits.cpu}\``,
  }),
  FAIRLEAD_LIMIT_MEMORY: variable(quantity.optional(), {
    meaning: 'Total memory of all pods of one organization.',
    readers: service,
    allowed: quantityInWords,
    standard: `\`${defaultLimits.memory}\``,
  }),
  FAIRLEAD_LIMIT_EPHEMERAL_STORAGE: variable(quantity.optional(), {
    meaning: 'Total ephemeral storage of all pods of one organization.',
    readers: reconciling,
    allowed: quantityInWords,
    standard: `\`${defaultLimits.ephemeralStorage}\``,
  }),
  FAIRLEAD_LIMIT_INTERNET: variable(z.enum(['true', 'false']).optional(), {
    meaning:
      'Whether pods of organizations can reach the internet. With `false` they reach DNS and Fairlead only.',
    readers: reconciling,
    allowed: yesOrNo,
    standard: `\`${defaultLimits.internet}\``,
  }),
  FAIRLEAD_PROVISION: variable(z.enum(['true', 'false']).default('true'), {
    meaning:
      'Whether the first valid token of an organization creates its Organization object. With `false` an administrator creates it.',
    readers: serving,
    allowed: yesOrNo,
  }),
  FAIRLEAD_OUTSIDE_CIDRS: variable(cidrs, {
    meaning:
      'Addresses of Fairlead when it runs outside the cluster. Network policies of tenant namespaces let them through.',
    readers: reconciling,
    allowed: cidrsInWords,
  }),
  FAIRLEAD_CLUSTER_CIDRS: variable(
    cidrs.refine(
      (all) => all.every((cidr) => !cidr.endsWith('/0')),
      'must not contain a /0 block; to block internet access, set FAIRLEAD_LIMIT_INTERNET=false',
    ),
    {
      meaning:
        'Addresses of pods, Services, nodes and the API server that are not private. Tenants do not reach them, and an external provider must not be at one of them.',
      readers: service,
      allowed: `${cidrsInWords}; not all addresses (\`/0\`)`,
    },
  ),
  FAIRLEAD_WORKERS: variable(z.coerce.number().int().min(1).max(10_000).default(256), {
    meaning: 'Resources that a replica of the controller reconciles concurrently.',
    readers: reconciling,
  }),
  FAIRLEAD_SHARDS: variable(z.coerce.number().int().min(1).max(64).default(1), {
    meaning:
      'Shards into which the replicas of the controller divide the organizations. Each shard is reconciled by one replica, so more replicas than shards only stand by.',
    readers: reconciling,
  }),
  FAIRLEAD_S3_BUCKET: variable(z.string().min(3).max(63).optional(), {
    meaning:
      'Bucket for artifacts. Credentials come from where the AWS SDK looks for them, such as `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`.',
    readers: service,
    allowed: 'a bucket name: 3 to 63 lower-case letters, digits, dots and dashes',
    standard: 'no bucket; see `FAIRLEAD_ARTIFACTS`',
  }),
  FAIRLEAD_S3_PREFIX: variable(z.string().optional(), {
    meaning: 'Prefix of all keys in the bucket.',
    readers: service,
    allowed: "at most 512 letters, digits and `!_.*'()/-`",
  }),
  FAIRLEAD_S3_REGION: variable(z.string().min(1).optional(), {
    meaning: 'Region of the bucket.',
    readers: service,
    allowed: text,
    standard: '`us-east-1`',
  }),
  FAIRLEAD_S3_ENDPOINT: variable(z.url({ protocol: /^https?$/ }).optional(), {
    meaning: 'Address of an S3-compatible service.',
    readers: service,
    allowed: httpUrl,
    standard: 'AWS',
  }),
  FAIRLEAD_S3_PATH_STYLE: variable(z.enum(['true', 'false']).default('false'), {
    meaning: 'Whether URLs have the name of the bucket in the path instead of the host name.',
    readers: service,
    allowed: yesOrNo,
  }),
  FAIRLEAD_IMAGE: variable(z.string().min(1).optional(), {
    meaning:
      'Image of Fairlead for pods of builds and providers. In a cluster the controller requires it.',
    readers: reconciling,
    allowed: text,
    standard: '`fairlead:dev` in `dev`, which is the checkout itself',
  }),
  FAIRLEAD_ARTIFACTS_URL: variable(z.url({ protocol: /^https?$/ }).optional(), {
    meaning:
      'Base address of the listener on `FAIRLEAD_INTERNAL_PORT`, as pods reach it. In a cluster the controller requires it.',
    readers: reconciling,
    allowed: httpUrl,
    standard: '`http://127.0.0.1:` and `FAIRLEAD_INTERNAL_PORT` in `dev`',
  }),
  FAIRLEAD_URL_FOR_PODS: variable(z.url({ protocol: /^https?$/ }).optional(), {
    meaning:
      'Base address of the API, as pods reach it. Providers fetch the public keys of events there. In a cluster the controller requires it.',
    readers: reconciling,
    allowed: httpUrl,
    standard: '`http://127.0.0.1:` and `FAIRLEAD_PORT` in `dev`',
  }),
  FAIRLEAD_POD_SCHEDULING: variable(
    z.string().default('{}').transform(parsedJson).pipe(PodScheduling),
    {
      meaning:
        'Fields that the specs of all pods of builds and providers get. Another value replaces the pods of providers.',
      readers: reconciling,
      allowed:
        'a JSON object with any of `runtimeClassName`, `priorityClassName`, `nodeSelector` and `tolerations`',
      standard: '`{}`',
    },
  ),
  FAIRLEAD_PULL_SECRET_FILE: variable(z.string().min(1).optional(), {
    meaning:
      'File with the content of a `.dockerconfigjson`, with which pods of tenants pull the image. The file is read at each use.',
    readers: reconciling,
    allowed: 'a path',
  }),
  // A Job contains it in plain text.
  FAIRLEAD_NPM_REGISTRY: variable(
    z
      .url({ protocol: /^https?$/ })
      .regex(
        /^[^:]+:\/\/[^/@?#]+(?:\/[^?#]*)?$/,
        'must be a URL without user, password, query and fragment',
      )
      .optional(),
    {
      meaning: 'npm registry from which builds install packages.',
      readers: reconciling,
      allowed: `${httpUrl} without user, password, query and fragment`,
      standard: 'the registry of npm',
    },
  ),
  FAIRLEAD_NPM_REGISTRY_CIDRS: variable(cidrs, {
    meaning:
      'Addresses of `FAIRLEAD_NPM_REGISTRY`, which must be set too. Builds reach them although they are private.',
    readers: reconciling,
    allowed: cidrsInWords,
  }),
  // Less than the two minutes in which a version must have become available.
  FAIRLEAD_MIN_READY_SECONDS: variable(wholeNumber.pipe(z.number().max(60)).optional(), {
    meaning:
      'Seconds for which the pods of a new version must be ready before it takes over from another one.',
    readers: reconciling,
    standard: '`0` in `dev`, `10` in `controller`',
    allowed: 'a whole number from 0 to 60',
  }),
  FAIRLEAD_KUBERNETES_ORIGIN: variable(z.url().optional(), {
    meaning: 'Mirror from which the binaries of Kubernetes are downloaded.',
    readers: starting,
    allowed: url,
    standard: '`https://dl.k8s.io`',
  }),
  FAIRLEAD_ETCD_ORIGIN: variable(z.url().optional(), {
    meaning: 'Mirror from which the binary of etcd is downloaded.',
    readers: starting,
    allowed: url,
    standard: '`https://github.com/etcd-io/etcd/releases/download`',
  }),
  KUBEBUILDER_ASSETS: variable(z.string().min(1).optional(), {
    meaning:
      'Folder with the five programs of a control plane: `etcd`, `kube-apiserver`, `kube-controller-manager`, `kube-scheduler` and `kubectl`.',
    readers: starting,
    allowed: 'a path',
  }),
  XDG_CACHE_HOME: variable(z.string().min(1).optional(), {
    meaning: 'Folder for caches. Downloaded binaries are in its folder `fairlead`.',
    readers: starting,
    allowed: 'a path',
    standard: '`.cache` in the home folder',
  }),
  PATH: variable(z.string().default(''), {
    meaning: 'Folders in which programs are looked up.',
    readers: starting,
    allowed: 'paths',
  }),
};
