import { describe, expect, it } from 'vitest';
import { lockWithoutSdk, withoutSdk } from '../../../../src/providers/build-step/without-sdk.ts';

const read = (text: string | undefined): unknown =>
  text === undefined ? undefined : JSON.parse(text);

describe('package.json', () => {
  it('loses only the SDK, in every section', () => {
    const others = { scripts: { build: 'tsc' }, fairlead: { own: 'settings' } };
    const manifest = {
      ...others,
      dependencies: { fairlead: '*', pg: '8' },
      devDependencies: { fairlead: 'file:../sdk' },
      peerDependencies: { fairlead: '*' },
      peerDependenciesMeta: { fairlead: { optional: true } },
      optionalDependencies: { pg: '8' },
    };
    expect(read(withoutSdk(JSON.stringify(manifest)))).toEqual({
      ...others,
      dependencies: { pg: '8' },
      devDependencies: {},
      peerDependencies: {},
      peerDependenciesMeta: {},
      optionalDependencies: { pg: '8' },
    });
  });

  const untouched = {
    'that does not contain it': '{"dependencies":{"pg":"8"}}',
    'with similar names': '{"dependencies":{"fairlead-extras":"1","@x/fairlead":"1"}}',
    'that is not JSON': '{"dependencies":',
    'that is not an object': '["fairlead"]',
    'with odd dependencies': '{"dependencies":"fairlead"}',
  };
  it.each(Object.entries(untouched))('%s is unchanged, byte for byte', (_name, text) => {
    expect(withoutSdk(text)).toBeUndefined();
    expect(lockWithoutSdk(text)).toBeUndefined();
  });

  it('may begin with a byte order mark', () => {
    expect(read(withoutSdk('\uFEFF{"dependencies":{"fairlead":"*"}}'))).toEqual({
      dependencies: {},
    });
  });
});

describe('a lock file', () => {
  it('loses the package, its nested packages, and the folder it links to', () => {
    const lock = {
      lockfileVersion: 3,
      packages: {
        '': { peerDependencies: { fairlead: '*' }, dependencies: { pg: '8' } },
        '../main/sdk': { name: 'fairlead', version: '1.0.0' },
        '../main/sdk/node_modules/zod': { version: '4.0.0' },
        'node_modules/fairlead': { resolved: '../main/sdk', link: true },
        'node_modules/fairlead/node_modules/zod': { version: '4.0.0' },
        'node_modules/fairlead-extras': { version: '1.0.0' },
        'node_modules/pg': { version: '8.0.0' },
      },
    };
    expect(read(lockWithoutSdk(JSON.stringify(lock)))).toEqual({
      lockfileVersion: 3,
      packages: {
        '': { peerDependencies: {}, dependencies: { pg: '8' } },
        'node_modules/fairlead-extras': { version: '1.0.0' },
        'node_modules/pg': { version: '8.0.0' },
      },
    });
  });

  it('of version 1 loses it, too', () => {
    const lock = { lockfileVersion: 1, dependencies: { fairlead: { version: '1.0.0' }, pg: {} } };
    expect(read(lockWithoutSdk(JSON.stringify(lock)))).toEqual({
      lockfileVersion: 1,
      dependencies: { pg: {} },
    });
  });
});
