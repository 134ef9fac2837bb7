// The measured system: Fairlead with an organization, one type, and a provider that answers immediately.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { parse } from 'yaml';
import { eventually } from '../../test/support/runner/eventually.ts';
import { Fairlead } from '../../test/support/servers/fairlead.ts';
import { type RawClient, rawClient } from './raw.ts';

const note = 'x'.repeat(1_500);

/** Every resource has a config of its own, as in use: equal ones are validated once. */
export const configOf = (name: string) => ({ name, note });
/** An API server on a busy machine does not always answer in time. */
const attempts = 5;
const retryMs = 1_000;
export const rawGroup = 'bench.fairlead.dev';

type Method = 'GET' | 'POST' | 'DELETE';

/** A running Fairlead. */
export interface Target {
  readonly url: string;
  readonly raw: RawClient;
  /** Returns its processes: their CPU time is measured. */
  pids(): readonly number[];
  /** Returns a token of an admin. */
  token(organization: string): Promise<string>;
}

export interface Subject {
  readonly raw: RawClient;
  readonly token: string;
  readonly namespace: string;
  /** Path of Fairlead's own resources. */
  readonly path: string;
  /** URL of the provider. */
  readonly endpoint: string;
  pids(): readonly number[];
  apply(name: string, lifecycle?: 'draft' | 'pending'): Promise<void>;
  remove(name: string): Promise<void>;
  /** Called when the provider's handler starts. */
  onEvent(listener: (name: string, type: string) => void): void;
  close(): Promise<void>;
}

/** An organization of a Fairlead. It stays when the subject is closed. */
export async function createSubject(target: Target, organization = 'bench'): Promise<Subject> {
  const { url, raw } = target;
  const token = await target.token(organization);
  const provider = await startProvider();
  const api = new Pool(url, { connections: 32, pipelining: 1 });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const once = (method: Method, path: string, body?: unknown) =>
    api.request({
      method,
      path,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const ask = async (method: Method, path: string, body?: unknown) => {
    let answer = await once(method, path, body);
    for (let attempt = 1; answer.statusCode === 503 && attempt < attempts; attempt += 1) {
      await answer.body.dump();
      await pause(retryMs);
      answer = await once(method, path, body);
    }
    const responseText = await answer.body.text();
    if (answer.statusCode >= 300)
      throw new Error(`${method} ${path}: ${answer.statusCode} ${responseText.slice(0, 300)}`);
    return responseText;
  };
  // The first request of an organization creates its namespace.
  await eventually(() => ask('POST', '/resources/register', type));
  const { namespace } = JSON.parse(await ask('GET', '/auth/me')) as { namespace: string };
  const group = `/apis/fairlead.dev/v1alpha1/namespaces/${namespace}`;
  await raw.send('POST', `${group}/providers`, {
    apiVersion: 'fairlead.dev/v1alpha1',
    kind: 'Provider',
    metadata: { name: 'noop', namespace },
    spec: { provider: 'noop', endpoint: provider.url },
  });
  return {
    raw,
    token,
    namespace,
    path: `${group}/resources`,
    endpoint: provider.url,
    pids: () => target.pids(),
    apply: async (name, lifecycle = 'pending') => {
      const tuple = { provider: 'noop', resource: 'thing', name };
      const body = { ...tuple, config: configOf(name), lifecycle_state: lifecycle };
      await ask('POST', '/resources/apply', body);
    },
    remove: async (name) => {
      await ask('DELETE', `/resources/noop:thing:${name}`);
    },
    onEvent: (listener) => provider.onEvent(listener),
    close: async () => {
      await api.destroy();
      provider.close();
    },
  };
}

const type = {
  provider: 'noop',
  resource: 'thing',
  description: '',
  schema: {
    type: 'object',
    properties: { name: { type: 'string' }, note: { type: 'string' } },
    required: ['name'],
  },
};

/** A provider on loopback that succeeds at once. */
async function startProvider() {
  let onReceived: (name: string, type: string) => void = () => undefined;
  const server = createServer((request, response) => {
    const name = String(request.headers['ce-subject']).split('/').at(-1) ?? '';
    onReceived(name, String(request.headers['ce-type']));
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"outputs":{"ok":true}}');
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    onEvent: (listener: typeof onReceived) => {
      onReceived = listener;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A Fairlead of its own, all in one process, and a kind that is its own but for the name, which no controller watches. */
export interface OwnSubject extends Subject {
  readonly fairlead: Fairlead;
  /** Path of the resources of the bare client. */
  readonly rawPath: string;
}

export async function startSubject(): Promise<OwnSubject> {
  const fairlead = await Fairlead.start();
  const raw = rawClient(fairlead.kubeconfig);
  const subject = await createSubject({
    url: fairlead.url,
    raw,
    pids: () => (fairlead.pid === undefined ? [] : [fairlead.pid]),
    token: async (organization) => (await fairlead.caller(organization)).token,
  });
  await installRawKind(raw, rawGroup);
  await eventually(() => rootsArePublished(raw));
  const rawPath = `/apis/${rawGroup}/v1alpha1/namespaces/${subject.namespace}/resources`;
  await eventually(() => raw.send('GET', rawPath));
  return {
    ...subject,
    fairlead,
    rawPath,
    close: async () => {
      await subject.close();
      await raw.close();
      await fairlead.destroy();
    },
  };
}

/** Kubernetes writes a ConfigMap into each namespace in the first seconds, which would count as a write of a lifecycle. */
async function rootsArePublished(raw: RawClient): Promise<void> {
  const count = async (path: string) => {
    const { items } = (await raw.send('GET', `/api/v1/${path}`)) as { readonly items: unknown[] };
    return items.length;
  };
  const published = await count('configmaps?fieldSelector=metadata.name=kube-root-ca.crt');
  if (published < (await count('namespaces'))) throw new Error('not every namespace has its root');
}

/** The same schema and subresources under another group, so that both sides write the same object to the same server. */
export async function installRawKind(raw: RawClient, group: string): Promise<void> {
  const file = resolve(import.meta.dirname, '../../crds/resources.fairlead.dev.yaml');
  const definition = parse(readFileSync(file, 'utf8')) as {
    metadata: { name: string };
    spec: { group: string; names: { shortNames?: string[]; categories?: string[] } };
  };
  definition.metadata.name = `resources.${group}`;
  definition.spec.group = group;
  definition.spec.names.shortNames = [];
  definition.spec.names.categories = [];
  await raw.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
}
