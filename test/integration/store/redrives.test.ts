// Accepting a redrive on a real API server, when one is under way, when others write, when the answer is lost.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createKubeClient, type StreamingClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { KubeError } from '../../../src/kube/errors.ts';
import {
  acceptRedrive,
  type Cause,
  maxCauses,
  type RedriveObject,
  readRedrive,
  redriveSelector,
  saveRedrive,
} from '../../../src/store/dead-letters/redrives.ts';
import { configMapKind, namespaceKind } from '../../../src/store/kinds.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';

let client: StreamingClient;
let namespace: string;

beforeAll(() => {
  client = createKubeClient(loadCluster(sharedControlPlane()));
});
beforeEach(async () => {
  namespace = `redrives-${randomUUID().slice(0, 8)}`;
  await client.create(namespaceKind, { metadata: { name: namespace } });
});
afterAll(() => client?.close());

const early = '9';
const late = '10';
const cause = (state: Cause['state']): Cause => ({ canary: 'evt-1', type: 'CREATE', state });

async function stored(): Promise<readonly RedriveObject[]> {
  const options = { namespace, labelSelector: redriveSelector };
  return (await client.list<RedriveObject>(configMapKind, options)).items;
}

async function only(): Promise<RedriveObject> {
  const [object] = await stored();
  if (object === undefined) throw new Error('There is no redrive');
  return object;
}

const accept = (untilVersion: string, provider?: string) =>
  acceptRedrive(client, namespace, { provider, untilVersion });

describe('accepting a redrive', () => {
  it('keeps one object of each filter', async () => {
    await accept(early);
    await accept(early, 'postgres');
    await accept(late, 'postgres');
    const redrives = (await stored()).map((each) => [each.metadata.name, readRedrive(each)]);
    expect(Object.fromEntries(redrives)).toMatchObject({
      redrive: { provider: undefined, untilVersion: early, causes: {} },
      'redrive-postgres': { provider: 'postgres', untilVersion: late, causes: {} },
    });
  });

  it('of one cause has an object of its own, and counts what requests accept', async () => {
    const asked = { provider: 'postgres', cause: '0f1e2d3c4b5a', untilVersion: early };
    await acceptRedrive(client, namespace, asked, () => 3);
    await acceptRedrive(client, namespace, { ...asked, untilVersion: late }, () => 2);
    const object = await only();
    expect(object.metadata.name).toBe('redrive-postgres.0f1e2d3c4b5a');
    expect(readRedrive(object)).toEqual({ ...asked, untilVersion: late, accepted: 5, causes: {} });
  });

  it('retries held ones of one in progress, and keeps the rest of its state', async () => {
    await accept(early);
    const causes = { 'a/1': cause('held'), 'a/2': cause('open'), 'a/3': cause('trying') };
    await saveRedrive(client, await only(), { untilVersion: early, accepted: 3, causes });
    await accept(late);
    expect(readRedrive(await only())).toMatchObject({
      provider: undefined,
      untilVersion: late,
      accepted: 3,
      causes: { 'a/2': cause('open'), 'a/3': cause('trying') },
    });
  });

  it('returns what was accepted before it', async () => {
    expect(await accept(early)).toBeUndefined();
    expect(await accept(late)).toMatchObject({ untilVersion: early });
    expect(await accept(late)).toMatchObject({ untilVersion: late });
  });

  it('never goes back to an older version, and writes nothing when unchanged', async () => {
    await accept(late);
    const { resourceVersion } = (await only()).metadata;
    await accept(early);
    expect((await only()).metadata.resourceVersion).toBe(resourceVersion);
    expect(readRedrive(await only())?.untilVersion).toBe(late);
  });

  it('loses nothing for parallel requests', async () => {
    const versions = ['8', '9', '10', '11'];
    await Promise.all(versions.map((each) => accept(each)));
    expect(readRedrive(await only())?.untilVersion).toBe('11');
  });

  it('checks whether a write of unknown outcome was applied', async () => {
    let creates = 0;
    const unsure: StreamingClient = {
      ...client,
      create: async (kind, object, options) => {
        creates += 1;
        await client.create(kind, object, options);
        throw new KubeError({ reason: 'timeout', message: 'No answer', outcome: 'unknown' });
      },
    };
    const replaced = await acceptRedrive(unsure, namespace, { untilVersion: early });
    expect(creates).toBe(1);
    // It was this request that accepted, although the object is there by now.
    expect(replaced).toBeUndefined();
    expect(readRedrive(await only())?.untilVersion).toBe(early);
  });

  it('replaces invalid state', async () => {
    await accept(early);
    const object = await only();
    const data = { untilVersion: 'soon', accepted: '0' };
    await client.replace(configMapKind, { ...object, data } as never);
    expect(readRedrive(await only())).toBeUndefined();
    await accept(late);
    expect(readRedrive(await only())).toMatchObject({ untilVersion: late, causes: {} });
  });
});

describe('a redrive', () => {
  it('is saved only at the version that was read', async () => {
    await accept(early);
    const read = await only();
    await accept(late);
    const redrive = { untilVersion: early, accepted: 0, causes: {} };
    await expect(saveRedrive(client, read, redrive)).rejects.toThrow(KubeError);
  });

  it('fits as many causes as allowed, with the longest names', async () => {
    await accept(early);
    const entries = Array.from({ length: maxCauses }, (_, index) => [
      `${'p'.repeat(40)}/${index.toString(16).padStart(12, '0')}`,
      { canary: `evt-${'0'.repeat(32)}`, type: 'DELETE', state: 'trying' } as const,
    ]);
    const causes = Object.fromEntries(entries) as Record<string, Cause>;
    const saved = await saveRedrive(client, await only(), {
      untilVersion: late,
      accepted: maxCauses,
      causes,
    });
    expect(JSON.stringify(saved).length).toBeLessThan(900 * 1_024);
    expect(Object.keys(readRedrive(saved)?.causes ?? {})).toHaveLength(maxCauses);
  });
});
