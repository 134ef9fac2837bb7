// The measured system: a real Fairlead process, an organization with one type, and a provider that answers immediately.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { resolve } from 'node:path';
import { Pool } from 'undici';
import { parse } from 'yaml';
import { eventually } from '../test/support/eventually.ts';
import { Fairlead } from '../test/support/fairlead.ts';
import { type RawClient, rawClient } from './raw.ts';

export const config = { name: 'orders', note: 'x'.repeat(1_500) };
const rawGroup = 'bench.fairlead.dev';

export interface Subject {
  readonly fairlead: Fairlead;
  readonly raw: RawClient;
  readonly namespace: string;
  /** Path of the raw client's resources: a kind with the same schema that no controller watches. */
  readonly rawPath: string;
  /** Path of Fairlead's own resources. */
  readonly path: string;
  apply(name: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Called when the provider's handler starts. */
  onEvent(listener: (name: string, type: string) => void): void;
  close(): Promise<void>;
}

export async function startSubject(): Promise<Subject> {
  const fairlead = await Fairlead.start();
  const raw = rawClient(fairlead.kubeconfig);
  let onReceived: (name: string, type: string) => void = () => undefined;
  const provider = createServer((request, response) => {
    const name = String(request.headers['ce-subject']).split('/').at(-1) ?? '';
    onReceived(name, String(request.headers['ce-type']));
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"outputs":{"ok":true}}');
  });
  await new Promise<void>((ready) => provider.listen(0, '127.0.0.1', ready));
  const address = provider.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;

  const caller = await fairlead.caller('bench');
  const { namespace } = (await caller.get('/auth/me')).body as { namespace: string };
  const schema = {
    type: 'object',
    properties: { name: { type: 'string' }, note: { type: 'string' } },
    required: ['name'],
  };
  await caller.post('/resources/register', {
    provider: 'noop',
    resource: 'thing',
    description: '',
    schema,
  });
  await fairlead.apply({
    apiVersion: 'fairlead.dev/v1alpha1',
    kind: 'Provider',
    metadata: { name: 'noop', namespace },
    spec: { provider: 'noop', endpoint: `http://127.0.0.1:${port}` },
  });
  await installRawKind(fairlead);
  const rawPath = `/apis/${rawGroup}/v1alpha1/namespaces/${namespace}/resources`;
  await eventually(() => raw.send('GET', rawPath));

  const api = new Pool(fairlead.url, { connections: 32, pipelining: 1 });
  const headers = { authorization: `Bearer ${caller.token}`, 'content-type': 'application/json' };
  const ask = async (method: 'POST' | 'DELETE', path: string, body?: unknown) => {
    const answer = await api.request({
      method,
      path,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const responseText = await answer.body.text();
    if (answer.statusCode >= 300)
      throw new Error(`${method} ${path}: ${answer.statusCode} ${responseText.slice(0, 300)}`);
  };
  return {
    fairlead,
    raw,
    namespace,
    rawPath,
    path: `/apis/fairlead.dev/v1alpha1/namespaces/${namespace}/resources`,
    apply: (name) =>
      ask('POST', '/resources/apply', {
        provider: 'noop',
        resource: 'thing',
        name,
        config,
        lifecycle_state: 'pending',
      }),
    remove: (name) => ask('DELETE', `/resources/noop:thing:${name}`),
    onEvent: (listener) => {
      onReceived = listener;
    },
    close: async () => {
      await api.destroy();
      await raw.close();
      provider.closeAllConnections();
      provider.close();
      await fairlead.destroy();
    },
  };
}

/** The same schema and subresources under another group, so that both sides write the same object to the same server. */
async function installRawKind(fairlead: Fairlead): Promise<void> {
  const file = resolve(import.meta.dirname, '../crds/resources.fairlead.dev.yaml');
  const definition = parse(readFileSync(file, 'utf8')) as {
    metadata: { name: string };
    spec: { group: string; names: { shortNames?: string[]; categories?: string[] } };
  };
  definition.metadata.name = `resources.${rawGroup}`;
  definition.spec.group = rawGroup;
  definition.spec.names.shortNames = [];
  definition.spec.names.categories = [];
  await fairlead.apply(definition);
}
