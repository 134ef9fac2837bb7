// Loads the cluster address and credentials. Only this file uses client-node, which reads kubeconfigs and runs auth plugins.
import type { RequestOptions as HttpsOptions } from 'node:https';
import { KubeConfig } from '@kubernetes/client-node';
import { ClusterConfigError } from './errors.ts';

/** The TLS options for a connection to the API server. */
export interface TlsOptions {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

export interface ClusterAccess {
  /** Origin of the API server, without a path. */
  readonly server: string;
  readonly tls: TlsOptions;
  /** Authentication headers; requested before every request, so that rotated tokens take effect. */
  authHeaders(): Promise<Readonly<Record<string, string>>>;
}

// client-node reads files and runs plugins on every call; tokens live for minutes at least.
const authCacheMs = 10_000;

/**
 * @param options.kubeconfig path of the file; without it, the service account of this pod
 * @throws ClusterConfigError when it contains no usable cluster
 */
export function loadCluster(options: { kubeconfig?: string } = {}): ClusterAccess {
  const config = new KubeConfig();
  try {
    if (options.kubeconfig === undefined) config.loadFromCluster();
    else config.loadFromFile(options.kubeconfig);
  } catch {
    throw new ClusterConfigError(
      'The kubeconfig cannot be read: it must be a YAML file of kind Config',
    );
  }
  const cluster = config.getCurrentCluster();
  if (cluster === null) {
    throw new ClusterConfigError('The kubeconfig has no current context with a cluster');
  }
  const { origin } = new URL(cluster.server);
  const tls = clusterTls(config, cluster.tlsServerName, cluster.skipTLSVerify);
  return { server: origin, tls, authHeaders: authHeadersOf(config) };
}

type HttpsTls = HttpsOptions & TlsOptions;

function clusterTls(
  config: KubeConfig,
  servername: string | undefined,
  skipVerify: boolean | undefined,
): TlsOptions {
  const read: HttpsTls = {};
  // Sets CA and client certificate synchronously, before its first await.
  void config.applyToHTTPSOptions(read).catch(() => undefined);
  return {
    ...(read.ca === undefined ? {} : { ca: read.ca }),
    ...(read.cert === undefined ? {} : { cert: read.cert }),
    ...(read.key === undefined ? {} : { key: read.key }),
    ...(servername === undefined ? {} : { servername }),
    ...(skipVerify === true ? { rejectUnauthorized: false } : {}),
  };
}

function authHeadersOf(config: KubeConfig): ClusterAccess['authHeaders'] {
  let cached:
    | { readonly until: number; readonly headers: Promise<Record<string, string>> }
    | undefined;
  return () => {
    if (cached === undefined || cached.until < performance.now()) {
      const headers = readHeaders(config);
      cached = { until: performance.now() + authCacheMs, headers };
      headers.catch(() => {
        cached = undefined;
      });
    }
    return cached.headers;
  };
}

async function readHeaders(config: KubeConfig): Promise<Record<string, string>> {
  const read: HttpsTls = { headers: {} };
  await config.applyToHTTPSOptions(read);
  const headers = Object.entries((read.headers ?? {}) as Record<string, unknown>);
  const given = headers.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  if (read.auth !== undefined && read.auth !== null) {
    given.push(['authorization', `Basic ${Buffer.from(read.auth).toString('base64')}`]);
  }
  return Object.fromEntries(given);
}
