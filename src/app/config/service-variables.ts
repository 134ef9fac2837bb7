// The variables of the listeners, of tokens, of events and of rates.

import { z } from 'zod';
import { logLevels } from '../logger.ts';
import {
  amount,
  milliseconds,
  port,
  reconciling,
  service,
  serving,
  variable,
  wholeNumber,
  yesOrNo,
} from './variable.ts';

const fromZero = 'a whole number, 0 or more, of at most 9 digits';

export const serviceVariables = {
  FAIRLEAD_PORT: variable(port.optional(), {
    meaning: 'Port of the HTTP API. The controller answers probes on it.',
    readers: service,
    standard: '`8000`',
  }),
  FAIRLEAD_ISSUER_PORT: variable(port.optional(), {
    meaning:
      'Port of the local token issuer. The API has one in evaluation mode only. It is part of the issuer URL in tokens. `token` takes that of the Fairlead that uses the data folder.',
    readers: ['api', 'dev', 'token'],
    standard: '`8001`; in `dev` the port after that of the API',
  }),
  FAIRLEAD_INTERNAL_PORT: variable(port.optional(), {
    meaning: 'Port of the listener from which pods of tenants fetch artifacts.',
    readers: serving,
    standard: '`8002`; in `dev` two after that of the API, or the next that is free',
  }),
  FAIRLEAD_METRICS_PORT: variable(port.optional(), {
    meaning: 'Port of the Prometheus metrics, which need no token.',
    readers: service,
    standard:
      '`9090`; in `dev`, where the API has another port than 8000, three after it; or the next that is free',
  }),
  FAIRLEAD_ISSUERS: variable(z.string().min(1).optional(), {
    meaning:
      'Token issuers that are trusted, with the meaning of their claims. In a cluster the API needs at least one, except in evaluation mode. In development they are added to the local issuer.',
    readers: serving,
    allowed: 'a JSON list of issuers; exclusive with `FAIRLEAD_ISSUERS_FILE`',
  }),
  FAIRLEAD_ISSUERS_FILE: variable(z.string().min(1).optional(), {
    meaning: 'File that holds what `FAIRLEAD_ISSUERS` would hold.',
    readers: serving,
    allowed: 'a path; exclusive with `FAIRLEAD_ISSUERS`',
  }),
  FAIRLEAD_HOST: variable(z.string().min(1).optional(), {
    meaning: 'Address on which the listeners listen.',
    readers: service,
    allowed: 'a host name or an IP address; in `dev` only `127.0.0.1`, `::1` or `localhost`',
    standard: '`127.0.0.1` in `dev`, `0.0.0.0` in `api` and `controller`',
  }),
  FAIRLEAD_PUBLIC_URL: variable(
    z
      .url({ protocol: /^https?$/ })
      .regex(
        /^(?:https:\/\/|http:\/\/(?=(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?\/?$))[^/@?#]+\/?$/i,
        'must begin with https://, without path, query, user and password; http:// only with localhost',
      )
      .transform((text) => new URL(text).origin)
      .optional(),
    {
      meaning:
        'Address of the API for clients outside. `/.well-known/oauth-protected-resource` contains it; without it, clients cannot find out where to sign in.',
      readers: serving,
      allowed: 'an `https` URL without path; also `http` with `localhost`, `127.0.0.1` or `[::1]`',
      standard:
        '`http://localhost:` and `FAIRLEAD_PORT` in `dev` and in evaluation mode, otherwise none',
    },
  ),
  FAIRLEAD_DATA: variable(z.string().min(1).optional(), {
    meaning:
      'Folder for the data of the local control plane, for artifacts without a bucket, and for staged uploads.',
    readers: ['api', 'controller', 'dev', 'token', 'kubectl'],
    allowed: 'a path',
    standard: '`.fairlead` outside a cluster, `/var/lib/fairlead` in a cluster',
  }),
  FAIRLEAD_IDENTITY: variable(z.string().min(1).max(253).optional(), {
    meaning:
      'Name of this replica in leader election and in the count of replicas. It is unique for each replica.',
    readers: ['api', 'controller'],
    allowed: 'a string of 1 to 253 characters',
    standard: 'the host name',
  }),
  FAIRLEAD_ARTIFACTS: variable(z.enum(['folder', 'remote']).default('folder'), {
    meaning:
      'Where artifacts are kept when there is no bucket. `folder`: in `FAIRLEAD_DATA`. `remote`: the controller fetches them from the API at `FAIRLEAD_ARTIFACTS_URL`; the API rejects this value.',
    readers: service,
  }),
  FAIRLEAD_UNREFERENCED_ARTIFACTS: variable(
    z.enum(['remove', 'dry-run', 'keep']).default('remove'),
    {
      meaning:
        'Treatment of code and builds that no build, version or pod refers to. `remove`: the controller removes them after the grace period. `dry-run`: it only reports what it would remove. `keep`: it does not look for them.',
      readers: reconciling,
    },
  ),
  FAIRLEAD_ARTIFACT_GRACE_DAYS: variable(amount(3_650).default(7), {
    meaning:
      'Days for which an artifact must be unreferenced before it is removed. Backups of objects that are older may refer to artifacts that do not exist any more.',
    readers: reconciling,
  }),
  FAIRLEAD_EVALUATION: variable(z.enum(['true', 'false']).default('false'), {
    meaning:
      'Starts a token issuer on the loopback interface of the API pod. It requires an evaluation image, and no other issuer.',
    readers: ['api'],
    allowed: yesOrNo,
  }),
  FAIRLEAD_SERVICE_ACCOUNT: variable(z.string().min(1).max(253).optional(), {
    meaning:
      'Service account of the controller, to which a RoleBinding in every tenant namespace gives rights.',
    readers: ['controller'],
    allowed: 'a string of 1 to 253 characters',
  }),
  FAIRLEAD_EVENT_KEY_SECRET: variable(z.string().min(1).max(253).optional(), {
    meaning:
      'Secret in the system namespace with a key that signs events. Without it, Fairlead creates a Secret.',
    readers: ['controller'],
    allowed: 'the name of a Secret',
  }),
  FAIRLEAD_MAX_CONNECTIONS: variable(
    z.coerce.number().int().min(1).max(1_000_000).default(10_000),
    {
      meaning: 'Connections to the API at a time, for each replica.',
      readers: serving,
    },
  ),
  FAIRLEAD_MAX_CONNECTIONS_PER_ADDRESS: variable(amount(1_000_000).optional(), {
    meaning: 'Connections to the API from one address at a time, for each replica.',
    readers: serving,
    standard: 'the number of free connections, so at most half of all',
  }),
  FAIRLEAD_PROBE_PORT: variable(port.optional(), {
    meaning:
      'Port of a separate listener for probes, so that a full API still answers its kubelet.',
    readers: serving,
    standard: 'no separate listener',
  }),
  FAIRLEAD_LOG_LEVEL: variable(z.enum(logLevels).optional(), {
    meaning: 'Minimum log level.',
    readers: service,
    standard: '`warn`',
  }),
  FAIRLEAD_NAMESPACE: variable(
    z
      .string()
      .regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/)
      .default('fairlead-system'),
    {
      meaning: 'Namespace of the objects of Fairlead itself, such as its Lease and its event keys.',
      readers: service,
      allowed: 'a DNS label: at most 63 lower-case letters, digits and dashes',
    },
  ),
  FAIRLEAD_MAX_ATTEMPTS: variable(z.coerce.number().int().min(1).max(100).default(8), {
    meaning:
      'Attempts of one event before it becomes a dead letter. A type may declare another number.',
    readers: reconciling,
  }),
  FAIRLEAD_RETRY_BASE_MS: variable(milliseconds.default(1_000), {
    meaning:
      'Upper bound of the delay before the second attempt, in milliseconds. It doubles with each attempt; the delay is a random part of it.',
    readers: reconciling,
  }),
  FAIRLEAD_RETRY_CAP_MS: variable(milliseconds.default(60_000), {
    meaning:
      'Upper bound of the delay between two attempts, in milliseconds. A type may declare another one.',
    readers: reconciling,
  }),
  FAIRLEAD_OPERATION_LIMIT_MS: variable(milliseconds.default(7_200_000), {
    meaning:
      'Milliseconds that an operation may take from the first 202 of its provider to its end.',
    readers: reconciling,
  }),
  FAIRLEAD_MAX_SUPERSEDED_DEAD_LETTERS: variable(
    wholeNumber.pipe(z.number().max(1_000_000)).default(1_000),
    {
      meaning: 'Superseded dead letters that are kept for each organization.',
      readers: reconciling,
      allowed: 'a whole number from 0 to 1000000',
    },
  ),
  FAIRLEAD_EVENT_TIMEOUT_MS: variable(milliseconds.default(30_000), {
    meaning:
      'Milliseconds for one delivery, from connecting to the last byte of the response; for types with a longer limit, milliseconds without a sign of life. The SDK shows one every 5 s.',
    readers: reconciling,
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: variable(z.url({ protocol: /^https?$/ }).optional(), {
    meaning:
      'Base URL of an OpenTelemetry collector that receives traces by OTLP (HTTP, JSON), at `/v1/traces` below it. `OTEL_EXPORTER_OTLP_HEADERS`, `_TIMEOUT`, `_COMPRESSION`, `_CERTIFICATE`, `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` apply as well. Without it no traces are recorded.',
    readers: service,
    allowed: 'an `http` or `https` URL',
  }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: variable(z.url({ protocol: /^https?$/ }).optional(), {
    meaning: 'Whole URL for traces, instead of `OTEL_EXPORTER_OTLP_ENDPOINT`.',
    readers: service,
    allowed: 'an `http` or `https` URL',
  }),
  OTEL_SDK_DISABLED: variable(z.string().optional(), {
    meaning: 'Records no traces, whatever the other variables say.',
    readers: service,
    allowed: yesOrNo,
  }),
  OTEL_TRACES_SAMPLER_ARG: variable(z.coerce.number().min(0).max(1).default(1), {
    meaning:
      'Share of the recorded traces of those that begin here. The trace of a client is recorded when the client says so.',
    readers: service,
    allowed: 'a number from 0 to 1',
  }),
  FAIRLEAD_RATE_LIMIT: variable(wholeNumber.default(50), {
    meaning: 'Requests per second of one organization, over all replicas. 0 lifts the limit.',
    readers: serving,
    allowed: fromZero,
  }),
  FAIRLEAD_RATE_BURST: variable(wholeNumber.default(200), {
    meaning:
      'Requests that an organization may make at once after a pause. 0 is invalid while `FAIRLEAD_RATE_LIMIT` is above 0.',
    readers: serving,
    allowed: fromZero,
  }),
  FAIRLEAD_PUSH_LIMIT_PER_MINUTE: variable(wholeNumber.default(10), {
    meaning: 'Pushes of provider code per minute and organization. 0 lifts the limit.',
    readers: serving,
    allowed: fromZero,
  }),
};
