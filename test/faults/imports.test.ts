// Two imports of one object race: the record of the later one is on its way while the older one is answered. One of them gets the object.
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Resource } from '../../src/crds/resource.ts';
import { createKubeClient, type StreamingClient } from '../../src/kube/client.ts';
import { loadCluster } from '../../src/kube/config.ts';
import { byPrecedence } from '../../src/store/resources/managed-objects/precedence.ts';
import { type FaultFixture, openFixture } from '../support/faults/fault-fixture.ts';
import { installDefinitions } from '../support/fixtures/install-definitions.ts';
import { aWorld, shows, type World } from '../support/fixtures/observation/observed-world.ts';
import { eventually } from '../support/runner/eventually.ts';

let fixture: FaultFixture;
let real: StreamingClient;

beforeAll(async () => {
  fixture = await openFixture();
  real = createKubeClient(loadCluster({ kubeconfig: fixture.kubeconfig }));
  await installDefinitions(real);
});
afterAll(async () => {
  await real?.close();
  await fixture?.[Symbol.asyncDispose]();
});

/** Holds the first write that says that a resource has its object. */
function holdingRecord(of: string) {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const replaceStatus: StreamingClient['replaceStatus'] = async (kind, object, ...rest) => {
    const { metadata, status } = object as unknown as Resource;
    if (metadata.name === of && status?.appliedConfig !== undefined) {
      reached.resolve();
      await released.promise;
    }
    return await real.replaceStatus(kind, object, ...rest);
  };
  return {
    client: { ...real, replaceStatus },
    reached: reached.promise,
    release: released.resolve,
  };
}

/** @returns the names of two drafts that adopt one object, the one that comes first at first */
async function twoDrafts({ fixture: { apply, resource } }: World) {
  const adopt = { id: 'i-1' } as unknown as Resource['spec']['adopt'];
  await apply(['a', 'b'], { config: { size: 2 }, adopt, lifecycle: 'Draft' });
  const both = [await resource('a'), await resource('b')].sort(byPrecedence);
  return both as [Resource, Resource];
}

const taken = { state: 'failed', reason: 'ObjectTaken' };
const imported = { state: 'ready', reason: 'Imported' };

interface Schedule {
  /** Before the write of the later one goes on. */
  readonly meanwhile: (world: World, later: string) => Promise<void>;
  readonly older: object;
  readonly later: object;
}

const schedules: Record<string, Schedule> = {
  'its write arrives': { meanwhile: () => Promise.resolve(), older: taken, later: imported },
  'its write is decided on an old version': {
    meanwhile: ({ fixture: { patch } }, later) => patch(later, { spec: { tags: ['changed'] } }),
    older: imported,
    later: taken,
  },
};
it.each(Object.entries(schedules))(
  'one of two imports gets the object when %s',
  async (_name, { meanwhile, older, later }) => {
    const world = await aWorld(real);
    const { cloud } = world;
    cloud.objects.set('i-1', { size: 2 });
    const [first, second] = await twoDrafts(world);
    const committed = { spec: { lifecycle: 'Committed' } };
    const { client, reached, release } = holdingRecord(second.metadata.name);
    world.fixture.run(0, client);
    await world.fixture.patch(second.spec.name, committed);
    await reached;
    await world.fixture.patch(first.spec.name, committed);
    await eventually(() => expect(cloud.received).toContain(`OBSERVE ${first.spec.name}`));
    await pause(500);
    await shows(world, first.spec.name, { state: 'processing', reason: 'Importing' });
    await meanwhile(world, second.spec.name);
    release();
    await shows(world, first.spec.name, older);
    await shows(world, second.spec.name, later);
    expect(cloud.received.every((each) => each.startsWith('OBSERVE '))).toBe(true);
  },
);
