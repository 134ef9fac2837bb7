// The scraped metrics, against a real API server. Without a provider, committed resources stay pending.
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Resource } from '../../../src/crds/resource.ts';
import type { KubeClient } from '../../../src/kube/api.ts';
import { createKubeClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { countObjects } from '../../../src/metrics/object-count.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { type Exposition, readExposition } from '../../support/runner/exposition.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';
import { type ApiCaller, type ServedApi, serveApi } from '../../support/servers/served-api.ts';

let api: ServedApi;
let acme: ApiCaller;
let client: KubeClient;
let organization: string;

beforeAll(async () => {
  api = await serveApi({ lookMs: 200 });
  client = createKubeClient(loadCluster(sharedControlPlane()));
  acme = await api.caller('metrics');
  await acme.post('/resources/register', { provider: 'box', resource: 'crate' });
  const { body } = await acme.get('/auth/me');
  organization = (body as { namespace: string }).namespace;
});

afterAll(async () => {
  await api?.close();
  await client?.close();
});

async function ask(method: string, path: string) {
  const options = { host: '127.0.0.1', port: api.metricsPort, agent: false };
  return await new Promise<{ status: number; type: string | undefined; text: string }>(
    (resolve, reject) => {
      const asked = request({ ...options, method, path }, (answer) => {
        const { statusCode: status = 0, headers } = answer;
        text(answer).then(
          (read) => resolve({ status, type: headers['content-type'], text: read }),
          reject,
        );
      });
      asked.once('error', reject).end();
    },
  );
}

async function scrape(): Promise<Exposition> {
  return readExposition((await ask('GET', '/metrics')).text);
}

const apply = (name: string, lifecycle_state: string) =>
  acme.post('/resources/apply', {
    provider: 'box',
    resource: 'crate',
    name,
    config: {},
    lifecycle_state,
  });

async function expectResources(states: Readonly<Record<string, number>>): Promise<void> {
  const total = Object.values(states).reduce((sum, count) => sum + count, 0);
  await eventually(async () => {
    const read = await scrape();
    for (const state of ['draft', 'pending', 'processing', 'ready', 'failed', 'deleting']) {
      const value = read.value('fairlead_resources', { organization, state });
      expect({ state, value }).toEqual({ state, value: states[state] ?? 0 });
    }
    expect(read.value('fairlead_resources_applied', { organization })).toBe(total);
    expect(read.value('fairlead_resources_unaccounted', { organization })).toBe(0);
  });
}

describe('the listener', () => {
  it('answers scrapes, and nothing else', async () => {
    const answer = await ask('GET', '/metrics');
    expect(answer.status).toBe(200);
    expect(answer.type).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(readExposition(answer.text).series.length).toBeGreaterThan(50);
    expect(await ask('HEAD', '/metrics')).toMatchObject({ status: 200, text: '' });
    expect(await ask('GET', '/metrics?x=1')).toMatchObject({ status: 200 });
    expect(await ask('GET', '/')).toMatchObject({ status: 404 });
    expect(await ask('GET', '/resources')).toMatchObject({ status: 404 });
    expect(await ask('POST', '/metrics')).toMatchObject({ status: 405 });
  });

  it('is separate from the API', async () => {
    expect((await api.stranger.get('/metrics')).status).toBe(404);
  });
});

describe('resources', () => {
  it('are counted as in the API server, also after foreign deletions', async () => {
    for (const name of ['a', 'b', 'c']) await apply(name, 'draft');
    for (const name of ['d', 'e']) await apply(name, 'pending');
    await expectResources({ draft: 3, pending: 2 });

    await apply('a', 'pending');
    await expectResources({ draft: 2, pending: 3 });

    // Behind the back of Fairlead.
    const { items } = await client.list<Resource>(Resource, { namespace: organization });
    const b = items.find(({ spec }) => spec.name === 'b');
    await client.patch(Resource, b?.metadata ?? { name: '' }, { metadata: { finalizers: null } });
    await client.delete(Resource, b?.metadata ?? { name: '' });
    await expectResources({ draft: 1, pending: 3 });
    expect(await countObjects(client, Resource, { namespace: organization })).toBe(4);
  });

  it('report no missing dead letters without failures', async () => {
    const read = await scrape();
    expect(read.value('fairlead_failed_without_dead_letter', { organization })).toBe(0);
    expect(read.value('fairlead_dead_letters_without_failure', { organization })).toBe(0);
  });
});

describe('the service', () => {
  it('counts requests by route pattern', async () => {
    await acme.get('/resources/box:crate:secret');
    await acme.get('/no/such/path');
    await eventually(async () => {
      const read = await scrape();
      const route = '/resources/{resource_id}';
      const count = 'fairlead_http_requests_total';
      expect(read.value(count, { method: 'GET', route, status: '404' })).toBe(1);
      expect(read.value(count, { route: 'none', status: '404' })).toBeGreaterThan(0);
      expect(JSON.stringify(read.series)).not.toContain('secret');
    });
  });

  it('reports the leader, the queues, and the last message of each watch', async () => {
    await eventually(async () => {
      const read = await scrape();
      expect(read.value('fairlead_leader')).toBe(1);
      expect(read.value('fairlead_queue_depth', { reconciler: 'resource' })).toBe(0);
      expect(read.value('fairlead_watch_silent_seconds', { kind: 'Resource' })).toBeLessThan(60);
      const settled = { reconciler: 'resource', ending: 'settled' };
      expect(read.value('fairlead_reconcile_duration_seconds_count', settled)).toBeGreaterThan(0);
    });
  });
});
