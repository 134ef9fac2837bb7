// Deliveries of a type with a long limit, when their controller stops and when their resource is deleted by force, on a real
// API server.
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { definitionNameOf } from '../../../src/domain/identity.ts';
import { annotation, kinds } from '../../../src/store/kinds.ts';
import { clientWithCrds } from '../../support/clients/shared-client.ts';
import {
  type DeadLetterFixture,
  deadLetterFixture,
} from '../../support/fixtures/dead-letters/dead-letter-fixture.ts';
import { eventually } from '../../support/runner/eventually.ts';

const real = clientWithCrds();

type Options = Parameters<typeof deadLetterFixture>[1];

const withLimit = (seconds: number, options: Options) =>
  withType({ timeoutSeconds: seconds }, options);

async function withType(spec: object, options: Options): Promise<DeadLetterFixture> {
  const fixture = await deadLetterFixture(real, options);
  const name = definitionNameOf('box', 'crate');
  await real.patch(kinds.definition, { namespace: fixture.namespace, name }, { spec });
  return fixture;
}

it('is recorded by the controller that stops when its answer comes soon', async () => {
  const fixture = await withLimit(60, { before: () => pause(500) });
  await fixture.apply(['box-0']);
  const first = fixture.run();
  await eventually(() => expect(fixture.received).toHaveLength(1));
  await first.stop();
  expect(await fixture.states()).toEqual({ ready: ['box-0'] });
  fixture.run();
  await fixture.apply(['box-1']);
  await eventually(async () =>
    expect(await fixture.states()).toEqual({ ready: ['box-0', 'box-1'] }),
  );
  expect(fixture.received).toEqual(['box-0', 'box-1']);
});

it.each(['create', 'delete'] as const)('of a %s is given up by force', async (during) => {
  const types: string[] = [];
  const fixture = await withLimit(3_600, {
    eventTimeoutMs: 1_000,
    before: async ({ type }, signal) => {
      types.push(type);
      if (type.toLowerCase() !== during) return;
      if (!signal.aborted) await once(signal, 'abort');
    },
  });
  await fixture.apply(['box-0']);
  fixture.run();
  if (during === 'delete') {
    await eventually(async () => expect(await fixture.states()).toEqual({ ready: ['box-0'] }));
    await fixture.remove('box-0');
  }
  await eventually(() => expect(types.at(-1)?.toLowerCase()).toBe(during));
  const { metadata } = await fixture.resource('box-0');
  const annotations = { [annotation.forceDeletion]: 'true' };
  await real.patch(kinds.resource, metadata, { metadata: { annotations } });
  await real.delete(kinds.resource, metadata);
  await eventually(async () => expect(await fixture.states()).toEqual({}));
  expect(types).toEqual(['CREATE', 'DELETE']);
});

it.each([
  { policy: 'Delete', sent: ['CREATE', 'CANCEL', 'DELETE'], why: 'nobody needs what is made' },
  { policy: 'Orphan', sent: ['CREATE'], why: 'what is made remains' },
])('of a cancellable type is cancelled by a deletion, or not: $policy', async (row) => {
  const { policy, sent, why } = row;
  const types: string[] = [];
  const made = Promise.withResolvers<void>();
  const fixture = await withType(
    { cancellable: true },
    {
      before: async ({ type, name }) => {
        if (name !== 'box-0') return;
        types.push(type);
        if (type === 'CREATE') await made.promise;
      },
    },
  );
  await fixture.apply(['box-0']);
  fixture.run();
  await eventually(() => expect(types).toEqual(['CREATE']));
  const { metadata } = await fixture.resource('box-0');
  await real.patch(kinds.resource, metadata, { spec: { deletionPolicy: policy } });
  await real.delete(kinds.resource, metadata);
  // By then the deletion of the first one has had its pass.
  await fixture.apply(['box-1']);
  await eventually(async () => expect((await fixture.states())['ready']).toEqual(['box-1']));
  made.resolve();
  await eventually(async () => expect(await fixture.states()).toEqual({ ready: ['box-1'] }));
  expect(types, why).toEqual(sent);
});

it('shows its progress meanwhile, as does one that is not long, and no more once it is recorded', async () => {
  const { promise: passed, resolve: open } = Promise.withResolvers<void>();
  const before: NonNullable<NonNullable<Options>['before']> = (_event, _signal, report) => {
    report('done=20000, total=100000, message="Copying"');
    return passed;
  };
  const long = await withLimit(60, { before });
  const short = await deadLetterFixture(real, { before });
  for (const fixture of [long, short]) await fixture.apply(['box-0']);
  // These controllers serve both organizations.
  long.run();
  const progressOf = async (fixture: DeadLetterFixture) =>
    (await fixture.resource('box-0')).status?.event?.progress;
  const progress = { done: 20_000, total: 100_000, message: 'Copying' };
  await eventually(async () => expect(await progressOf(long)).toEqual(progress));
  await eventually(async () => expect(await progressOf(short)).toEqual(progress));
  open();
  for (const fixture of [long, short]) {
    await eventually(async () => expect(await fixture.states()).toEqual({ ready: ['box-0'] }));
    expect(await progressOf(fixture)).toBeUndefined();
  }
  expect(long.received, 'each is delivered once').toEqual(['box-0', 'box-0']);
});
