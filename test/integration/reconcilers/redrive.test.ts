// Dead letters of two causes are sent again on a real API server: behind a canary, whatever dies in between.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { crdManifests } from '../../../src/crds/manifest.ts';
import { silentLog } from '../../../src/domain/log.ts';
import { createKubeClient, type StreamingClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { installCrds } from '../../../src/kube/crd-installer.ts';
import { acceptRedrive } from '../../../src/store/dead-letters/redrives.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { eventually } from '../../support/eventually.ts';
import {
  type DeadLetterFixture,
  deadLetterFixture,
  type Running,
} from '../../support/letter-lab.ts';

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
  const lab = await deadLetterFixture(real);
  for (const [beginning, message] of Object.entries(causes)) {
    lab.broken.set(beginning, message);
    await lab.apply(numbered(beginning, count));
  }
  const failing = lab.run();
  const total = Object.keys(causes).length * count;
  await eventually(async () => expect((await lab.states())['failed']).toHaveLength(total), 60_000);
  await failing.stop();
  expect(await lab.deadLetters()).toHaveLength(total);
  lab.heard.splice(0);
  return lab;
}

const retryAll = (lab: DeadLetterFixture, provider?: string) =>
  acceptRedrive(real, lab.namespace, { provider, before: new Date() });

const causes = { disk: 'no space is left', net: 'the connection was refused' };

async function finished(lab: DeadLetterFixture): Promise<void> {
  await eventually(async () => expect(await lab.redrives()).toEqual([]), 60_000);
}

function deadLettersOf(
  deadLetters: Awaited<ReturnType<DeadLetterFixture['deadLetters']>>,
  beginning: string,
) {
  return deadLetters.filter(({ resourceName }) => resourceName.startsWith(beginning));
}

describe('sending 200 letters of two causes again', () => {
  it('makes those of the repaired cause ready, and tries one of the other', async () => {
    const lab = await troubled(causes, 100);
    lab.broken.delete('disk');
    await retryAll(lab);
    running = lab.run();
    await finished(lab);
    await eventually(async () => expect((await lab.states())['ready']).toHaveLength(100));
    const deadLetters = await lab.deadLetters();
    expect(deadLettersOf(deadLetters, 'disk')).toEqual([]);
    expect(deadLettersOf(deadLetters, 'net')).toHaveLength(100);
    expect(lab.heard.filter((name) => name.startsWith('net'))).toHaveLength(1);
    expect(lab.heard.filter((name) => name.startsWith('disk'))).toHaveLength(100);
    expect((await lab.states())['failed']).toHaveLength(100);
  });
});

describe('sending letters again', () => {
  it('begins once more with what is held, when it is asked for again meanwhile', async () => {
    const lab = await troubled(causes, 60);
    await retryAll(lab);
    lab.broken.delete('disk');
    running = lab.run();
    // The canary of the other cause has failed, while the many of the first are being sent.
    await eventually(() => expect(lab.heard.some((name) => name.startsWith('net'))).toBe(true));
    lab.broken.clear();
    await retryAll(lab);
    await finished(lab);
    await eventually(async () => expect((await lab.states())['ready']).toHaveLength(120));
    expect(await lab.deadLetters()).toEqual([]);
  });

  it('leaves letters of other providers and later failures alone', async () => {
    const lab = await troubled({ disk: causes.disk }, 3);
    lab.broken.clear();
    await retryAll(lab, 'mail');
    running = lab.run();
    await finished(lab);
    expect(lab.heard).toEqual([]);
    await acceptRedrive(real, lab.namespace, { provider: 'box', before: new Date(0) });
    await finished(lab);
    expect(lab.heard).toEqual([]);
    await retryAll(lab, 'box');
    await eventually(async () => expect((await lab.states())['ready']).toHaveLength(3));
  });

  it('removes letters whose resource went on without them', async () => {
    const lab = await troubled({ disk: causes.disk }, 3);
    lab.broken.clear();
    running = lab.run();
    await lab.change('disk-000', { other: true });
    await eventually(async () => expect((await lab.states())['ready']).toEqual(['disk-000']));
    expect(await lab.deadLetters()).toHaveLength(3);
    await retryAll(lab);
    await finished(lab);
    await eventually(async () => expect(await lab.deadLetters()).toEqual([]));
    await eventually(async () => expect((await lab.states())['ready']).toHaveLength(3));
    expect(lab.heard.filter((name) => name === 'disk-000')).toHaveLength(1);
  });

  it('stops when the one that went ahead was only lucky', async () => {
    const lab = await troubled({ disk: causes.disk }, 120);
    const [lucky] = await oldest(lab);
    lab.broken.clear();
    for (const name of numbered('disk', 120)) {
      if (name !== lucky) lab.broken.set(name, causes.disk);
    }
    await retryAll(lab);
    running = lab.run();
    await finished(lab);
    const heard = new Set(lab.heard);
    expect(heard.size).toBeGreaterThan(1);
    expect(heard.size).toBeLessThan(120);
    expect(await lab.deadLetters()).toHaveLength(119);
  });
});

async function oldest(lab: DeadLetterFixture): Promise<readonly string[]> {
  const deadLetters = await lab.deadLetters();
  return deadLetters
    .toSorted((left, right) => left.failedAt.getTime() - right.failedAt.getTime())
    .map(({ resourceName }) => resourceName);
}

describe('a controller that dies after its n-th write of a redrive', () => {
  it.each([1, 2, 3, 5, 7, 9, 12, 20])(
    'is followed by one that ends the same (n = %i)',
    async (n) => {
      const lab = await troubled(causes, 4);
      lab.broken.delete('disk');
      await retryAll(lab);
      const first = lab.run(n);
      await eventually(async () => {
        if (!first.dying.isDead) expect(await lab.redrives()).toEqual([]);
      });
      await first.stop();
      running = lab.run();
      await finished(lab);
      await eventually(async () => {
        const states = await lab.states();
        expect(states['ready']).toHaveLength(4);
        expect(states['failed']).toHaveLength(4);
        expect(deadLettersOf(await lab.deadLetters(), 'disk')).toEqual([]);
      });
      expect(deadLettersOf(await lab.deadLetters(), 'net')).toHaveLength(4);
      const tried = new Set(lab.heard.filter((name) => name.startsWith('net')));
      expect(tried.size).toBe(1);
    },
  );
});
