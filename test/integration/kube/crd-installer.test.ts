// Installing definitions on a real API server: once, again, over an older release, and never over a newer one.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineKind } from '../../../src/crds/define.ts';
import { type CrdManifest, crdManifest, crdManifests } from '../../../src/crds/manifest.ts';
import type { KubeClient, KubeObject } from '../../../src/kube/api.ts';
import { createKubeClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { crdKind, installCrds } from '../../../src/kube/crd-installer.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';

interface Installed extends KubeObject {
  spec: { versions: { schema: { openAPIV3Schema: { description: string } } }[] };
  status: { conditions: { type: string; status: string }[] };
}

const foreign = ['sames', 'olders', 'edits', 'newers', 'notes', 'takens', 'takenagains'];

let client: KubeClient;

beforeAll(() => {
  const { kubeconfig } = sharedControlPlane();
  client = createKubeClient(loadCluster({ kubeconfig }));
});
afterAll(async () => {
  // Other tests share this API server, and one of these definitions is never served.
  for (const plural of foreign) await client.delete(crdKind, { name: `${plural}.fairlead.dev` });
  await client.close();
});

const log = silentLog;

function install(manifests: readonly KubeObject[]): Promise<void> {
  return installCrds(client, manifests, { log });
}

function read(name: string): Promise<Installed> {
  return client.get<Installed>(crdKind, { name });
}

/** A kind that only this file uses, so that its definition can be older or newer. */
function aManifest(plural: string, description: string, release: string): CrdManifest {
  const kind = defineKind({
    kind: plural[0]?.toUpperCase() + plural.slice(1),
    plural,
    singular: plural,
    shortNames: [],
    namespaced: true,
    description,
    spec: z.object({ size: z.int().min(0).describe('Size.') }),
    status: z.object({ seen: z.boolean().describe('Seen.') }),
    columns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
    selectableFields: ['.spec.size'],
  });
  return crdManifest(kind, release);
}

function descriptionOf({ spec }: Installed): string | undefined {
  return spec.versions[0]?.schema.openAPIV3Schema.description;
}

it('serves all six kinds when it returns', async () => {
  const manifests = crdManifests('0.1.0');
  await install(manifests);
  expect(manifests).toHaveLength(6);
  for (const { metadata, spec } of manifests) {
    const { conditions } = (await read(metadata.name)).status;
    expect(conditions, metadata.name).toContainEqual(
      expect.objectContaining({ type: 'Established', status: 'True' }),
    );
    const { names } = spec as { names: { plural: string } };
    await client.raw(`/apis/fairlead.dev/v1alpha1/${names.plural}?limit=1`);
  }
});

describe('a second start', () => {
  it('writes nothing when nothing changed', async () => {
    const manifest = aManifest('sames', 'First.', '1.0.0');
    await install([manifest]);
    const before = await read('sames.fairlead.dev');
    await install([manifest]);
    const after = await read('sames.fairlead.dev');
    expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  });

  it('brings an older release up to date', async () => {
    await install([aManifest('olders', 'First.', '1.0.0')]);
    await install([aManifest('olders', 'Second.', '1.1.0')]);
    expect(descriptionOf(await read('olders.fairlead.dev'))).toBe('Second.');
  });

  it('updates other content of the same release, for development', async () => {
    await install([aManifest('edits', 'First.', '1.0.0')]);
    await install([aManifest('edits', 'Second.', '1.0.0')]);
    expect(descriptionOf(await read('edits.fairlead.dev'))).toBe('Second.');
  });

  it('keeps the definitions of a newer release, because its added fields would be lost', async () => {
    await install([aManifest('newers', 'New.', '2.0.0')]);
    await install([aManifest('newers', 'Old.', '1.9.0')]);
    expect(descriptionOf(await read('newers.fairlead.dev'))).toBe('New.');
  });

  it('keeps fields of other writers', async () => {
    await install([aManifest('notes', 'First.', '1.0.0')]);
    const note = { metadata: { annotations: { 'example.com/note': 'kept' } } };
    await client.patch(crdKind, { name: 'notes.fairlead.dev' }, note);
    await install([aManifest('notes', 'Second.', '1.0.0')]);
    const { annotations } = (await read('notes.fairlead.dev')).metadata;
    expect(annotations?.['example.com/note']).toBe('kept');
  });
});

it('names the definition that the API server rejects', async () => {
  const manifest = aManifest('brokens', 'First.', '1.0.0');
  const broken = { ...manifest, spec: { ...manifest.spec, scope: 'Nowhere' } };
  await expect(install([broken])).rejects.toMatchObject({ reason: 'invalid' });
});

it('reports taken names at once instead of after the timeout', async () => {
  await install([aManifest('takens', 'First.', '1.0.0')]);
  const second = crdManifest(
    defineKind({
      kind: 'Takens',
      plural: 'takenagains',
      singular: 'takenagain',
      shortNames: [],
      namespaced: true,
      description: 'Same kind, another plural.',
      spec: z.object({ size: z.int().min(0).describe('Size.') }),
      status: z.object({ seen: z.boolean().describe('Seen.') }),
      columns: [],
      selectableFields: [],
    }),
    '1.0.0',
  );
  await expect(install([second])).rejects.toMatchObject({
    reason: 'conflict',
    message: expect.stringContaining('takenagains.fairlead.dev: names not accepted'),
  });
});
