// Declares the environment variables and their rules. config.ts reads them.
import { z } from 'zod';
import { logLevels } from './logger.ts';

const port = z.coerce.number().int().min(1).max(65_535);
const cidrs = z
  .string()
  .default('')
  .transform((text) => text.split(',').map((each) => each.trim()))
  .transform((all) => all.filter((each) => each !== ''))
  .pipe(z.array(z.union([z.cidrv4(), z.cidrv6()])));
const milliseconds = z.coerce.number().int().min(1).max(86_400_000);

/** Where 0 means something, an empty text must not be read as 0. */
const wholeNumber = z
  .string()
  .regex(/^\d{1,9}$/, 'must be a whole number, 0 or more')
  .transform(Number);

const amount = (max: number) => z.coerce.number().int().min(1).max(max);
const quantity = z
  .string()
  .regex(/^[1-9][0-9]{0,8}(?:Mi|Gi|Ti)$/, 'must be a quantity such as 200Gi');

/** Fields of a pod spec. Others could undo the isolation of tenants. */
const PodScheduling = z.strictObject({
  runtimeClassName: z.string().min(1).max(253).optional(),
  priorityClassName: z.string().min(1).max(253).optional(),
  nodeSelector: z.record(z.string().max(317), z.string().max(63)).optional(),
  tolerations: z
    .array(
      z.strictObject({
        key: z.string().optional(),
        operator: z.enum(['Exists', 'Equal']).optional(),
        value: z.string().optional(),
        effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']).optional(),
        tolerationSeconds: z.int().optional(),
      }),
    )
    .optional(),
});

function parsedJson(text: string, context: z.RefinementCtx): unknown {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'must be JSON' });
    return z.NEVER;
  }
}

export const Environment = z.object({
  FAIRLEAD_PORT: port.default(8000),
  FAIRLEAD_ISSUER_PORT: port.default(8001),
  FAIRLEAD_INTERNAL_PORT: port.default(8002),
  FAIRLEAD_METRICS_PORT: port.default(9090),
  FAIRLEAD_ISSUERS: z.string().min(1).optional(),
  FAIRLEAD_ISSUERS_FILE: z.string().min(1).optional(),
  FAIRLEAD_HOST: z.string().min(1).optional(),
  FAIRLEAD_DATA: z.string().min(1).optional(),
  FAIRLEAD_IDENTITY: z.string().min(1).max(253).optional(),
  FAIRLEAD_ARTIFACTS: z.enum(['folder', 'remote']).default('folder'),
  FAIRLEAD_UNREFERENCED_ARTIFACTS: z.enum(['remove', 'dry-run', 'keep']).default('remove'),
  FAIRLEAD_ARTIFACT_GRACE_DAYS: amount(3_650).default(7),
  FAIRLEAD_EVALUATION: z.enum(['true', 'false']).default('false'),
  FAIRLEAD_SERVICE_ACCOUNT: z.string().min(1).max(253).optional(),
  FAIRLEAD_EVENT_KEY_SECRET: z.string().min(1).max(253).optional(),
  FAIRLEAD_MAX_CONNECTIONS: z.coerce.number().int().min(1).max(1_000_000).default(10_000),
  FAIRLEAD_MAX_CONNECTIONS_PER_ADDRESS: amount(1_000_000).optional(),
  FAIRLEAD_PROBE_PORT: port.optional(),
  FAIRLEAD_LOG_LEVEL: z.enum(logLevels).optional(),
  FAIRLEAD_NAMESPACE: z
    .string()
    .regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/)
    .default('fairlead-system'),
  FAIRLEAD_MAX_ATTEMPTS: z.coerce.number().int().min(1).max(100).default(8),
  FAIRLEAD_RETRY_BASE_MS: milliseconds.default(1_000),
  FAIRLEAD_RETRY_CAP_MS: milliseconds.default(60_000),
  FAIRLEAD_OPERATION_LIMIT_MS: milliseconds.default(7_200_000),
  FAIRLEAD_SUPERSEDED_LETTERS: z.coerce.number().int().min(0).max(1_000_000).default(1_000),
  FAIRLEAD_EVENT_TIMEOUT_MS: milliseconds.default(30_000),
  FAIRLEAD_RATE_LIMIT: wholeNumber.default(50),
  FAIRLEAD_RATE_BURST: wholeNumber.default(200),
  FAIRLEAD_PUSH_LIMIT_PER_MINUTE: wholeNumber.default(10),
  FAIRLEAD_LIMIT_PODS: amount(100_000).optional(),
  FAIRLEAD_LIMIT_JOBS: amount(1_000_000).optional(),
  FAIRLEAD_LIMIT_CONFIG_MAPS: amount(1_000_000).optional(),
  FAIRLEAD_LIMIT_RESOURCES: amount(10_000_000).optional(),
  FAIRLEAD_LIMIT_RESOURCE_BYTES: quantity.optional(),
  FAIRLEAD_LIMIT_CPU: amount(1_000_000).optional(),
  FAIRLEAD_LIMIT_MEMORY: quantity.optional(),
  FAIRLEAD_LIMIT_EPHEMERAL_STORAGE: quantity.optional(),
  FAIRLEAD_LIMIT_INTERNET: z.enum(['true', 'false']).optional(),
  FAIRLEAD_PROVISION: z.enum(['true', 'false']).default('true'),
  FAIRLEAD_OUTSIDE_CIDRS: cidrs,
  FAIRLEAD_CLUSTER_CIDRS: cidrs.refine(
    (all) => all.every((cidr) => !cidr.endsWith('/0')),
    'must not contain a /0 block; to block internet access, set FAIRLEAD_LIMIT_INTERNET=false',
  ),
  FAIRLEAD_WORKERS: z.coerce.number().int().min(1).max(10_000).default(256),
  FAIRLEAD_SHARDS: z.coerce.number().int().min(1).max(64).default(1),
  FAIRLEAD_S3_BUCKET: z.string().min(3).max(63).optional(),
  FAIRLEAD_S3_PREFIX: z.string().optional(),
  FAIRLEAD_S3_REGION: z.string().min(1).optional(),
  FAIRLEAD_S3_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  FAIRLEAD_S3_PATH_STYLE: z.enum(['true', 'false']).default('false'),
  FAIRLEAD_IMAGE: z.string().min(1).optional(),
  FAIRLEAD_PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .regex(
      /^(?:https:\/\/|http:\/\/(?=(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?\/?$))[^/@?#]+\/?$/i,
      'must begin with https://, without path, query, user and password; http:// only with localhost',
    )
    .transform((text) => new URL(text).origin)
    .optional(),
  FAIRLEAD_ARTIFACTS_URL: z.url({ protocol: /^https?$/ }).optional(),
  FAIRLEAD_URL_FOR_PODS: z.url({ protocol: /^https?$/ }).optional(),
  FAIRLEAD_POD_SCHEDULING: z.string().default('{}').transform(parsedJson).pipe(PodScheduling),
  FAIRLEAD_PULL_SECRET_FILE: z.string().min(1).optional(),
  // A Job contains it in plain text.
  FAIRLEAD_NPM_REGISTRY: z
    .url({ protocol: /^https?$/ })
    .regex(
      /^[^:]+:\/\/[^/@?#]+(?:\/[^?#]*)?$/,
      'must be a URL without user, password, query and fragment',
    )
    .optional(),
  FAIRLEAD_NPM_REGISTRY_CIDRS: cidrs,
  // Less than the two minutes in which a version must have become available.
  FAIRLEAD_MIN_READY_SECONDS: wholeNumber.pipe(z.number().max(60)).optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  OTEL_SDK_DISABLED: z.string().optional(),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
  FAIRLEAD_KUBERNETES_ORIGIN: z.url().optional(),
  FAIRLEAD_ETCD_ORIGIN: z.url().optional(),
  KUBEBUILDER_ASSETS: z.string().min(1).optional(),
  XDG_CACHE_HOME: z.string().min(1).optional(),
  PATH: z.string().default(''),
});

/** Proxy and certificate variables, which are passed on unchanged. */
export const networkNames = [
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'npm_config_registry',
];

export type Environment = z.output<typeof Environment>;

/** By the standard variables of OpenTelemetry. @returns undefined when no traces are recorded */
export function tracingIn(env: Environment): { readonly ratio: number } | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: all, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces } = env;
  const isOff = env.OTEL_SDK_DISABLED?.toLowerCase() === 'true';
  if (isOff || (all === undefined && traces === undefined)) return undefined;
  return { ratio: env.OTEL_TRACES_SAMPLER_ARG };
}

export function networkIn(environment: Readonly<Record<string, string | undefined>>) {
  const given = networkNames.map((name) => [name, environment[name] ?? ''] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
}
