// What the variables of limits, networks, artifacts, pods and local binaries mean.
import { defaultLimits } from '../domain/limits.ts';
import type { DescribedVariables } from './environment-descriptions.ts';

const service = ['api', 'controller', 'dev'] as const;
const serving = ['api', 'dev'] as const;
const reconciling = ['controller', 'dev'] as const;
const starting = ['dev', 'kubectl'] as const;
const text = 'a non-empty string';
const httpUrl = 'an `http` or `https` URL';
const url = 'a URL';
const cidrs = 'CIDR blocks of IPv4 or IPv6, separated by commas';
const quantity = 'a whole number with `Mi`, `Gi` or `Ti`, such as `200Gi`';
const yesOrNo = '`true` or `false`';

export const tenantVariables = {
  FAIRLEAD_LIMIT_PODS: {
    meaning: 'Pods of one organization that have not terminated.',
    readers: service,
    standard: `\`${defaultLimits.pods}\``,
  },
  FAIRLEAD_LIMIT_JOBS: {
    meaning: 'Jobs of one organization, including those of finished builds.',
    readers: reconciling,
    standard: `\`${defaultLimits.jobs}\``,
  },
  FAIRLEAD_LIMIT_CONFIG_MAPS: {
    meaning:
      'ConfigMaps of one organization besides the histories of resources. Each dead letter and each orphan receipt is one.',
    readers: reconciling,
    standard: `\`${defaultLimits.configMaps}\``,
  },
  FAIRLEAD_LIMIT_RESOURCES: {
    meaning: 'Resource objects of one organization, including drafts.',
    readers: service,
    standard: `\`${defaultLimits.resources}\``,
  },
  FAIRLEAD_LIMIT_RESOURCE_BYTES: {
    meaning: 'Total size of all Resource objects of one organization, as JSON in etcd.',
    readers: service,
    allowed: quantity,
    standard: `\`${defaultLimits.resourceBytes}\``,
  },
  FAIRLEAD_LIMIT_CPU: {
    meaning: 'Total CPUs of all pods of one organization.',
    readers: service,
    standard: `\`${defaultLimits.cpu}\``,
  },
  FAIRLEAD_LIMIT_MEMORY: {
    meaning: 'Total memory of all pods of one organization.',
    readers: service,
    allowed: quantity,
    standard: `\`${defaultLimits.memory}\``,
  },
  FAIRLEAD_LIMIT_EPHEMERAL_STORAGE: {
    meaning: 'Total ephemeral storage of all pods of one organization.',
    readers: reconciling,
    allowed: quantity,
    standard: `\`${defaultLimits.ephemeralStorage}\``,
  },
  FAIRLEAD_LIMIT_INTERNET: {
    meaning:
      'Whether pods of organizations can reach the internet. With `false` they reach DNS and Fairlead only.',
    readers: reconciling,
    allowed: yesOrNo,
    standard: `\`${defaultLimits.internet}\``,
  },
  FAIRLEAD_PROVISION: {
    meaning:
      'Whether the first valid token of an organization creates its Organization object. With `false` an administrator creates it.',
    readers: serving,
    allowed: yesOrNo,
  },
  FAIRLEAD_OUTSIDE_CIDRS: {
    meaning:
      'Addresses of Fairlead when it runs outside the cluster. Network policies of tenant namespaces let them through.',
    readers: reconciling,
    allowed: cidrs,
  },
  FAIRLEAD_CLUSTER_CIDRS: {
    meaning:
      'Addresses of pods, Services, nodes and the API server that are not private. Tenants do not reach them, and an external provider must not be at one of them.',
    readers: reconciling,
    allowed: `${cidrs}; not all addresses (\`/0\`)`,
  },
  FAIRLEAD_WORKERS: {
    meaning: 'Resources that a replica of the controller reconciles concurrently.',
    readers: reconciling,
  },
  FAIRLEAD_SHARDS: {
    meaning:
      'Shards into which the replicas of the controller divide the organizations. Each shard is reconciled by one replica, so more replicas than shards only stand by.',
    readers: reconciling,
  },
  FAIRLEAD_S3_BUCKET: {
    meaning:
      'Bucket for artifacts. Credentials come from where the AWS SDK looks for them, such as `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`.',
    readers: service,
    allowed: 'a bucket name: 3 to 63 lower-case letters, digits, dots and dashes',
    standard: 'no bucket; see `FAIRLEAD_ARTIFACTS`',
  },
  FAIRLEAD_S3_PREFIX: {
    meaning: 'Prefix of all keys in the bucket.',
    readers: service,
    allowed: "at most 512 letters, digits and `!_.*'()/-`",
  },
  FAIRLEAD_S3_REGION: {
    meaning: 'Region of the bucket.',
    readers: service,
    allowed: text,
    standard: '`us-east-1`',
  },
  FAIRLEAD_S3_ENDPOINT: {
    meaning: 'Address of an S3-compatible service.',
    readers: service,
    allowed: httpUrl,
    standard: 'AWS',
  },
  FAIRLEAD_S3_PATH_STYLE: {
    meaning: 'Whether URLs have the name of the bucket in the path instead of the host name.',
    readers: service,
    allowed: yesOrNo,
  },
  FAIRLEAD_IMAGE: {
    meaning:
      'Image of Fairlead for pods of builds and providers. In a cluster the controller requires it.',
    readers: reconciling,
    allowed: text,
    standard: '`fairlead:dev` in `dev`, which is the checkout itself',
  },
  FAIRLEAD_ARTIFACTS_URL: {
    meaning:
      'Base address of the listener on `FAIRLEAD_INTERNAL_PORT`, as pods reach it. In a cluster the controller requires it.',
    readers: reconciling,
    allowed: httpUrl,
    standard: '`http://127.0.0.1:` and `FAIRLEAD_INTERNAL_PORT` in `dev`',
  },
  FAIRLEAD_URL_FOR_PODS: {
    meaning:
      'Base address of the API, as pods reach it. Providers fetch the public keys of events there. In a cluster the controller requires it.',
    readers: reconciling,
    allowed: httpUrl,
    standard: '`http://127.0.0.1:` and `FAIRLEAD_PORT` in `dev`',
  },
  FAIRLEAD_POD_SCHEDULING: {
    meaning:
      'Fields that the specs of all pods of builds and providers get. Another value replaces the pods of providers.',
    readers: reconciling,
    allowed:
      'a JSON object with any of `runtimeClassName`, `priorityClassName`, `nodeSelector` and `tolerations`',
    standard: '`{}`',
  },
  FAIRLEAD_PULL_SECRET_FILE: {
    meaning:
      'File with the content of a `.dockerconfigjson`, with which pods of tenants pull the image. The file is read at each use.',
    readers: reconciling,
    allowed: 'a path',
  },
  FAIRLEAD_NPM_REGISTRY: {
    meaning: 'npm registry from which builds install packages.',
    readers: reconciling,
    allowed: `${httpUrl} without user, password, query and fragment`,
    standard: 'the registry of npm',
  },
  FAIRLEAD_NPM_REGISTRY_CIDRS: {
    meaning:
      'Addresses of `FAIRLEAD_NPM_REGISTRY`, which must be set too. Builds reach them although they are private.',
    readers: reconciling,
    allowed: cidrs,
  },
  FAIRLEAD_MIN_READY_SECONDS: {
    meaning:
      'Seconds for which the pods of a new version must be ready before it takes over from another one.',
    readers: reconciling,
    standard: '`0` in `dev`, `10` in `controller`',
    allowed: 'a whole number from 0 to 60',
  },
  FAIRLEAD_KUBERNETES_ORIGIN: {
    meaning: 'Mirror from which the binaries of Kubernetes are downloaded.',
    readers: starting,
    allowed: url,
    standard: '`https://dl.k8s.io`',
  },
  FAIRLEAD_ETCD_ORIGIN: {
    meaning: 'Mirror from which the binary of etcd is downloaded.',
    readers: starting,
    allowed: url,
    standard: '`https://github.com/etcd-io/etcd/releases/download`',
  },
  KUBEBUILDER_ASSETS: {
    meaning:
      'Folder with the five programs of a control plane: `etcd`, `kube-apiserver`, `kube-controller-manager`, `kube-scheduler` and `kubectl`.',
    readers: starting,
    allowed: 'a path',
  },
  XDG_CACHE_HOME: {
    meaning: 'Folder for caches. Downloaded binaries are in its folder `fairlead`.',
    readers: starting,
    allowed: 'a path',
    standard: '`.cache` in the home folder',
  },
  PATH: {
    meaning: 'Folders in which programs are looked up.',
    readers: starting,
    allowed: 'paths',
  },
} as const satisfies Partial<DescribedVariables>;
