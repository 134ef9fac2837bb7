// Controllers whose cache of resources is behind, beside others that work: what they observe and correct is decided on an old view, so
// nothing of it is recorded, and no event follows.
import { expect, it, onTestFinished } from 'vitest';
import { definitionNameOf } from '../../../src/domain/identity.ts';
import { kinds } from '../../../src/store/kinds.ts';
import { clientWithCrds } from '../../support/clients/shared-client.ts';
import { lateClient } from '../../support/faults/late-client.ts';
import type { Running } from '../../support/fixtures/dead-letters/dead-letter-fixture.ts';
import {
  aWorld,
  hour,
  isScheduled,
  observed,
  shows,
  type World,
  wake,
} from '../../support/fixtures/observation/observed-world.ts';
import { eventually } from '../../support/runner/eventually.ts';

const real = clientWithCrds();

async function twoProcesses() {
  const world = await aWorld(real);
  const late = lateClient(real, 'resources');
  const behind = world.fixture.run(0, late.client);
  onTestFinished(late.release);
  return { world, late, behind };
}

let pokes = 0;

/** Has the processes look at all resources of the type, also one that sees no change of a resource. */
async function poke({ fixture: { namespace } }: World): Promise<void> {
  pokes += 1;
  const name = definitionNameOf('box', 'crate');
  const description = `A crate, seen ${pokes} times`;
  await real.patch(kinds.definition, { namespace, name }, { spec: { description } });
}

async function versionOf({ fixture }: World): Promise<string | undefined> {
  return (await fixture.resource('db')).metadata.resourceVersion;
}

const refused = ({ dying }: Running) => dying.writes.length - dying.accepted.length;

it('records no drift of content before a change', async () => {
  const { world, late, behind } = await twoProcesses();
  const { fixture, cloud, clock } = world;
  await fixture.apply(['db'], { config: { size: 2 } });
  await isScheduled(world, 'db');

  late.hold();
  const present = fixture.run();
  await fixture.change('db', { size: 3 });
  await eventually(() => expect(cloud.objects.get('db')).toEqual({ size: 3 }));
  await shows(world, 'db', { state: 'ready' });
  await present.stop();
  const version = await versionOf(world);
  const before = refused(behind);
  clock.aheadMs += hour;
  await poke(world);
  await eventually(() => expect(refused(behind)).toBeGreaterThan(before));
  expect(await versionOf(world)).toBe(version);

  late.release();
  await eventually(() => expect(world.outcomes.at(-1)).toBe('in_sync'));
  await shows(world, 'db', { state: 'ready', reason: 'Processed', drift: null });
  expect(await versionOf(world)).toBe(version);
});

it('begins no correction of what another process has corrected', async () => {
  const { world, late, behind } = await twoProcesses();
  const { fixture, cloud, clock } = world;
  const observe = { every: 'never', onDrift: 'Correct' } as const;
  await fixture.apply(['db'], { config: { size: 2 }, observe });
  await isScheduled(world, 'db');
  cloud.objects.set('db', { size: 9 });
  await observed(world, 'db');
  await shows(world, 'db', { reason: 'Drifted' });

  late.hold();
  const present = fixture.run();
  clock.aheadMs += 2 * hour;
  await wake(world, 'db');
  await eventually(() => expect(cloud.objects.get('db')).toEqual({ size: 2 }));
  await shows(world, 'db', { state: 'ready', drift: null });
  await present.stop();
  const before = refused(behind);
  await poke(world);
  await eventually(() => expect(refused(behind)).toBeGreaterThan(before));
  late.release();
  await observed(world, 'db');
  const { spec, status } = await fixture.resource('db');
  expect(spec.retry).toBe(1);
  expect(status?.corrections?.count).toBe(1);
  expect(cloud.count('UPDATE')).toBe(1);
});
