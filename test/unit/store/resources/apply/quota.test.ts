// Quota usage is counted from the events of the cache: resources that are created, grow, shrink and are deleted.
import { expect, it } from 'vitest';
import type { Resource } from '../../../../../src/crds/resource.ts';
import { defaultLimits, quantityBytes } from '../../../../../src/domain/limits.ts';
import { keyFor } from '../../../../../src/kube/api.ts';
import { createResourceQuota } from '../../../../../src/store/resources/apply/quota.ts';
import { createResourceSizes } from '../../../../../src/store/resources/apply/sizes.ts';
import { aResource } from '../../../../support/fixtures/builders.ts';
import { objectCache } from '../../../../support/fixtures/object-cache.ts';

function cachedSizes() {
  const resources = objectCache<Resource>();
  const sizes = createResourceSizes(resources);
  const change = (object: Resource, isGone = false) => {
    if (isGone) resources.remove(keyFor(object.metadata));
    else resources.put(object);
  };
  return { sizes, change };
}

const sized = (name: string, characters: number): Resource =>
  aResource({ metadata: { name }, spec: { name, config: { text: 'x'.repeat(characters) } } });
const namespace = aResource().metadata.namespace ?? '';
const million = 1_048_576;

it('counts the resources of a namespace and their size', () => {
  const { sizes, change } = cachedSizes();
  expect(sizes.ofNamespace(namespace)).toBe(0);
  change(sized('a', 10));
  const least = sizes.ofNamespace(namespace);
  change(sized('a', 1_010));
  expect(sizes.ofNamespace(namespace)).toBe(least + 1_000);
  change(sized('b', 10));
  expect(sizes.ofNamespace(namespace)).toBe(2 * least + 1_000);
  change(sized('a', 1_010), true);
  change(sized('b', 10), true);
  expect(sizes.ofNamespace(namespace)).toBe(0);
  expect(sizes.ofNamespace('another')).toBe(0);
});

it('is full at the limit, until the limit is raised', () => {
  const { sizes, change } = cachedSizes();
  const limits = { ...defaultLimits, resourceBytes: '1Mi' };
  let own: object | undefined;
  const quota = createResourceQuota({
    sizes,
    limits,
    resources: { count: () => 1 },
    organizations: {
      get: () => (own === undefined ? undefined : ({ spec: { limits: own } } as never)),
    },
  });
  change(sized('a', million - 10_000));
  expect(quota.fullAt(namespace)).toBeUndefined();
  change(sized('a', million));
  expect(quota.fullAt(namespace)).toBe('1Mi');
  own = { resourceBytes: '2Mi' };
  expect(quota.fullAt(namespace)).toBeUndefined();
});

it.each([
  ['128Mi', 128 * million],
  ['1Gi', 1_024 * million],
  ['2Ti', 2 * 1_024 * 1_024 * million],
])('reads %s', (quantity, bytes) => {
  expect(quantityBytes(quantity)).toBe(bytes);
});
