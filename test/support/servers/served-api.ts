// Runs the whole service in this process, on the shared control plane of a run, with its own issuer and callers of any
// kind.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  type MetricsSettings,
  type ServiceSettings,
  startService,
} from '../../../src/app/service.ts';
import { defaultLimits, type Limits } from '../../../src/domain/limits.ts';
import { defaultRetryPolicy } from '../../../src/domain/retry.ts';
import type { RateSettings } from '../../../src/http/limits/rate-limit.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { type Log, silentLog } from '../../../src/lib/log.ts';
import { accounts, systemNamespace as installedIn } from '../../../src/permissions/roles.ts';
import { unlimitedRates } from '../fixtures/unlimited-rates.ts';
import { workloadSettings } from '../fixtures/workloads/workload-settings.ts';
import { sharedControlPlane, sharedIdentities } from './control-plane.ts';
import { type LoopbackIssuer, startLoopbackIssuer } from './issuers/loopback-issuer.ts';
import { systemNamespaceFor } from './least-privilege.ts';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  /** The JSON in `text`; undefined if there is none. */
  readonly body: unknown;
}

export interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  /** Text and bytes are sent as they are, anything else as JSON. */
  readonly body?: unknown;
  /** Sends the head and never ends the request. */
  readonly endless?: boolean;
}

/** @returns the text of an answer without the id of its request, to compare it with another one */
export function textOf({ text: whole, headers }: Answer): string {
  return whole.replace(String(headers['x-request-id']), '');
}

type Send = (method: string, path: string, sent?: Sent) => Promise<Answer>;

export interface ApiCaller {
  readonly send: Send;
  get(path: string): Promise<Answer>;
  post(path: string, body: unknown): Promise<Answer>;
  patch(path: string, body: unknown, headers?: Sent['headers']): Promise<Answer>;
  delete(path: string): Promise<Answer>;
}

export interface ServedApi {
  readonly port: number;
  readonly metricsPort: number;
  readonly issuer: LoopbackIssuer;
  /** The namespace of its own objects. */
  readonly systemNamespace: string;
  /** The folder of its artifacts. */
  readonly folder: string;
  /** Without a token. */
  readonly stranger: ApiCaller;
  /** An admin, unless `claims` override the role. */
  caller(organization: string, claims?: Record<string, unknown>): Promise<ApiCaller>;
  close(): Promise<void>;
}

interface ServeOptions extends Pick<MetricsSettings, 'lookMs'> {
  readonly rates?: RateSettings;
  /** Limits of every organization that differ from the defaults. */
  readonly limits?: Partial<Limits>;
  readonly clusterCidrs?: readonly string[];
  readonly publicUrl?: string;
  readonly log?: Log;
  /** Builds that get a Job concurrently; there is no node to run one. */
  readonly parallelBuilds?: number;
  /** The namespace of another running one: with a shared Lease they form one installation. */
  readonly systemNamespace?: string;
  /** That of another one, which closes it. */
  readonly issuer?: LoopbackIssuer;
  /** Resources reconciled concurrently. */
  readonly workers?: number;
  /** Receives the audit lines. */
  readonly audit?: (line: string) => void;
  readonly tracing?: ServiceSettings['tracing'];
  /** Another way to the shared control plane, with the rights of the controller. */
  readonly kubeconfig?: string;
}

/**
 * @param given the interval of drift checks, the rate limits of an organization, and the log
 * @param prepare prepares the issuer before the service starts
 */
export async function serveApi(
  given: ServeOptions = {},
  prepare: (issuer: LoopbackIssuer) => void = () => undefined,
): Promise<ServedApi> {
  const { rates = unlimitedRates, log = silentLog, parallelBuilds = 0, lookMs } = given;
  const issuer = given.issuer ?? (await startLoopbackIssuer());
  prepare(issuer);
  const unique = randomUUID().slice(0, 8);
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-artifacts-'));
  const settings: ServiceSettings = {
    rates,
    artifacts: { kind: 'filesystem', folder },
    workloads: workloadSettings(parallelBuilds),
    loopbackProviders: true,
    release: '0.0.0-test',
    host: '127.0.0.1',
    port: 0,
    metrics: { ...(lookMs !== undefined && { lookMs }), host: '127.0.0.1', port: 0 },
    issuers: [issuer.settings],
    publicUrl: given.publicUrl,
    systemNamespace: given.systemNamespace ?? `fairlead-${unique}`,
    tenancy: {
      controllerAccount: { namespace: installedIn, name: accounts.controller },
      apiAccount: { namespace: installedIn, name: accounts.api },
      limits: { ...defaultLimits, ...given.limits },
      clusterCidrs: given.clusterCidrs ?? [],
    },
    identity: unique,
    policy: defaultRetryPolicy,
    eventTimeoutMs: 1_000,
    workers: given.workers ?? 8,
    audit: given.audit ?? (() => undefined),
    tracing: given.tracing,
  };
  await systemNamespaceFor(sharedControlPlane().kubeconfig, settings.systemNamespace);
  // Uses Fairlead's account as on a shared cluster, never an administrator's.
  const { kubeconfig = sharedIdentities().controller } = given;
  const identity = loadCluster({ kubeconfig });
  const service = await startService(identity, settings, log);
  const { port, metricsPort } = service;
  return {
    port,
    metricsPort,
    issuer,
    systemNamespace: settings.systemNamespace,
    folder,
    stranger: callerAt(port),
    caller: async (org_id, claims = {}) =>
      callerAt(port, await issuer.token({ org_id, ...claims })),
    close: async () => {
      await service.stop();
      if (given.issuer === undefined) await issuer.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function callerAt(port: number, token?: string): ApiCaller {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const send: Send = (method, path, sent = {}) =>
    exchange({ port, method, path }, { ...sent, headers: { ...authorization, ...sent.headers } });
  return callerBy(send);
}

/** @param send sends each request of the caller */
export function callerBy(send: Send): ApiCaller {
  return {
    send,
    get: (path) => send('GET', path),
    post: (path, body) => send('POST', path, { body }),
    patch: (path, body, headers = {}) => send('PATCH', path, { body, headers }),
    delete: (path) => send('DELETE', path),
  };
}

/** With node's own client, because fetch would normalize paths and reject half a request. */
function exchange(
  target: { port: number; method: string; path: string },
  { headers = {}, body, endless = false }: Sent,
): Promise<Answer> {
  const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', agent: false, headers: { ...json, ...headers } };
    const request = httpRequest({ ...target, ...options });
    request.once('error', reject);
    request.once('response', (response) => {
      const whole = text(response).then((read) => answerFrom(response, read));
      whole.then(resolve, reject).finally(() => request.destroy());
    });
    if (endless) request.flushHeaders();
    else request.end(bytes);
  });
}

function answerFrom({ statusCode = 0, headers }: IncomingMessage, read: string): Answer {
  const isJson = headers['content-type']?.startsWith('application/json') === true && read !== '';
  return { status: statusCode, headers, text: read, body: isJson ? JSON.parse(read) : undefined };
}
