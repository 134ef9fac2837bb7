// What the gauges of dead letters say while a provider refuses, and dead letters are written, retried and deleted by hand.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Provider } from '../../../src/crds/provider.ts';
import type { KubeClient } from '../../../src/kube/api.ts';
import { createKubeClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { configMapKind, label } from '../../../src/store/kinds.ts';
import {
  answer,
  done,
  type RecordingProvider,
  recordingProvider,
} from '../../support/fixtures/receipts.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { type Exposition, readExposition } from '../../support/runner/exposition.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';
import { type ApiCaller, type ServedApi, serveApi } from '../../support/servers/served-api.ts';

let api: ServedApi;
let acme: ApiCaller;
let client: KubeClient;
let provider: RecordingProvider;
let organization: string;

beforeAll(async () => {
  api = await serveApi();
  client = createKubeClient(loadCluster(sharedControlPlane()));
  provider = await recordingProvider((_receipt, response) =>
    answer(response, 422, { error: { code: 'REFUSED', message: 'no' } }),
  );
  acme = await api.caller('letters');
  await acme.post('/resources/register', { provider: 'box', resource: 'crate' });
  organization = ((await acme.get('/auth/me')).body as { namespace: string }).namespace;
  // The namespace is made by a reconciler.
  await eventually(() =>
    client.create(Provider, {
      apiVersion: 'fairlead.dev/v1alpha1',
      kind: 'Provider',
      metadata: { name: 'box', namespace: organization },
      spec: { provider: 'box', endpoint: provider.url },
    } as Provider),
  );
});

afterAll(async () => {
  await api?.close();
  await provider?.close();
  await client?.close();
});

async function scrape(): Promise<Exposition> {
  const answered = await fetch(`http://127.0.0.1:${api.metricsPort}/metrics`);
  return readExposition(await answered.text());
}

const apply = (name: string) =>
  acme.post('/resources/apply', {
    provider: 'box',
    resource: 'crate',
    name,
    config: {},
    lifecycle_state: 'pending',
  });

interface Expected {
  readonly failed: number;
  readonly ready: number;
  readonly live: number | undefined;
  readonly withoutDeadLetter: number;
}

async function expectMetrics(expected: Expected): Promise<void> {
  await eventually(async () => {
    const read = await scrape();
    const live = { organization, provider: 'box', reason: 'REFUSED', superseded: 'false' };
    expect({
      failed: read.value('fairlead_resources', { organization, state: 'failed' }),
      ready: read.value('fairlead_resources', { organization, state: 'ready' }),
      live: read.value('fairlead_dead_letters', live),
      withoutDeadLetter: read.value('fairlead_failed_without_dead_letter', { organization }),
    }).toEqual(expected);
  });
}

it('tracks failures and their dead letters until all are resolved', async () => {
  await apply('a');
  await apply('b');
  await expectMetrics({ failed: 2, ready: 0, live: 2, withoutDeadLetter: 0 });
  const read = await scrape();
  expect(
    read.value('fairlead_dead_letter_oldest_age_seconds', { organization, provider: 'box' }),
  ).toBeLessThan(60);
  expect(
    read.value('fairlead_event_attempts_total', { type: 'CREATE', outcome: 'terminal' }),
  ).toBeGreaterThanOrEqual(2);

  // By hand, as a cluster admin may.
  const selected = { namespace: organization, labelSelector: `${label.deadLetter}=true` };
  const [deadLetter] = (await client.list(configMapKind, selected)).items;
  expect(await client.delete(configMapKind, deadLetter?.metadata ?? { name: '' })).toBe(true);
  await expectMetrics({ failed: 2, ready: 0, live: 1, withoutDeadLetter: 1 });

  provider.respond(done());
  await apply('a');
  await apply('b');
  await expectMetrics({ failed: 0, ready: 2, live: undefined, withoutDeadLetter: 0 });
});
