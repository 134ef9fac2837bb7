import { readdir, readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineKind } from '../../../src/crds/define.ts';
import { generatedFiles } from '../../../src/crds/generate.ts';
import { contentHashAnnotation, crdManifest, crdManifests } from '../../../src/crds/manifest.ts';

function aKind(description: string) {
  return defineKind({
    kind: 'Thing',
    plural: 'things',
    singular: 'thing',
    shortNames: ['th'],
    namespaced: true,
    description: 'A thing.',
    spec: z.object({ size: z.int().min(0).describe(description) }),
    status: z.object({ seen: z.boolean().describe('Seen.') }),
    columns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
    selectableFields: ['.spec.size'],
  });
}

function hashOf(description: string, release: string): string | undefined {
  return crdManifest(aKind(description), release).metadata.annotations[contentHashAnnotation];
}

it('hashes the content and not the release, so that an unchanged definition is not written', () => {
  expect(hashOf('Size.', '1.0.0')).toBe(hashOf('Size.', '2.0.0'));
  expect(hashOf('Size.', '1.0.0')).not.toBe(hashOf('Bytes.', '1.0.0'));
});

it('declares name, scope, columns, selectable fields and the status subresource', () => {
  const manifest = crdManifest(aKind('Size.'), '1.0.0');
  expect(manifest.metadata.name).toBe('things.fairlead.dev');
  expect(manifest.spec).toMatchObject({
    group: 'fairlead.dev',
    scope: 'Namespaced',
    names: { kind: 'Thing', listKind: 'ThingList', categories: ['fairlead'], shortNames: ['th'] },
    versions: [
      {
        name: 'v1alpha1',
        subresources: { status: {} },
        selectableFields: [{ jsonPath: '.spec.size' }],
        additionalPrinterColumns: [{ name: 'Size', jsonPath: '.spec.size' }],
        schema: { openAPIV3Schema: { required: ['spec'] } },
      },
    ],
  });
});

it('gives every kind a unique short name', () => {
  const shortNames = crdManifests('1.0.0').flatMap(({ spec }) => {
    const { names } = spec as unknown as { names: { shortNames: string[] } };
    return names.shortNames;
  });
  expect(new Set(shortNames).size).toBe(shortNames.length);
});

it('has written every definition to crds/, and no other file', async () => {
  const root = new URL('../../../', import.meta.url);
  const { version } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));
  const files = generatedFiles(version);
  expect((await readdir(new URL('crds/', root))).sort()).toEqual([...files.keys()].sort());
  for (const [name, content] of files) {
    const written = await readFile(new URL(`crds/${name}`, root), 'utf8');
    expect(written, `crds/${name} is out of date; run npm run generate`).toBe(content);
  }
});
