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

const early = new Date('2026-01-01T00:00:00.000Z');
const late = new Date('2026-01-02T00:00:00.000Z');
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

const accept = (before: Date, provider?: string) =>
  acceptRedrive(client, namespace, { provider, before });

describe('accepting a redrive', () => {
  it('keeps one object of each filter', async () => {
    await accept(early);
    await accept(early, 'postgres');
    await accept(late, 'postgres');
    const redrives = (await stored()).map((each) => [each.metadata.name, readRedrive(each)]);
    expect(Object.fromEntries(redrives)).toMatchObject({
      redrive: { provider: undefined, before: early, causes: {} },
      'redrive-postgres': { provider: 'postgres', before: late, causes: {} },
    });
  });

  it('of one cause is invisible to a controller that does not know causes', async () => {
    const asked = { provider: 'postgres', cause: '0f1e2d3c4b5a', before: early };
    await acceptRedrive(client, namespace, asked, () => 3);
    await acceptRedrive(client, namespace, { ...asked, before: late }, () => 2);
    const object = await only();
    expect(object.metadata.name).toBe('redrive-postgres.0f1e2d3c4b5a');
    expect(readRedrive(object)).toEqual({ ...asked, before: late, accepted: 5, causes: {} });
    expect(object.data).not.toHaveProperty('before');
  });

  it('retries held ones of one in progress, and keeps the rest of its state', async () => {
    await accept(early);
    const causes = { 'a/1': cause('held'), 'a/2': cause('open'), 'a/3': cause('trying') };
    await saveRedrive(client, await only(), { provider: undefined, before: early, causes });
    await accept(late);
    expect(readRedrive(await only())).toMatchObject({
      provider: undefined,
      before: late,
      causes: { 'a/2': cause('open'), 'a/3': cause('trying') },
    });
  });

  it('returns what was accepted before it', async () => {
    expect(await accept(early)).toBeUndefined();
    expect(await accept(late)).toMatchObject({ before: early });
    expect(await accept(late)).toMatchObject({ before: late });
  });

  it('never moves a cut-off back, and writes nothing when unchanged', async () => {
    await accept(late);
    const { resourceVersion } = (await only()).metadata;
    await accept(early);
    expect((await only()).metadata.resourceVersion).toBe(resourceVersion);
    expect(readRedrive(await only())?.before).toEqual(late);
  });

  it('loses nothing for parallel requests', async () => {
    const times = [1, 2, 3, 4].map((day) => new Date(Date.UTC(2026, 0, day)));
    await Promise.all(times.map((time) => accept(time)));
    expect(readRedrive(await only())?.before).toEqual(times.at(-1));
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
    const replaced = await acceptRedrive(unsure, namespace, { provider: undefined, before: early });
    expect(creates).toBe(1);
    // It was this request that accepted, although the object is there by now.
    expect(replaced).toBeUndefined();
    expect(readRedrive(await only())?.before).toEqual(early);
  });

  it('replaces invalid state', async () => {
    await accept(early);
    const object = await only();
    await client.replace(configMapKind, { ...object, data: { before: 'soon' } } as never);
    expect(readRedrive(await only())).toBeUndefined();
    await accept(late);
    expect(readRedrive(await only())).toMatchObject({ before: late, causes: {} });
  });
});

describe('a redrive', () => {
  it('is saved only at the version that was read', async () => {
    await accept(early);
    const read = await only();
    await accept(late);
    const redrive = { provider: undefined, before: early, causes: {} };
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
      provider: undefined,
      before: early,
      causes,
    });
    expect(JSON.stringify(saved).length).toBeLessThan(900 * 1_024);
    expect(Object.keys(readRedrive(saved)?.causes ?? {})).toHaveLength(maxCauses);
  });
});
