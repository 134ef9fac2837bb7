// Redrives on a real API server: a canary of each cause is retried first, and its outcome decides about the others.
import { describe, expect, it } from 'vitest';
import { lastRedriveResult } from '../../../src/store/dead-letters/redrive-result.ts';
import { acceptRedrive, readRedrive } from '../../../src/store/dead-letters/redrives.ts';
import { createDeadLetterStore } from '../../../src/store/dead-letters/store.ts';
import { clientWithCrds } from '../../support/clients/shared-client.ts';
import type { DeadLetterFixture } from '../../support/fixtures/dead-letters/dead-letter-fixture.ts';
import {
  causes,
  deadLettersOf,
  failedOrganization,
  finished,
  numbered,
  redriveWithDeath,
  retryAll,
} from '../../support/fixtures/dead-letters/redrive-fixture.ts';
import { eventually } from '../../support/runner/eventually.ts';

const real = clientWithCrds();
/** So that a dozen resources take more than one batch. */
const slow = { deadLettersPerSecond: 10 };

describe('a redrive', () => {
  it('makes resources of the repaired cause ready, and retries one of the other cause', async () => {
    const fixture = await failedOrganization(real, { disk: 30, net: 10 });
    fixture.broken.delete('disk');
    await retryAll(real, fixture);
    fixture.run();
    await finished(fixture);
    await eventually(async () => expect((await fixture.states())['ready']).toHaveLength(30));
    expect(await deadLettersOf(fixture, 'disk')).toEqual([]);
    expect(await deadLettersOf(fixture, 'net')).toHaveLength(10);
    expect(fixture.received.filter((name) => name.startsWith('net'))).toHaveLength(1);
    expect(fixture.received.filter((name) => name.startsWith('disk'))).toHaveLength(30);
    expect((await fixture.states())['failed']).toHaveLength(10);
    const [held] = await deadLettersOf(fixture, 'net');
    const result = await lastRedriveResult(real, fixture.namespace);
    expect(result?.held).toEqual([`box/${held?.cause}`]);
  });

  it('retries a held cause when it is requested again meanwhile', async () => {
    const fixture = await failedOrganization(real, { disk: 15, net: 5 }, slow);
    await retryAll(real, fixture);
    fixture.broken.delete('disk');
    fixture.run();
    // The canary of the other cause has failed, while the many of the first are being sent.
    await eventually(async () => {
      const [redrive] = (await fixture.redrives()).map(readRedrive);
      expect(Object.values(redrive?.causes ?? {}).map(({ state }) => state)).toContain('held');
    });
    fixture.broken.clear();
    await retryAll(real, fixture);
    await finished(fixture);
    await eventually(async () => expect((await fixture.states())['ready']).toHaveLength(20));
    expect(await fixture.deadLetters()).toEqual([]);
  });

  it('ignores dead letters of other providers and later failures', async () => {
    const fixture = await failedOrganization(real, { disk: 3 });
    fixture.broken.clear();
    await retryAll(real, fixture, 'mail');
    fixture.run();
    await finished(fixture);
    expect(fixture.received).toEqual([]);
    await acceptRedrive(real, fixture.namespace, { provider: 'box', untilVersion: '1' });
    await finished(fixture);
    expect(fixture.received).toEqual([]);
    await retryAll(real, fixture, 'box');
    await eventually(async () => expect((await fixture.states())['ready']).toHaveLength(3));
  });

  it('removes superseded dead letters', async () => {
    const fixture = await failedOrganization(real, { disk: 3 });
    fixture.broken.clear();
    fixture.run();
    await fixture.change('disk-000', { other: true });
    await eventually(async () => expect((await fixture.states())['ready']).toEqual(['disk-000']));
    expect(await fixture.deadLetters()).toHaveLength(3);
    await retryAll(real, fixture);
    await finished(fixture);
    await eventually(async () => expect(await fixture.deadLetters()).toEqual([]));
    await eventually(async () => expect((await fixture.states())['ready']).toHaveLength(3));
    expect(fixture.received.filter((name) => name === 'disk-000')).toHaveLength(1);
  });

  it('stops when the canary succeeded by chance', async () => {
    const fixture = await failedOrganization(real, { disk: 20 }, slow);
    const [lucky] = await oldest(fixture);
    fixture.broken.clear();
    for (const name of numbered('disk', 20)) {
      if (name !== lucky) fixture.broken.set(name, causes.disk);
    }
    await retryAll(real, fixture);
    fixture.run();
    await finished(fixture);
    const received = new Set(fixture.received);
    expect(received.size).toBeGreaterThan(1);
    expect(received.size).toBeLessThan(20);
    // Events that were in flight when the redrive stopped fail after it.
    await eventually(async () => expect(await fixture.deadLetters()).toHaveLength(19));
  });
});

it('a request of the API retries what it counts, and holds a cause that fails again', async () => {
  const fixture = await failedOrganization(real, { disk: 5, net: 5 });
  fixture.broken.delete('disk');
  const { namespace } = fixture;
  const running = fixture.run();
  const { resources } = running.caches;
  const store = createDeadLetterStore({ client: real, resources });
  await eventually(() => expect(resources.count(namespace)).toBe(10));
  expect(await store.retryAll({ issuer: 'i', id: 'o', namespace }, {})).toBe(10);
  await finished(fixture);
  await eventually(async () => expect((await fixture.states())['ready']).toHaveLength(5));
  expect(await deadLettersOf(fixture, 'disk')).toEqual([]);
  expect(fixture.received.filter((name) => name.startsWith('net'))).toHaveLength(1);
  await running.stop();
});

async function oldest(fixture: DeadLetterFixture): Promise<readonly string[]> {
  const deadLetters = await fixture.deadLetters();
  return deadLetters
    .toSorted((left, right) => left.failedAt.getTime() - right.failedAt.getTime())
    .map(({ resourceName }) => resourceName);
}

// test/faults/redrive.test.ts has the other writes.
it('ends alike when the controller dies after the third write of a redrive', async () => {
  await redriveWithDeath(real, 3);
});
