import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { createCaches } from '../../src/app/caches.ts';
import { createStores } from '../../src/app/stores.ts';
import type { ArtifactStore } from '../../src/domain/artifact.ts';
import { FairleadError } from '../../src/domain/errors.ts';
import { organizationOf } from '../../src/domain/identity.ts';
import { type Listening, listen } from '../../src/http/listen.ts';
import { type AppDeps, createApp, defaultHttpLimits } from '../../src/http/server.ts';
import type { StreamingClient } from '../../src/kube/client.ts';
import { KubeError } from '../../src/kube/errors.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { type Log, silentLog } from '../../src/lib/log.ts';
import { createBuildLogs } from '../../src/store/builds/logs.ts';
import type { DescribedOperation } from './described-api.ts';
import { noAudit } from './no-audit.ts';
import type { Answer } from './served-api.ts';

const host = '127.0.0.1';
export const organization = organizationOf('https://issuer.test', 'acme');

export const admin = {
  organization,
  subject: 'ada',
  role: 'admin',
  project: undefined,
  expiresAt: new Date(Date.now() + 3_600_000),
};

const standing = {
  authenticator: { authenticate: () => Promise.resolve(admin) },
  organizations: { check: () => undefined, ensure: () => Promise.resolve() },
  rateLimiter: { take: () => undefined },
  readiness: () => ({ ready: true, checks: {} }),
  eventKeys: () => [],
  limits: defaultHttpLimits,
  clock: systemClock,
  log: silentLog,
  audit: noAudit,
};

/** @param changes replace the defaults and stores */
export function serveRoutes(stores: object, changes: object = {}): Promise<Listening> {
  const app = createApp({ ...stores, ...standing, ...changes } as unknown as AppDeps);
  return listen(app, { host, port: 0 });
}

/** The real stores, with a client that reports its calls, as the method and its arguments, and has no objects. */
export function storesOfNothing(called: (call: string) => void, log: Log = silentLog) {
  const client = new Proxy({} as StreamingClient, {
    get: (_target, method) => (_kind: unknown, rest: unknown) => {
      called(`${String(method)}:${JSON.stringify(rest)}`);
      if (method === 'list') return Promise.resolve({ metadata: {}, items: [] });
      if (method === 'delete') return Promise.resolve(false);
      return Promise.reject(new KubeError({ status: 404, reason: 'notFound', message: 'none' }));
    },
  });
  const kubeDeps = { client, clock: systemClock, log, random: Math.random };
  const settings = { systemNamespace: 'fl', issuers: [] };
  const stores = createStores(kubeDeps, createCaches(kubeDeps), settings);
  const schemas = { checkSchema: () => Promise.resolve([]), validate: () => Promise.resolve([]) };
  const full = new FairleadError('unavailable', 'The artifact store is full');
  const artifacts = {
    open: () => Promise.resolve(undefined),
    put: () => Promise.reject(full),
  } as unknown as ArtifactStore;
  const buildLogs = createBuildLogs({ ...kubeDeps, ...stores, artifacts });
  return { ...stores, schemas, artifacts, buildLogs };
}

export const secretOfAFailure = 'hunter2';

/** @returns stores of the same names whose every call fails */
export function failingInsteadOf(stores: object): object {
  const call = () => Promise.reject(new Error(`the password is ${secretOfAFailure}`));
  const failing = new Proxy({}, { get: () => call });
  return Object.fromEntries(Object.keys(stores).map((name) => [name, failing]));
}

export interface SentBody {
  readonly body?: unknown;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function ask(
  at: Listening,
  method: string,
  path: string,
  { body, type = 'application/json', headers = {} }: SentBody = {},
): Promise<Answer> {
  const bytes = Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const typed = bytes === undefined ? headers : { 'content-type': type, ...headers };
  const target = { host, port: at.port, method, path, headers: typed, agent: false };
  const asking = request(target).end(bytes);
  const [response] = await once(asking, 'response');
  const read = await text(response);
  const isJson = response.headers['content-type'] === 'application/json' && read !== '';
  const parsed: unknown = isJson ? JSON.parse(read) : undefined;
  return { status: response.statusCode, headers: response.headers, text: read, body: parsed };
}

const examples: Readonly<Record<string, string>> = {
  provider: 'box',
  resource: 'crate',
  name: 'a',
  revision: '1',
  resource_id: 'box:crate:a',
  project_id: 'shop',
  job_name: 'box-20260131-120000',
  setting: 'url',
  event_id: 'evt-0123456789abcdef0123456789abcdef',
  id: 'receipt-6a1c1f0e',
};

export function pathOf(
  { path }: Pick<DescribedOperation, 'path'>,
  changes: Readonly<Record<string, string>> = {},
): string {
  return path.replaceAll(/\{(\w+)\}/g, (_all, name) => changes[name] ?? examples[name] ?? '');
}

/** By operation id. */
export const bodies: Readonly<Record<string, object>> = {
  replaceProviderSettings: { values: {} },
  updateProviderSettings: { values: {} },
  applyResource: { provider: 'box', resource: 'crate', name: 'a', config: {} },
  registerType: { provider: 'box', resource: 'crate', schema: { type: 'object' } },
  deployProvider: { version: '20260131.120000' },
  createProject: { name: 'Shop' },
  updateProject: { name: 'Shop' },
};

const form = {
  type: 'multipart/form-data; boundary=b',
  body: Buffer.from(
    '--b\r\nContent-Disposition: form-data; name="code"; filename="c"\r\n\r\nx\r\n--b--',
  ),
};

export const sentTo = ({ id, body }: Pick<DescribedOperation, 'id' | 'body'>): SentBody =>
  body['multipart/form-data'] === undefined ? { body: bodies[id] } : form;
