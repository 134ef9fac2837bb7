// The controllers die after each write of the deletion of a provider with its resources, while another version of it is wanted: its
// types hold for each DELETE, no type of the other version is stored, and nothing is left.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Build } from '../../src/crds/build.ts';
import type { Provider } from '../../src/crds/provider.ts';
import { definitionNameOf } from '../../src/domain/identity.ts';
import { jobNameOf } from '../../src/domain/providers/build.ts';
import { createKubeClient, type StreamingClient } from '../../src/kube/client.ts';
import { loadCluster } from '../../src/kube/config.ts';
import { apiVersion, kinds } from '../../src/store/kinds.ts';
import { dyingClient } from '../support/faults/dying-client.ts';
import {
  type DeadLetterFixture,
  deadLetterFixture,
} from '../support/fixtures/dead-letters/dead-letter-fixture.ts';
import { installDefinitions } from '../support/fixtures/install-definitions.ts';
import { reportPod, takeOver } from '../support/fixtures/workloads/reported-pod.ts';
import { eventually } from '../support/runner/eventually.ts';
import { type OwnControlPlane, ownControlPlane } from '../support/servers/control-plane.ts';

const version = '20260101.000000';
const next = '20260102.000000';
const limits = { timeoutSeconds: 1_800, concurrency: 1 };
const names = ['one', 'two'];
const artifact = { digest: `sha256:${'a'.repeat(64)}`, size: 1 };

let controlPlane: OwnControlPlane;
let real: StreamingClient;

beforeAll(async () => {
  controlPlane = await ownControlPlane();
  real = createKubeClient(loadCluster(controlPlane));
  await installDefinitions(real);
});
afterAll(async () => {
  await real?.close();
  await controlPlane?.stop();
});

/** A version that serves with two resources, of a type with limits. */
async function serving(fixture: DeadLetterFixture): Promise<void> {
  const { namespace } = fixture;
  const type = { namespace, name: definitionNameOf('box', 'crate') };
  await real.patch(kinds.definition, type, { spec: limits });
  const provider = { namespace, name: 'box' };
  await real.patch(kinds.provider, provider, { spec: { endpoint: null, version } });
  await reportPod(real, { namespace, name: 'only', version, podIP: '127.0.0.77' });
  const maker = fixture.run();
  await takeOver(real, maker, { namespace, version });
  await fixture.apply(names);
  await eventually(async () => {
    expect(await fixture.states()).toEqual({ ready: expect.arrayContaining(names) });
  });
  await maker.stop();
}

/** Another version, with one type more, is built and wanted when the deletion begins. */
async function deletion({ namespace, remove }: DeadLetterFixture): Promise<void> {
  const types = ['crate', 'lid'].map((resource) => ({ resource, description: 'Another one' }));
  const build = await real.create<Build>(kinds.build, {
    apiVersion,
    kind: kinds.build.kind,
    metadata: { name: jobNameOf('box', next), namespace },
    spec: { provider: 'box', version: next, source: artifact },
  });
  const status = { phase: 'success', artifact, types } as const;
  await real.replaceStatus(kinds.build, { ...build, status });
  const provider = { namespace, name: 'box' };
  await real.patch<Provider>(kinds.provider, provider, { spec: { version: next } });
  for (const name of names) await remove(name);
  await real.delete(kinds.provider, provider);
}

async function isGone({ namespace }: DeadLetterFixture): Promise<void> {
  for (const kind of [kinds.resource, kinds.provider, kinds.definition]) {
    expect((await real.list(kind, { namespace })).items).toEqual([]);
  }
}

it.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'a provider goes with its resources and types when the controllers die after write %i',
  async (lastWrite) => {
    const sent: object[] = [];
    const fixture = await deadLetterFixture(real, {
      within: ({ type, name }, limitMs) => sent.push({ type, name, limitMs }),
    });
    await serving(fixture);
    await deletion(fixture);
    sent.length = 0;
    const dying = dyingClient(real, lastWrite, (write) => !write.endsWith(' Event'));
    const first = fixture.run(0, dying.client);
    await eventually(() => expect(dying.isDead).toBe(true), 30_000);
    await first.stop();
    const second = fixture.run();
    await eventually(() => isGone(fixture), 30_000);
    expect(new Set(sent.map((each) => JSON.stringify(each))).size).toBe(names.length);
    for (const each of sent) expect(each).toMatchObject({ type: 'DELETE', limitMs: 1_800_000 });
    const writes = [...dying.writes, ...second.dying.writes];
    expect(writes.filter((write) => /^(create|replace) ResourceDefinition$/.test(write))).toEqual(
      [],
    );
  },
);
