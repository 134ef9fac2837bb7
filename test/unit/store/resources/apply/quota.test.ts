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

it('counts what writes of one request add together', () => {
  const { sizes, change } = cachedSizes();
  const limits = { ...defaultLimits, resources: 3, resourceBytes: '1Mi' };
  const quota = createResourceQuota({
    sizes,
    limits,
    resources: { count: () => 1 },
    organizations: { get: () => undefined },
  });
  const stored = sized('a', 1_000);
  change(stored);
  const larger = sized('a', 3_000);
  const existing = {
    ...larger,
    metadata: { ...larger.metadata, resourceVersion: '1' },
  };
  const fresh = [sized('b', 10), sized('c', 10), sized('d', 10)];
  const withoutVersion = fresh.map(
    ({ metadata: { resourceVersion: _none, ...metadata }, ...each }) => ({
      ...each,
      metadata,
    }),
  );
  const refusal = (...objects: readonly Resource[]) =>
    quota.refusalOf({ namespace } as never, quota.growthOf(objects))?.message;
  expect(quota.growthOf([existing, ...withoutVersion])).toMatchObject({ resources: 3 });
  expect(refusal(existing, ...withoutVersion.slice(1))).toBeUndefined();
  expect(refusal(existing, ...withoutVersion)).toContain('3 resources');
  const halves = ['e', 'f']
    .map((name) => sized(name, million * 0.6))
    .map((each) => ({
      ...each,
      metadata: { ...each.metadata, resourceVersion: '1' },
    }));
  for (const half of halves) expect(refusal(half)).toBeUndefined();
  expect(refusal(...halves)).toContain('1Mi');
});
