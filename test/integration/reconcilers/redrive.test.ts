// Dead letters of two causes are sent again on a real API server: behind a canary, whatever dies in between.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { crdManifests } from '../../../src/crds/manifest.ts';
import { silentLog } from '../../../src/domain/log.ts';
import { createKubeClient, type StreamingClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { installCrds } from '../../../src/kube/crd-installer.ts';
import { acceptRedrive } from '../../../src/store/dead-letters/redrives.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import {
  type DeadLetterFixture,
  deadLetterFixture,
  type Running,
} from '../../support/dead-letter-fixture.ts';
import { eventually } from '../../support/eventually.ts';

let real: StreamingClient;
let running: Running | undefined;

beforeAll(async () => {
  real = createKubeClient(loadCluster(sharedControlPlane()));
  await installCrds(real, crdManifests('0.1.0'), { log: silentLog });
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
});
afterAll(() => real?.close());

const numbered = (beginning: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${beginning}-${String(index).padStart(3, '0')}`);

/** An organization in which resources of these beginnings have failed, each for a cause of its own. */
async function troubled(causes: Record<string, string>, count: number): Promise<DeadLetterFixture> {
  const fixture = await deadLetterFixture(real);
  for (const [beginning, message] of Object.entries(causes)) {
    fixture.broken.set(beginning, message);
    await fixture.apply(numbered(beginning, count));
  }
  const failing = fixture.run();
  const total = Object.keys(causes).length * count;
  await eventually(
    async () => expect((await fixture.states())['failed']).toHaveLength(total),
    60_000,
  );
  await failing.stop();
  expect(await fixture.deadLetters()).toHaveLength(total);
  fixture.heard.splice(0);
  return fixture;
}

const retryAll = (fixture: DeadLetterFixture, provider?: string) =>
  acceptRedrive(real, fixture.namespace, { provider, before: new Date() });

const causes = { disk: 'no space is left', net: 'the connection was refused' };

async function finished(fixture: DeadLetterFixture): Promise<void> {
  await eventually(async () => expect(await fixture.redrives()).toEqual([]), 60_000);
}

function deadLettersOf(
  deadLetters: Awaited<ReturnType<DeadLetterFixture['deadLetters']>>,
  beginning: string,
) {
  return deadLetters.filter(({ resourceName }) => resourceName.startsWith(beginning));
}

describe('sending 200 letters of two causes again', () => {
  it('makes those of the repaired cause ready, and tries one of the other', async () => {
    const fixture = await troubled(causes, 100);
    fixture.broken.delete('disk');
    await retryAll(fixture);
    running = fixture.run();
    await finished(fixture);
    await eventually(async () => expect((await fixture.states())['ready']).toHaveLength(100));
    const deadLetters = await fixture.deadLetters();
    expect(deadLettersOf(deadLetters, 'disk')).toEqual([]);
    expect(deadLettersOf(deadLetters, 'net')).toHaveLength(100);
    expect(fixture.heard.filter((name) => name.startsWith('net'))).toHaveLength(1);
    expect(fixture.heard.filter((name) => name.startsWith('disk'))).toHaveLength(100);
    expect((await fixture.states())['failed']).toHaveLength(100);
  });
});

describe('sending letters again', () => {
  it('begins once more with what is held, when it is asked for again meanwhile', async () => {
    const fixture = await troubled(causes, 60);
    await retryAll(fixture);
    fixture.broken.delete('disk');
    running = fixture.run();
    // The canary of the other cause has failed, while the many of the first are being sent.
    await eventually(() => expect(fixture.heard.some((name) => name.startsWith('net'))).toBe(true));
    fixture.broken.clear();
    await retryAll(fixture);
    await finished(fixture);
    await eventually(async () => expect((await fixture.states())['ready']).toHaveLength(120));
    expect(await fixture.deadLetters()).toEqual([]);
  });

  it('leaves letters of other providers and later failures alone', async () => {
    const fixture = await troubled({ disk: causes.disk }, 3);
    fixture.broken.clear();
    await retryAll(fixture, 'mail');
    running = fixture.run();
    await finished(fixture);
    expect(fixture.heard).toEqual([]);
    await acceptRedrive(real, fixture.namespace, { provider: 'box', before: new Date(0) });
    await finished(fixture);
    expect(fixture.heard).toEqual([]);
    await retryAll(fixture, 'box');
    await eventually(async () => expect((await fixture.states())['ready']).toHaveLength(3));
  });

  it('removes letters whose resource went on without them', async () => {
    const fixture = await troubled({ disk: causes.disk }, 3);
    fixture.broken.clear();
    running = fixture.run();
    await fixture.change('disk-000', { other: true });
    await eventually(async () => expect((await fixture.states())['ready']).toEqual(['disk-000']));
    expect(await fixture.deadLetters()).toHaveLength(3);
    await retryAll(fixture);
    await finished(fixture);
    await eventually(async () => expect(await fixture.deadLetters()).toEqual([]));
    await eventually(async () => expect((await fixture.states())['ready']).toHaveLength(3));
    expect(fixture.heard.filter((name) => name === 'disk-000')).toHaveLength(1);
  });

  it('stops when the one that went ahead was only lucky', async () => {
    const fixture = await troubled({ disk: causes.disk }, 120);
    const [lucky] = await oldest(fixture);
    fixture.broken.clear();
    for (const name of numbered('disk', 120)) {
      if (name !== lucky) fixture.broken.set(name, causes.disk);
    }
    await retryAll(fixture);
    running = fixture.run();
    await finished(fixture);
    const heard = new Set(fixture.heard);
    expect(heard.size).toBeGreaterThan(1);
    expect(heard.size).toBeLessThan(120);
    expect(await fixture.deadLetters()).toHaveLength(119);
  });
});

async function oldest(fixture: DeadLetterFixture): Promise<readonly string[]> {
  const deadLetters = await fixture.deadLetters();
  return deadLetters
    .toSorted((left, right) => left.failedAt.getTime() - right.failedAt.getTime())
    .map(({ resourceName }) => resourceName);
}

describe('a controller that dies after its n-th write of a redrive', () => {
  it.each([1, 2, 3, 5, 7, 9, 12, 20])(
    'is followed by one that ends the same (n = %i)',
    async (n) => {
      const fixture = await troubled(causes, 4);
      fixture.broken.delete('disk');
      await retryAll(fixture);
      const first = fixture.run(n);
      await eventually(async () => {
        if (!first.dying.isDead) expect(await fixture.redrives()).toEqual([]);
      });
      await first.stop();
      running = fixture.run();
      await finished(fixture);
      await eventually(async () => {
        const states = await fixture.states();
        expect(states['ready']).toHaveLength(4);
        expect(states['failed']).toHaveLength(4);
        expect(deadLettersOf(await fixture.deadLetters(), 'disk')).toEqual([]);
      });
      expect(deadLettersOf(await fixture.deadLetters(), 'net')).toHaveLength(4);
      const tried = new Set(fixture.heard.filter((name) => name.startsWith('net')));
      expect(tried.size).toBe(1);
    },
  );
});
