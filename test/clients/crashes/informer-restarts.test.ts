// An informer whose API server is killed, started again, and has forgotten what the informer saw last.
import { Client } from 'undici';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { pages } from '../../../src/kube/informer/pages.ts';
import {
  configMaps,
  type InformerBehindProxy,
  informerBehindProxy,
} from '../../support/faults/informer-behind-proxy.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { type OwnControlPlane, ownControlPlane } from '../../support/servers/control-plane.ts';

const inactivityMs = 1_000;
let controlPlane: OwnControlPlane;
let subject: InformerBehindProxy;

beforeAll(async () => {
  controlPlane = await ownControlPlane();
});
afterAll(() => controlPlane.stop());
beforeEach(async () => {
  subject = await informerBehindProxy(controlPlane.kubeconfig, { inactivityMs });
  await subject.informer.start();
});
afterEach(() => subject.stop());

async function restartApiServer(): Promise<void> {
  await controlPlane.stopApiServer();
  await controlPlane.startApiServer();
}

/** Makes etcd forget every version but the newest. */
async function compact(): Promise<void> {
  const { resourceVersion } = await subject.direct.list(configMaps, { limit: 1 });
  const etcd = new Client('http://localhost', { socketPath: controlPlane.etcdSocket });
  const { statusCode } = await etcd.request({
    method: 'POST',
    path: '/v3/kv/compaction',
    body: JSON.stringify({ revision: resourceVersion, physical: true }),
  });
  await etcd.close();
  expect(statusCode).toBe(200);
}

describe('an informer', () => {
  // More of them are in test/faults/api-server.test.ts.
  const restarts = 2;

  it(`survives ${restarts} restarts of its API server with one watch`, {
    timeout: 300_000,
  }, async () => {
    for (let restart = 1; restart <= restarts; restart += 1) {
      const changes = Promise.all([subject.write('steady'), subject.write(`round-${restart}`)]);
      await changes;
      await restartApiServer();
      await subject.remove(`round-${restart - 1}`);
      expect(subject.proxy.openWatches('configmaps')).toBeLessThanOrEqual(1);
    }
    await subject.holdsTheTruth();
    // Refused while it was down, opened when it was back: a few times for each restart, and never in a storm.
    expect(subject.count('watch')).toBeLessThan(15 * restarts);
    // Each of the next ones lasts until its silence; the first of them was open before.
    const [watches, beganAt] = [subject.count('watch'), performance.now()];
    await eventually(() => expect(subject.count('watch')).toBeGreaterThanOrEqual(watches + 4));
    expect(performance.now() - beganAt).toBeGreaterThanOrEqual(3 * inactivityMs);
  });

  it('lists again, once, when its version was compacted away', async () => {
    await subject.write('kept');
    await subject.write('doomed');
    await subject.holdsTheTruth();
    const lists = subject.count('list');
    const heal = subject.proxy.rule(({ verb }) => (verb === 'watch' ? 'reset' : undefined));
    subject.proxy.disturb('configmaps', 'reset');
    await subject.write('kept');
    await subject.write('born');
    await subject.remove('doomed');
    await compact();
    // Its watch cache would still contain it.
    await restartApiServer();
    heal();
    await subject.holdsTheTruth();
    expect(subject.received.has('default/doomed')).toBe(false);
    expect(subject.count('list')).toBe(lists + 1);
  });

  it('of a quiet kind stays quiet while etcd is compacted again and again', async () => {
    await subject.holdsTheTruth();
    const lists = subject.count('list');
    for (let round = 1; round <= 5; round += 1) {
      const watches = subject.count('watch');
      const ref = { namespace: 'default', name: `elsewhere-${round}` };
      const quota = {
        group: '',
        version: 'v1',
        kind: 'ResourceQuota',
        plural: 'resourcequotas',
        namespaced: true,
      };
      await subject.direct.create(quota, { metadata: ref });
      await compact();
      await eventually(() => expect(subject.count('watch')).toBeGreaterThan(watches));
    }
    await subject.write('kept');
    await subject.holdsTheTruth();
    expect(subject.count('list')).toBe(lists);
  });
});

describe('pages of a list', () => {
  /** Reads all names in pages of 20. After the first page the API server drops the snapshot. */
  async function namesRead(outlivesSnapshot: boolean): Promise<readonly string[]> {
    const names: string[] = [];
    const options = { namespace: 'default', maxObjects: () => 20, outlivesSnapshot };
    for await (const page of pages(subject.direct, configMaps, options)) {
      names.push(...page.items.map(({ metadata }) => metadata.name));
      if (names.length > 20) continue;
      await subject.write('page-late');
      await compact();
      // Its cache of snapshots goes with it.
      await restartApiServer();
    }
    return names;
  }

  it('go on after their snapshot was dropped, or fail, as the reader wants', async () => {
    const written = Array.from({ length: 50 }, (_, at) => `page-${String(at).padStart(2, '0')}`);
    for (const name of written) await subject.write(name);
    const names = await namesRead(true);
    expect(names).toEqual(expect.arrayContaining([...written, 'page-late']));
    expect(names).toEqual(names.toSorted());
    expect(new Set(names).size).toBe(names.length);
    await expect(namesRead(false)).rejects.toMatchObject({ reason: 'gone' });
  });
});
