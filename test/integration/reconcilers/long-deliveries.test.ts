// Deliveries of a type with a long limit, when their controller stops and when their resource is deleted by force, on a real
// API server.
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { definitionNameOf } from '../../../src/domain/identity.ts';
import { annotation, kinds } from '../../../src/store/kinds.ts';
import { type DeadLetterFixture, deadLetterFixture } from '../../support/dead-letter-fixture.ts';
import { eventually } from '../../support/eventually.ts';
import { clientWithCrds } from '../../support/shared-client.ts';

const real = clientWithCrds();

async function withLimit(
  seconds: number,
  options: Parameters<typeof deadLetterFixture>[1],
): Promise<DeadLetterFixture> {
  const fixture = await deadLetterFixture(real, options);
  const name = definitionNameOf('box', 'crate');
  const type = { spec: { timeoutSeconds: seconds } };
  await real.patch(kinds.definition, { namespace: fixture.namespace, name }, type);
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
