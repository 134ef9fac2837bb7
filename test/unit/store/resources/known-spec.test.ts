import { expect, it } from 'vitest';
import type { Resource } from '../../../../src/crds/resource.ts';
import { contentHashOf } from '../../../../src/store/resources/content.ts';
import { withKnownSpec } from '../../../../src/store/resources/known-spec.ts';
import { aResource } from '../../../support/fixtures/builders.ts';

function resource(metadata: object, config: object = { size: 1 }): Resource {
  return aResource({ spec: { config: config as never }, metadata });
}

it('gives what is read the known spec of the same generation, whose hash is known', () => {
  const known = resource({ uid: 'u', generation: 3, resourceVersion: '7' });
  let reads = 0;
  const config = {
    get size() {
      reads += 1;
      return 1;
    },
  };
  const found = resource({ uid: 'u', generation: 3, resourceVersion: '8' }, config);
  const shared = withKnownSpec(found, known);
  expect(shared.spec).toBe(known.spec);
  expect(shared.metadata).toBe(found.metadata);
  expect(contentHashOf(shared.spec)).toBe(contentHashOf(known.spec));
  expect(reads).toBe(0);
});

it.each([
  ['another generation', { uid: 'u', generation: 3 }, { uid: 'u', generation: 4 }],
  ['another object of the name', { uid: 'u', generation: 3 }, { uid: 'v', generation: 3 }],
  ['no generation', { uid: 'u', generation: undefined }, { uid: 'u', generation: undefined }],
  ['no uid', { uid: undefined, generation: 3 }, { uid: undefined, generation: 3 }],
])('leaves the spec of %s', (_, before, after) => {
  const found = resource(after);
  expect(withKnownSpec(found, resource(before))).toBe(found);
});

it('leaves what nobody knows', () => {
  const found = resource({ uid: 'u', generation: 3 });
  expect(withKnownSpec(found, undefined)).toBe(found);
});
