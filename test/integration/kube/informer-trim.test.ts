// An informer that keeps less of its objects than there is.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/kube/api.ts';
import { createKubeClient, type StreamingClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { createInformer } from '../../../src/kube/informer/informer.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';

interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

const kind = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};
const name = `trim-${randomUUID().slice(0, 8)}`;
const metadata = { name, namespace: 'default', labels: { trim: name } };

let client: StreamingClient;

beforeAll(() => {
  client = createKubeClient(loadCluster(sharedControlPlane()));
});
afterAll(async () => {
  await client.delete(kind, metadata);
  await client.close();
});

it('trims objects that are listed, watched or written by the informer itself', async () => {
  const changes: unknown[] = [];
  await client.create<ConfigMap>(kind, { metadata, data: { small: '1', large: 'x' } });
  const informer = createInformer<ConfigMap>({
    client,
    kind,
    selector: { labelSelector: `trim=${name}` },
    trim: ({ data = {}, ...object }) => ({ ...object, data: { small: data['small'] ?? '' } }),
    log: silentLog,
    clock: systemClock,
    random: Math.random,
  });
  informer.onChange((_key, _before, after) => changes.push(after?.data));
  await informer.start();
  const cached = () => informer.get(`default/${name}`)?.data;
  expect(cached()).toEqual({ small: '1' });

  const change = (small: string) =>
    client.patch<ConfigMap>(kind, metadata, { data: { small, large: 'y' } });
  await change('2');
  await eventually(() => expect(cached()).toEqual({ small: '2' }));
  informer.remember(await change('3'));
  expect(cached()).toEqual({ small: '3' });
  await eventually(() => expect(changes).toEqual([{ small: '1' }, { small: '2' }, { small: '3' }]));
  await informer.stop();
});
