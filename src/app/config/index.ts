// Environment and flags → one frozen, parsed Config. The only place that reads process.env; it starts nothing.

import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { defaultLimits, type Limits, limitsOf } from '../../domain/limits.ts';
import {
  type IssuerSettings,
  IssuerSettingsError,
  type IssuerSurroundings,
  readIssuers,
} from '../../http/auth/issuer-settings.ts';
import { Environment, networkIn, tracingIn } from './environment.ts';
import { portsIn } from './ports.ts';

/** A setting that cannot be used; `message` names it and the rule. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** `development`: on one machine, reachable from loopback only. `cluster`: as pods of a cluster. */
type Mode = 'development' | 'cluster';

/** The variables of the tables and the flags, as `loadConfig` reads them. */
export type Config = ReturnType<typeof loadConfig>;

const hosts: Readonly<Record<Mode, string>> = { development: '127.0.0.1', cluster: '0.0.0.0' };
const folders: Readonly<Record<Mode, string>> = {
  development: '.fairlead',
  cluster: '/var/lib/fairlead',
};

/** A person who tries a provider on one machine wants its next version at once. */
const minReadySeconds: Readonly<Record<Mode, number>> = { development: 0, cluster: 10 };

/** Flags of `api`, `controller` and `dev`. */
export const serviceFlags = {
  kubeconfig: { type: 'string' },
  data: { type: 'string' },
  port: { type: 'string' },
  'issuer-port': { type: 'string' },
} as const;

/**
 * @param argv flags after the verb: `--kubeconfig F`, `--data DIR`, `--port N`, `--issuer-port N`
 * @throws ConfigError naming the setting and the rule it breaks
 */
export function loadConfig(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = process.env,
  mode: Mode = 'development',
) {
  const flags = parseFlags(argv, environment);
  const env = parseEnvironment({ ...environment, ...flags.overrides });
  const { FAIRLEAD_HOST: host = hosts[mode], FAIRLEAD_DATA: folder = folders[mode] } = env;
  return Object.freeze({
    /** A cluster to use instead of the local control plane. */
    kubeconfig: flags.kubeconfig === undefined ? undefined : resolve(flags.kubeconfig),
    dataFolder: resolve(folder),
    cacheFolder: join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'fairlead'),
    host: mode === 'development' ? loopbackOnly(host) : host,
    ...portsIn(env, mode === 'development'),
    publicUrl: env.FAIRLEAD_PUBLIC_URL,
    /** Token issuers that are trusted besides the local one. */
    issuers: issuersIn(env, {
      loopback: loopback.includes(host),
      development: mode === 'development',
    }),
    logLevel: env.FAIRLEAD_LOG_LEVEL ?? 'warn',
    connections: env.FAIRLEAD_MAX_CONNECTIONS,
    connectionsPerAddress: env.FAIRLEAD_MAX_CONNECTIONS_PER_ADDRESS,
    probePort: env.FAIRLEAD_PROBE_PORT,
    systemNamespace: env.FAIRLEAD_NAMESPACE,
    retry: {
      maxAttempts: env.FAIRLEAD_MAX_ATTEMPTS,
      baseMs: env.FAIRLEAD_RETRY_BASE_MS,
      capMs: env.FAIRLEAD_RETRY_CAP_MS,
      operationLimitMs: env.FAIRLEAD_OPERATION_LIMIT_MS,
    },
    supersededKept: env.FAIRLEAD_MAX_SUPERSEDED_DEAD_LETTERS,
    eventTimeoutMs: env.FAIRLEAD_EVENT_TIMEOUT_MS,
    tracing: tracingIn(env),
    /** Undefined: artifacts are in a folder below the data. */
    bucket: bucketIn(env),
    /** Undefined: unreferenced artifacts are kept. */
    collection: collectionIn(env),
    /** Settings of the pods of tenants. */
    pods: {
      image: env.FAIRLEAD_IMAGE,
      artifactsUrl: env.FAIRLEAD_ARTIFACTS_URL,
      fairleadUrl: env.FAIRLEAD_URL_FOR_PODS,
      pullSecretFile: env.FAIRLEAD_PULL_SECRET_FILE,
      npmRegistry: env.FAIRLEAD_NPM_REGISTRY,
      npmRegistryCidrs: env.FAIRLEAD_NPM_REGISTRY_CIDRS,
      minReadySeconds: env.FAIRLEAD_MIN_READY_SECONDS ?? minReadySeconds[mode],
      scheduling: env.FAIRLEAD_POD_SCHEDULING,
    },
    /** Rates of one organization, over all replicas; 0: no limit. */
    rates: ratesIn(env),
    /** Limits of every organization whose object does not override them. */
    limits: limitsIn(env),
    provision: env.FAIRLEAD_PROVISION === 'true',
    outsideCidrs: env.FAIRLEAD_OUTSIDE_CIDRS,
    clusterCidrs: env.FAIRLEAD_CLUSTER_CIDRS,
    controllerWorkers: env.FAIRLEAD_WORKERS,
    shards: env.FAIRLEAD_SHARDS,
    /** Settings of Fairlead's own pods in a cluster. */
    pod: {
      identity: env.FAIRLEAD_IDENTITY,
      artifacts: env.FAIRLEAD_ARTIFACTS,
      evaluation: env.FAIRLEAD_EVALUATION === 'true',
      serviceAccount: env.FAIRLEAD_SERVICE_ACCOUNT,
      eventKeySecret: env.FAIRLEAD_EVENT_KEY_SECRET,
    },
    /** Proxy and certificate variables of the machine, for pods that run on it as processes. */
    network: networkIn(environment),
    binaries: {
      kubebuilderAssets: env.KUBEBUILDER_ASSETS,
      kubernetesOrigin: env.FAIRLEAD_KUBERNETES_ORIGIN,
      etcdOrigin: env.FAIRLEAD_ETCD_ORIGIN,
      // Where Go's installer puts it, for shells whose PATH lacks it.
      searchPath: [env.PATH, '/usr/local/go/bin'].join(delimiter),
    },
  });
}

function ratesIn(env: Environment) {
  const perSecond = env.FAIRLEAD_RATE_LIMIT;
  const burst = env.FAIRLEAD_RATE_BURST;
  // A limit that can save up nothing lets nothing through.
  if (perSecond > 0 && burst === 0) {
    throw new ConfigError(
      'FAIRLEAD_RATE_BURST: must be 1 or more; FAIRLEAD_RATE_LIMIT=0 lifts the limit',
    );
  }
  return { perSecond, burst, pushesPerMinute: env.FAIRLEAD_PUSH_LIMIT_PER_MINUTE };
}

function limitsIn(env: Environment): Limits {
  const { FAIRLEAD_LIMIT_INTERNET: internet } = env;
  const given = {
    pods: env.FAIRLEAD_LIMIT_PODS,
    jobs: env.FAIRLEAD_LIMIT_JOBS,
    configMaps: env.FAIRLEAD_LIMIT_CONFIG_MAPS,
    resources: env.FAIRLEAD_LIMIT_RESOURCES,
    resourceBytes: env.FAIRLEAD_LIMIT_RESOURCE_BYTES,
    cpu: env.FAIRLEAD_LIMIT_CPU,
    memory: env.FAIRLEAD_LIMIT_MEMORY,
    ephemeralStorage: env.FAIRLEAD_LIMIT_EPHEMERAL_STORAGE,
    internet: internet === undefined ? undefined : internet === 'true',
  };
  return limitsOf(given, defaultLimits);
}

/** Allows issuers without TLS on loopback only. */
function issuersIn(env: Environment, surroundings: IssuerSurroundings): readonly IssuerSettings[] {
  const { FAIRLEAD_ISSUERS: given, FAIRLEAD_ISSUERS_FILE: file } = env;
  if (given !== undefined && file !== undefined) {
    throw new ConfigError('FAIRLEAD_ISSUERS: cannot be combined with FAIRLEAD_ISSUERS_FILE');
  }
  const setting = file === undefined ? 'FAIRLEAD_ISSUERS' : 'FAIRLEAD_ISSUERS_FILE';
  const text = file === undefined ? given : fileContent(file);
  if (text === undefined) return [];
  try {
    return readIssuers(text, surroundings);
  } catch (thrown) {
    if (!(thrown instanceof IssuerSettingsError)) throw thrown;
    throw new ConfigError(`${setting}: ${thrown.message}`);
  }
}

function fileContent(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new ConfigError('FAIRLEAD_ISSUERS_FILE: cannot be read');
  }
}

function parseFlags(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
) {
  const command = commandPastNpm(Object.keys(serviceFlags), argv, environment);
  if (command !== undefined) {
    throw new ConfigError(`npm keeps the flags that stand before \`--\`. Type ${command}`);
  }
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: serviceFlags,
    });
    const overrides = {
      FAIRLEAD_DATA: values.data,
      FAIRLEAD_PORT: values.port,
      FAIRLEAD_ISSUER_PORT: values['issuer-port'],
    };
    const given = Object.entries(overrides).filter(([, value]) => value !== undefined);
    return { kubeconfig: values.kubeconfig, overrides: Object.fromEntries(given) };
  } catch (thrown) {
    throw new ConfigError(thrown instanceof Error ? thrown.message : String(thrown));
  }
}

function parseEnvironment(environment: Readonly<Record<string, string | undefined>>) {
  // An empty variable is a mistake in a manifest, not a choice of the default.
  const parsed = Environment.safeParse(environment);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const name = issue?.path.join('.') ?? 'environment';
  throw new ConfigError(`${name}: ${issue?.message ?? 'invalid'}`);
}

const loopback = ['127.0.0.1', '::1', 'localhost'];

/** The development mode has an issuer that signs any organization's token: it must not be reachable from outside. */
function loopbackOnly(host: string): string {
  if (loopback.includes(host)) return host;
  throw new ConfigError(
    `FAIRLEAD_HOST: must be one of ${loopback.join(', ')}; this mode is for development on one machine`,
  );
}

/** @returns `cluster` in a pod, where the kubelet sets KUBERNETES_SERVICE_HOST */
export function modeHere(): Mode {
  return process.env['KUBERNETES_SERVICE_HOST'] === undefined ? 'development' : 'cluster';
}

// Reads the settings of the artifact store from the environment.

/** Credentials come from the places of the AWS SDK. */
function bucketIn(env: Environment) {
  if (env.FAIRLEAD_S3_BUCKET === undefined) return undefined;
  return {
    name: env.FAIRLEAD_S3_BUCKET,
    prefix: env.FAIRLEAD_S3_PREFIX,
    region: env.FAIRLEAD_S3_REGION,
    endpoint: env.FAIRLEAD_S3_ENDPOINT,
    pathStyle: env.FAIRLEAD_S3_PATH_STYLE === 'true',
  };
}

function collectionIn(env: Environment) {
  const { FAIRLEAD_UNREFERENCED_ARTIFACTS: mode, FAIRLEAD_ARTIFACT_GRACE_DAYS: graceDays } = env;
  return mode === 'keep' ? undefined : { graceDays, dryRun: mode === 'dry-run' };
}

// npm keeps the flags that stand before `--`: `npm start --port 8100` starts the program without its flag.

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * @param names of the flags of the program
 * @returns the command that hands the flags on, undefined when npm has kept none
 */
function commandPastNpm(
  names: readonly string[],
  argv: readonly string[],
  environment: Variables,
): string | undefined {
  // Other scripts inherit nothing from it, and their own flags are none of these.
  if (environment['npm_lifecycle_event'] !== 'start') return undefined;
  const kept = names.flatMap((name) => {
    const value = environment[`npm_config_${name.replaceAll('-', '_')}`];
    return value === undefined ? [] : [{ name, value }];
  });
  if (kept.length === 0) return undefined;
  // npm makes a switch of `--port 8100`, and an argument of the program.
  const only = kept.length === 1 ? argv[0] : undefined;
  const words = kept.map(({ name, value }) => {
    return `--${name} ${value === 'true' ? (only ?? 'VALUE') : value}`;
  });
  return `npm start -- ${words.join(' ')}`;
}
