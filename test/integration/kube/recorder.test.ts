// Kubernetes Events on a real API server: what people read, how often, and that recording never gets in the way.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { KindRef, KubeClient, KubeObject } from '../../../src/kube/api.ts';
import { createKubeClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { createRecorder, type Recorder } from '../../../src/kube/recorder.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { manualTime } from '../../support/runner/manual-time.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';

const core = { group: '', version: 'v1', namespaced: true };
const configMapKind: KindRef = { ...core, kind: 'ConfigMap', plural: 'configmaps' };
const namespaceKind: KindRef = {
  ...core,
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
};
const eventKind: KindRef = {
  group: 'events.k8s.io',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  namespaced: true,
};

interface RecordedEvent extends KubeObject {
  readonly note: string;
  readonly reason: string;
  readonly type: string;
  readonly regarding: { kind: string; name: string; uid: string };
  readonly reportingController: string;
  readonly series?: { count: number };
}

const namespace = 'recorder-test';
let client: KubeClient;
let recorder: Recorder;
let about: { kind: KindRef; metadata: KubeObject['metadata'] };

beforeAll(async () => {
  client = createKubeClient(loadCluster(sharedControlPlane()));
  await client.create(namespaceKind, { metadata: { name: namespace } });
  const object = await client.create(configMapKind, { metadata: { name: 'thing', namespace } });
  about = { kind: configMapKind, metadata: object.metadata };
  const component = 'fairlead.dev/test';
  recorder = createRecorder({ client, component, clock: systemClock, log: silentLog });
});

afterAll(async () => {
  await client.delete(namespaceKind, { name: namespace });
  await client.close();
});

async function recorded(reason: string): Promise<readonly RecordedEvent[]> {
  const { items } = await client.list<RecordedEvent>(eventKind, { namespace });
  return items.filter((each) => each.reason === reason);
}

it('records an Event for an object, with its reporter', async () => {
  recorder.record(about, { type: 'Warning', reason: 'Broken', message: 'It broke' });
  await recorder.settled();
  expect(await recorded('Broken')).toMatchObject([
    {
      note: 'It broke',
      type: 'Warning',
      reportingController: 'fairlead.dev/test',
      regarding: { apiVersion: 'v1', kind: 'ConfigMap', name: 'thing', uid: about.metadata.uid },
    },
  ]);
});

it('aggregates equal Events, and keeps others apart', async () => {
  const again = { type: 'Normal', reason: 'Again', message: 'Once more' } as const;
  for (let times = 0; times < 3; times += 1) {
    recorder.record(about, again);
    await recorder.settled();
  }
  recorder.record(about, { ...again, message: 'Something else' });
  await recorder.settled();
  const events = await recorded('Again');
  expect(events.map(({ note, series }) => [note, series?.count])).toEqual(
    expect.arrayContaining([
      ['Once more', 3],
      ['Something else', undefined],
    ]),
  );
  expect(events).toHaveLength(2);
});

it('truncates a note to the limit of the API server', async () => {
  recorder.record(about, { type: 'Normal', reason: 'Long', message: `a${'💥'.repeat(2_000)}` });
  await recorder.settled();
  const [event] = await recorded('Long');
  expect(event?.note).toBe(`a${'💥'.repeat(255)}`);
});

it('reports a hundred successes at once, and every recovery', async () => {
  const { clock, pass } = manualTime();
  const component = 'fairlead.dev/test';
  const own = createRecorder({ client, component, clock, log: silentLog });
  const record = async (uid: string, type: 'Normal' | 'Warning', reason: string) => {
    const metadata = { ...about.metadata, uid };
    own.record({ kind: configMapKind, metadata }, { type, reason, message: 'x' });
    await own.settled();
    return own.wasTroubled(metadata);
  };
  for (let index = 0; index < 110; index += 1) await record(`good-${index}`, 'Normal', 'Good');
  expect(await recorded('Good')).toHaveLength(100);
  expect(await record('bad', 'Warning', 'Bad')).toBe(true);
  expect(await recorded('Bad')).toHaveLength(1);
  expect(await record('bad', 'Normal', 'Recovered')).toBe(false);
  expect(await recorded('Recovered')).toHaveLength(1);
  pass(1_000);
  for (let index = 0; index < 20; index += 1) await record(`later-${index}`, 'Normal', 'Later');
  expect(await recorded('Later')).toHaveLength(10);
});

it('neither throws nor waits when recording fails', async () => {
  const metadata = { name: 'x', namespace: 'no-such-namespace', uid: 'u' };
  const elsewhere = { kind: configMapKind, metadata };
  for (let times = 0; times < 100; times += 1) {
    recorder.record(elsewhere, { type: 'Normal', reason: 'Lost', message: `${times}` });
  }
  await recorder.settled();
  recorder.record(about, { type: 'Normal', reason: 'After', message: 'Still here' });
  await eventually(async () => expect(await recorded('After')).toHaveLength(1));
});
