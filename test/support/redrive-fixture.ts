// Sets up redrives on a real API server: organizations whose resources have failed, and controllers that die while the dead
// letters are sent again.
import { expect } from 'vitest';
import type { StreamingClient } from '../../src/kube/client.ts';
import { acceptRedrive } from '../../src/store/dead-letters/redrives.ts';
import { type DeadLetterFixture, deadLetterFixture } from './dead-letter-fixture.ts';
import { eventually } from './eventually.ts';

/** Error messages by the prefix of a resource's name. */
export const causes = { disk: 'no space is left', net: 'the connection was refused' };

export const numbered = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}-${String(index).padStart(3, '0')}`);

/** An organization in which so many resources of each prefix have failed, each prefix with a cause of its own. */
export async function failedOrganization(
  client: StreamingClient,
  counts: Partial<Record<keyof typeof causes, number>>,
): Promise<DeadLetterFixture> {
  const fixture = await deadLetterFixture(client);
  const names = Object.entries(counts).flatMap(([prefix, count]) => numbered(prefix, count));
  for (const [prefix, message] of Object.entries(causes)) fixture.broken.set(prefix, message);
  await fixture.apply(names);
  const failing = fixture.run();
  const total = names.length;
  await eventually(
    async () => expect((await fixture.states())['failed']).toHaveLength(total),
    60_000,
  );
  await failing.stop();
  expect(await fixture.deadLetters()).toHaveLength(total);
  fixture.received.splice(0);
  return fixture;
}

export function retryAll(
  client: StreamingClient,
  { namespace }: DeadLetterFixture,
  provider?: string,
) {
  return acceptRedrive(client, namespace, { provider, before: new Date() });
}

export async function finished(fixture: DeadLetterFixture): Promise<void> {
  await eventually(async () => expect(await fixture.redrives()).toEqual([]), 60_000);
}

export async function deadLettersOf(fixture: DeadLetterFixture, prefix: string) {
  const deadLetters = await fixture.deadLetters();
  return deadLetters.filter(({ resourceName }) => resourceName.startsWith(prefix));
}

/**
 * Lets the controllers die after their n-th write of a redrive of two causes, one of which is repaired, and others finish
 * it. @throws AssertionError when the end is not that of an undisturbed redrive
 */
export async function redriveWithDeath(client: StreamingClient, n: number): Promise<void> {
  const fixture = await failedOrganization(client, { disk: 4, net: 4 });
  fixture.broken.delete('disk');
  await retryAll(client, fixture);
  const first = fixture.run(n);
  await eventually(async () => {
    if (!first.dying.isDead) expect(await fixture.redrives()).toEqual([]);
  });
  await first.stop();
  const second = fixture.run();
  try {
    await finished(fixture);
    await eventually(async () => {
      const states = await fixture.states();
      expect(states['ready']).toHaveLength(4);
      expect(states['failed']).toHaveLength(4);
      expect(await deadLettersOf(fixture, 'disk')).toEqual([]);
    });
  } finally {
    await second.stop();
  }
  expect(await deadLettersOf(fixture, 'net')).toHaveLength(4);
  const tried = new Set(fixture.received.filter((name) => name.startsWith('net')));
  expect(tried.size).toBe(1);
}
