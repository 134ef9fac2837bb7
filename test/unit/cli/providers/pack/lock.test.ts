import { expect, it } from 'vitest';
import { derivedLock } from '../../../../../src/cli/providers/pack/lock.ts';

type Packages = Parameters<typeof JSON.stringify>[0];

function derived(packages: Packages, start: string, manifest: object) {
  const local = (at: string) =>
    at === 'packages/lib'
      ? { version: '1.0.0', resolved: 'file:.local-packages/lib.tgz' }
      : undefined;
  const text = derivedLock(JSON.stringify({ packages }), {
    start,
    manifest: { ...manifest },
    local,
  });
  return text === undefined
    ? undefined
    : (JSON.parse(text) as { packages: Record<string, { version?: string }> }).packages;
}

const link = (resolved: string) => ({ resolved, link: true });

const workspace = {
  '': { name: 'mono' },
  'node_modules/lib': link('packages/lib'),
  'node_modules/unrelated': { version: '1.0.0' },
  'node_modules/y': { version: '1.0.0' },
  'node_modules/z': { version: '1.0.0', dependencies: { y: '^1.0.0' } },
  'packages/lib': {
    version: '1.0.0',
    dependencies: { z: '^1.0.0', w: '*' },
    devDependencies: { unrelated: '*' },
  },
  'packages/lib/node_modules/w': { version: '3.0.0', peerDependencies: { y: '*' } },
  'packages/shop': {
    dependencies: { lib: '*', y: '^2.0.0', fairlead: '*' },
    optionalDependencies: { absent: '*' },
  },
  'packages/shop/node_modules/y': { version: '2.0.0' },
};

it('keeps every version where its dependents find it', () => {
  const packages = derived(workspace, 'packages/shop', { name: 'shop' });
  expect(Object.entries(packages ?? {}).map(([path, { version }]) => [path, version])).toEqual([
    ['', undefined],
    ['node_modules/lib', '1.0.0'],
    ['node_modules/y', '2.0.0'],
    ['node_modules/w', '3.0.0'],
    ['node_modules/z', '1.0.0'],
    // The others take the version of the workspace, and not that of the provider.
    ['node_modules/w/node_modules/y', '1.0.0'],
    ['node_modules/z/node_modules/y', '1.0.0'],
  ]);
  expect(packages?.['node_modules/lib']).toEqual({
    version: '1.0.0',
    resolved: 'file:.local-packages/lib.tgz',
  });
});

it.each([
  ['that lacks a dependency', { ...workspace, 'node_modules/z': undefined }, 'packages/shop'],
  ['that lacks the provider', workspace, 'packages/other'],
  ['of the first version', undefined, ''],
])('makes none from a lock file %s', (_name, packages, start) => {
  expect(derived(packages, start, {})).toBeUndefined();
});
