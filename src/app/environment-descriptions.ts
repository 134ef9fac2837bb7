// What every variable of the environment means, for docs/configuration.md. A variable without an entry does not compile.
import { defaultLimits } from '../domain/limits.ts';
import type { Environment } from './environment.ts';

export type Reader = 'api' | 'controller' | 'dev' | 'token' | 'kubectl';

export interface VariableDescription {
  readonly meaning: string;
  /** Which verbs use the value. Every verb that reads settings checks all of them. */
  readonly readers: readonly Reader[];
  /** Allowed values in words, where the schema holds a pattern or nothing. */
  readonly allowed?: string;
  /** The default in words, where the schema has none. */
  readonly standard?: string;
}

const service = ['api', 'controller', 'dev'] as const;
const serving = ['api', 'dev'] as const;
const reconciling = ['controller', 'dev'] as const;
const starting = ['dev', 'kubectl'] as const;

const text = 'a text that is not empty';
const httpUrl = 'an `http` or `https` URL';
const url = 'a URL';
const cidrs = 'CIDR blocks of IPv4 or IPv6, with commas between them';
const quantity = 'a whole number with `Mi`, `Gi` or `Ti`, such as `200Gi`';
const yesOrNo = '`true` or `false`';
const fromZero = 'a whole number, 0 or more, of at most 9 digits';

export const variables = {
  FAIRLEAD_PORT: {
    meaning: 'Port of the HTTP API. The controller answers probes on it.',
    readers: service,
  },
  FAIRLEAD_ISSUER_PORT: {
    meaning:
      'Port of the local token issuer. The API has one in evaluation mode only. It is part of the issuer URL in tokens.',
    readers: ['api', 'dev', 'token'],
  },
  FAIRLEAD_INTERNAL_PORT: {
    meaning: 'Port of the listener from which pods of tenants fetch artifacts.',
    readers: serving,
  },
  FAIRLEAD_METRICS_PORT: {
    meaning: 'Port of the Prometheus metrics, which need no token.',
    readers: service,
  },
  FAIRLEAD_ISSUERS: {
    meaning:
      'Token issuers that are trusted, with the meaning of their claims. In a cluster the API needs at least one, except in evaluation mode. In development they are added to the local issuer.',
    readers: serving,
    allowed: 'a JSON list of issuers; exclusive with `FAIRLEAD_ISSUERS_FILE`',
  },
  FAIRLEAD_ISSUERS_FILE: {
    meaning: 'File that holds what `FAIRLEAD_ISSUERS` would hold.',
    readers: serving,
    allowed: 'a path; exclusive with `FAIRLEAD_ISSUERS`',
  },
  FAIRLEAD_HOST: {
    meaning: 'Address on which the listeners listen.',
    readers: service,
    allowed: 'a host name or an IP address; in `dev` only `127.0.0.1`, `::1` or `localhost`',
    standard: '`127.0.0.1` in `dev`, `0.0.0.0` in `api` and `controller`',
  },
  FAIRLEAD_DATA: {
    meaning:
      'Folder for the data of the local control plane, for artifacts without a bucket, and for staged uploads.',
    readers: ['api', 'controller', 'dev', 'token', 'kubectl'],
    allowed: 'a path',
    standard: '`.fairlead` outside a cluster, `/var/lib/fairlead` in a cluster',
  },
  FAIRLEAD_IDENTITY: {
    meaning:
      'Name of this replica in leader election and in the count of replicas. Every replica needs another one.',
    readers: ['api', 'controller'],
    allowed: 'a text of 1 to 253 characters',
    standard: 'the host name',
  },
  FAIRLEAD_ARTIFACTS: {
    meaning:
      'Where artifacts are kept when there is no bucket. `folder`: in `FAIRLEAD_DATA`. `remote`: the controller fetches them from the API at `FAIRLEAD_ARTIFACTS_URL`; the API refuses this value.',
    readers: service,
  },
  FAIRLEAD_EVALUATION: {
    meaning:
      'Starts a token issuer on the loopback interface of the API pod. It needs an image that is built for evaluation, and no other issuer.',
    readers: ['api'],
    allowed: yesOrNo,
  },
  FAIRLEAD_SERVICE_ACCOUNT: {
    meaning:
      'Service account of the controller, to which a RoleBinding in every tenant namespace gives rights.',
    readers: ['controller'],
    allowed: 'a text of 1 to 253 characters',
  },
  FAIRLEAD_EVENT_KEY_SECRET: {
    meaning:
      'Secret in the system namespace with a key that signs events. Fairlead makes a Secret of its own when it is absent.',
    readers: ['controller'],
    allowed: 'the name of a Secret',
  },
  FAIRLEAD_MAX_CONNECTIONS: {
    meaning: 'Connections to the API at a time, for each replica.',
    readers: serving,
  },
  FAIRLEAD_MAX_CONNECTIONS_PER_ADDRESS: {
    meaning: 'Connections to the API from one address at a time, for each replica.',
    readers: serving,
    standard: 'as many as are still free, which gives one address alone half of all',
  },
  FAIRLEAD_PROBE_PORT: {
    meaning:
      'Port of a separate listener for probes, so that a full API still answers its kubelet.',
    readers: serving,
    standard: 'no separate listener',
  },
  FAIRLEAD_LOG_LEVEL: {
    meaning: 'Lowest level that is logged.',
    readers: service,
    standard: '`warn`',
  },
  FAIRLEAD_NAMESPACE: {
    meaning: 'Namespace of the objects of Fairlead itself, such as its Lease and its event keys.',
    readers: service,
    allowed: 'a DNS label: at most 63 lower-case letters, digits and dashes',
  },
  FAIRLEAD_MAX_ATTEMPTS: {
    meaning: 'Attempts of one event before it becomes a dead letter.',
    readers: reconciling,
  },
  FAIRLEAD_RETRY_BASE_MS: {
    meaning:
      'Upper bound of the delay before the second attempt, in milliseconds. It doubles with each attempt; the delay is a random part of it.',
    readers: reconciling,
  },
  FAIRLEAD_RETRY_CAP_MS: {
    meaning: 'Upper bound of the delay between two attempts, in milliseconds.',
    readers: reconciling,
  },
  FAIRLEAD_OPERATION_LIMIT_MS: {
    meaning:
      'Milliseconds that an operation may take from the first 202 of its provider to its end.',
    readers: reconciling,
  },
  FAIRLEAD_SUPERSEDED_LETTERS: {
    meaning: 'Superseded dead letters that are kept for each organization.',
    readers: reconciling,
  },
  FAIRLEAD_EVENT_TIMEOUT_MS: {
    meaning: 'Milliseconds for one delivery, from connecting to the last byte of the answer.',
    readers: reconciling,
  },
  FAIRLEAD_RATE_LIMIT: {
    meaning: 'Requests per second of one organization, over all replicas. 0 lifts the limit.',
    readers: serving,
    allowed: fromZero,
  },
  FAIRLEAD_RATE_BURST: {
    meaning:
      'Requests that an organization may make at once after a pause. 0 is refused while `FAIRLEAD_RATE_LIMIT` is above 0.',
    readers: serving,
    allowed: fromZero,
  },
  FAIRLEAD_PUSH_LIMIT_PER_MINUTE: {
    meaning: 'Pushes of provider code per minute and organization. 0 lifts the limit.',
    readers: serving,
    allowed: fromZero,
  },
  FAIRLEAD_LIMIT_PODS: {
    meaning: 'Pods of one organization that have not ended.',
    readers: service,
    standard: `\`${defaultLimits.pods}\``,
  },
  FAIRLEAD_LIMIT_JOBS: {
    meaning: 'Jobs of one organization, with those of ended builds.',
    readers: service,
    standard: `\`${defaultLimits.jobs}\``,
  },
  FAIRLEAD_LIMIT_CONFIG_MAPS: {
    meaning: 'ConfigMaps of one organization. Each dead letter and each orphan receipt is one.',
    readers: service,
    standard: `\`${defaultLimits.configMaps}\``,
  },
  FAIRLEAD_LIMIT_RESOURCES: {
    meaning: 'Resource objects of one organization, with drafts.',
    readers: service,
    standard: `\`${defaultLimits.resources}\``,
  },
  FAIRLEAD_LIMIT_RESOURCE_BYTES: {
    meaning: 'Size of all Resource objects of one organization together, as JSON.',
    readers: service,
    allowed: quantity,
    standard: `\`${defaultLimits.resourceBytes}\``,
  },
  FAIRLEAD_LIMIT_CPU: {
    meaning: 'CPUs of all pods of one organization together.',
    readers: service,
    standard: `\`${defaultLimits.cpu}\``,
  },
  FAIRLEAD_LIMIT_MEMORY: {
    meaning: 'Memory of all pods of one organization together.',
    readers: service,
    allowed: quantity,
    standard: `\`${defaultLimits.memory}\``,
  },
  FAIRLEAD_LIMIT_EPHEMERAL_STORAGE: {
    meaning: 'Disk of all pods of one organization together.',
    readers: service,
    allowed: quantity,
    standard: `\`${defaultLimits.ephemeralStorage}\``,
  },
  FAIRLEAD_LIMIT_INTERNET: {
    meaning:
      'Whether pods of organizations reach the internet. With `false` they reach DNS and Fairlead only.',
    readers: service,
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
    meaning: 'Resources that the controller works on at a time.',
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
    meaning: 'Address of an S3 service other than that of AWS.',
    readers: service,
    allowed: httpUrl,
    standard: 'AWS',
  },
  FAIRLEAD_S3_PATH_STYLE: {
    meaning: 'Whether the name of the bucket stands in the path instead of the host name.',
    readers: service,
    allowed: yesOrNo,
  },
  FAIRLEAD_IMAGE: {
    meaning: 'Image of Fairlead for pods of builds and providers. It is needed in a cluster.',
    readers: service,
    allowed: text,
    standard: '`fairlead:dev` in `dev`, which is the checkout itself',
  },
  FAIRLEAD_ARTIFACTS_URL: {
    meaning:
      'Base address of the listener on `FAIRLEAD_INTERNAL_PORT`, as pods reach it. It is needed in a cluster.',
    readers: service,
    allowed: httpUrl,
    standard: '`http://127.0.0.1:` and `FAIRLEAD_INTERNAL_PORT` in `dev`',
  },
  FAIRLEAD_URL_FOR_PODS: {
    meaning:
      'Base address of the API, as pods reach it. Providers fetch the public keys of events there. It is needed in a cluster.',
    readers: service,
    allowed: httpUrl,
    standard: '`http://127.0.0.1:` and `FAIRLEAD_PORT` in `dev`',
  },
  FAIRLEAD_PULL_SECRET_FILE: {
    meaning:
      'File with the content of a `.dockerconfigjson`, with which pods of tenants pull the image. The file is read again whenever it is needed.',
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
    meaning: 'Seconds for which the pods of a new version must be ready before it takes over.',
    readers: reconciling,
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
} as const satisfies Readonly<Record<keyof Environment, VariableDescription>>;

/** FAIRLEAD_* variables that no setting of a verb is read from. */
export const otherVariables = [
  {
    name: 'FAIRLEAD_ARTIFACTS_TOKEN',
    meaning: 'Fairlead sets it in pods of builds and providers: the token of one artifact.',
  },
  {
    name: 'FAIRLEAD_TYPES_TOKEN',
    meaning: 'Fairlead sets it in pods of builds: the token for uploading the types of a build.',
  },
  {
    name: 'FAIRLEAD_URL',
    meaning: 'Address of the API for `npm run example:postgres`; `http://localhost:8000`.',
  },
  {
    name: 'FAIRLEAD_TEST_IMAGE',
    meaning: 'Image that `npm run test:image` and `npm run test:cluster` test.',
  },
  {
    name: 'FAIRLEAD_TEST_IMAGE_EVALUATION',
    meaning: '`true`: `FAIRLEAD_TEST_IMAGE` is an image for evaluation.',
  },
  {
    name: 'FAIRLEAD_K3S_IMAGE',
    meaning: 'Image of K3s that `npm run test:cluster` starts.',
  },
  {
    name: 'FAIRLEAD_WRITE_REPORT',
    meaning: '`true`: `npm run test:cluster` writes docs/cluster-report.md.',
  },
] as const;
