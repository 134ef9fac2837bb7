// What the variables of the listeners, of tokens, of events and of rates mean.
import type { DescribedVariables } from './environment-descriptions.ts';

const service = ['api', 'controller', 'dev'] as const;
const serving = ['api', 'dev'] as const;
const reconciling = ['controller', 'dev'] as const;
const yesOrNo = '`true` or `false`';
const fromZero = 'a whole number, 0 or more, of at most 9 digits';

export const serviceVariables = {
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
  FAIRLEAD_PUBLIC_URL: {
    meaning:
      'Address of the API for clients outside. `/.well-known/oauth-protected-resource` contains it; without it, clients cannot find out where to sign in.',
    readers: serving,
    allowed: 'an `https` URL without path; also `http` with `localhost`, `127.0.0.1` or `[::1]`',
    standard:
      '`http://localhost:` and `FAIRLEAD_PORT` in `dev` and in evaluation mode, otherwise none',
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
      'Name of this replica in leader election and in the count of replicas. It is unique for each replica.',
    readers: ['api', 'controller'],
    allowed: 'a string of 1 to 253 characters',
    standard: 'the host name',
  },
  FAIRLEAD_ARTIFACTS: {
    meaning:
      'Where artifacts are kept when there is no bucket. `folder`: in `FAIRLEAD_DATA`. `remote`: the controller fetches them from the API at `FAIRLEAD_ARTIFACTS_URL`; the API rejects this value.',
    readers: service,
  },
  FAIRLEAD_UNREFERENCED_ARTIFACTS: {
    meaning:
      'What happens to code and builds that no build, version or pod refers to. `remove`: the controller removes them after the grace period. `dry-run`: it only reports what it would remove. `keep`: it does not look for them.',
    readers: reconciling,
  },
  FAIRLEAD_ARTIFACT_GRACE_DAYS: {
    meaning:
      'Days for which an artifact must be unreferenced before it is removed. Backups of objects that are older may refer to artifacts that do not exist any more.',
    readers: reconciling,
  },
  FAIRLEAD_EVALUATION: {
    meaning:
      'Starts a token issuer on the loopback interface of the API pod. It requires an evaluation image, and no other issuer.',
    readers: ['api'],
    allowed: yesOrNo,
  },
  FAIRLEAD_SERVICE_ACCOUNT: {
    meaning:
      'Service account of the controller, to which a RoleBinding in every tenant namespace gives rights.',
    readers: ['controller'],
    allowed: 'a string of 1 to 253 characters',
  },
  FAIRLEAD_EVENT_KEY_SECRET: {
    meaning:
      'Secret in the system namespace with a key that signs events. Without it, Fairlead creates a Secret.',
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
    standard: 'the number of free connections, so at most half of all',
  },
  FAIRLEAD_PROBE_PORT: {
    meaning:
      'Port of a separate listener for probes, so that a full API still answers its kubelet.',
    readers: serving,
    standard: 'no separate listener',
  },
  FAIRLEAD_LOG_LEVEL: {
    meaning: 'Minimum log level.',
    readers: service,
    standard: '`warn`',
  },
  FAIRLEAD_NAMESPACE: {
    meaning: 'Namespace of the objects of Fairlead itself, such as its Lease and its event keys.',
    readers: service,
    allowed: 'a DNS label: at most 63 lower-case letters, digits and dashes',
  },
  FAIRLEAD_MAX_ATTEMPTS: {
    meaning:
      'Attempts of one event before it becomes a dead letter. A type may declare another number.',
    readers: reconciling,
  },
  FAIRLEAD_RETRY_BASE_MS: {
    meaning:
      'Upper bound of the delay before the second attempt, in milliseconds. It doubles with each attempt; the delay is a random part of it.',
    readers: reconciling,
  },
  FAIRLEAD_RETRY_CAP_MS: {
    meaning:
      'Upper bound of the delay between two attempts, in milliseconds. A type may declare another one.',
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
    meaning:
      'Milliseconds for one delivery, from connecting to the last byte of the response; for types with a longer limit, milliseconds without a sign of life. The SDK shows one every 5 s.',
    readers: reconciling,
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    meaning:
      'Base URL of an OpenTelemetry collector that receives traces by OTLP (HTTP, JSON), at `/v1/traces` below it. `OTEL_EXPORTER_OTLP_HEADERS`, `_TIMEOUT`, `_COMPRESSION`, `_CERTIFICATE`, `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` apply as well. Without it no traces are recorded.',
    readers: service,
    allowed: 'an `http` or `https` URL',
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    meaning: 'Whole URL for traces, instead of `OTEL_EXPORTER_OTLP_ENDPOINT`.',
    readers: service,
    allowed: 'an `http` or `https` URL',
  },
  OTEL_SDK_DISABLED: {
    meaning: 'Records no traces, whatever the other variables say.',
    readers: service,
    allowed: yesOrNo,
  },
  OTEL_TRACES_SAMPLER_ARG: {
    meaning:
      'Share of the recorded traces of those that begin here. The trace of a client is recorded when the client says so.',
    readers: service,
    allowed: 'a number from 0 to 1',
  },
  FAIRLEAD_RATE_LIMIT: {
    meaning: 'Requests per second of one organization, over all replicas. 0 lifts the limit.',
    readers: serving,
    allowed: fromZero,
  },
  FAIRLEAD_RATE_BURST: {
    meaning:
      'Requests that an organization may make at once after a pause. 0 is invalid while `FAIRLEAD_RATE_LIMIT` is above 0.',
    readers: serving,
    allowed: fromZero,
  },
  FAIRLEAD_PUSH_LIMIT_PER_MINUTE: {
    meaning: 'Pushes of provider code per minute and organization. 0 lifts the limit.',
    readers: serving,
    allowed: fromZero,
  },
} as const satisfies Partial<DescribedVariables>;
