// Builds with the real npm, from a registry on loopback.
import { access, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { typesFileOf } from '../../../src/providers/build-step/workspace.ts';
import {
  buildEnvironment,
  buildRegistry,
  closeBuilds,
  runBuild,
} from '../../support/fixtures/code/builds.ts';
import {
  packageFolder,
  shopCode,
  shopManifest,
  versionedCode,
} from '../../support/fixtures/code/package-folder.ts';

afterAll(closeBuilds);

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

const cart = {
  provider: 'shop',
  resource: 'cart',
  description: 'A cart',
  schema: expect.objectContaining({ type: 'object', required: ['size'] }),
  type_version: 1,
  outputs_schema: expect.objectContaining({ type: 'object', required: ['url'] }),
};

describe('a build', () => {
  it('of plain TypeScript needs no build step, and stores the types with the code', async () => {
    await using folder = await packageFolder({
      'package.json': shopManifest,
      'index.ts': shopCode,
    });
    const { result, output } = await runBuild(folder);
    expect(result, output).toEqual({ kind: 'built', types: [cart] });
    expect(JSON.parse(await readFile(typesFileOf(folder.code), 'utf8'))).toEqual({ types: [cart] });
    expect(output).toContain('$ npm install');
  });

  it('stores the settings that the code declares beside its types, and their options', async () => {
    const patient = {
      ...cart,
      retry: { attempts: 3, max_delay_seconds: 9 },
      ...{ observe: true, observe_every: '10m', listable: true },
      adopt_schema: expect.objectContaining({ type: 'object', required: ['id'] }),
    };
    const options = `retry: { attempts: 3, maxDelaySeconds: 9 }, observeEvery: '10m',
      adopt: z.object({ id: z.string() }), observe: () => gone(), list: () => ({ items: [] }),`;
    const declares = (settings: string) =>
      shopCode
        .replace("'A cart',", `'A cart', ${options}`)
        .replace('import {', 'import { gone,')
        .replace("provider('shop')", `provider('shop', { settings: ${settings} })`);
    await using folder = await packageFolder({
      'package.json': shopManifest,
      'index.ts': declares('z.object({ url: z.url().meta({ sensitive: true }) })'),
    });
    const { result, output } = await runBuild(folder);
    expect(result, output).toEqual({ kind: 'built', types: [patient] });
    expect(JSON.parse(await readFile(typesFileOf(folder.code), 'utf8'))).toEqual({
      types: [patient],
      settings: expect.objectContaining({
        properties: { url: expect.objectContaining({ sensitive: true }) },
        required: ['url'],
      }),
    });

    await folder.write({ 'index.ts': declares('z.record(z.string(), z.string())') });
    const broken = await runBuild(folder);
    expect(broken.result).toEqual({
      kind: 'failed',
      code: 'invalid_schema',
      message: expect.stringContaining('must be an object with named properties'),
    });
  });

  it('stores the versions of a type, and starts nothing', async () => {
    await using folder = await packageFolder({
      'package.json': shopManifest,
      'index.ts': versionedCode(),
    });
    const { result, output } = await runBuild(folder);
    const version = (field: string, output: string) => ({
      schema: expect.objectContaining({ required: [field] }),
      outputs_schema: expect.objectContaining({ required: [output] }),
    });
    const earlier_versions = [{ type_version: 1, ...version('length', 'at') }];
    expect(result, output).toEqual({
      kind: 'built',
      types: [{ ...cart, type_version: 2, ...version('size', 'url'), earlier_versions }],
    });
  });

  it('names what only zod accepts', async () => {
    await using folder = await packageFolder({
      'package.json': shopManifest,
      'index.ts': shopCode.replace('z.int().min(1)', 'z.int().min(1).catch(1)'),
    });
    const { result, output } = await runBuild(folder);
    expect(result, output).toMatchObject({ kind: 'built', types: [{ ...cart, schema: {} }] });
    expect(output).toContain(
      'Warning: Type cart at properties.size: catch() replaces values that do not fit, which the API does not do',
    );
  });

  it('names what outputs may lack of the identity', async () => {
    const outputs = 'z.object({ url: z.string().optional() })';
    const identity =
      'identity: { schema: z.object({ url: z.string() }), of: ({ url }) => ({ url }) },';
    await using folder = await packageFolder({
      'package.json': shopManifest,
      'index.ts': shopCode
        .replace('z.object({ url: z.string() })', outputs)
        .replace('create:', `${identity} create:`),
    });
    const { result, output } = await runBuild(folder);
    expect(result, output).toMatchObject({
      kind: 'built',
      types: [{ identity: { outputs: { url: '/url' }, adopt: { url: '/url' } } }],
    });
    expect(output).toContain('Warning: Type cart: its outputs may lack /url, and objects whose');
  });

  it('checks types against the SDK, compiles, and omits development dependencies', async () => {
    await using folder = await packageFolder({
      'package.json': {
        ...shopManifest,
        main: 'dist/index.js',
        scripts: { build: '[ "$CI $HUSKY" = "true 0" ] && tsc' },
        dependencies: { 'is-number': '7.0.0' },
        devDependencies: { typescript: '*' },
        peerDependencies: { fairlead: '*' },
      },
      'tsconfig.json': {
        compilerOptions: {
          strict: true,
          module: 'nodenext',
          target: 'es2024',
          outDir: 'dist',
          rootDir: 'src',
          types: [],
        },
        include: ['src'],
      },
      'src/index.ts':
        `import isNumber from 'is-number';\nvoid (isNumber as unknown);\n${shopCode}`.replace(
          'import isNumber',
          '// @ts-expect-error It has no declarations\nimport isNumber',
        ),
    });
    const { result, output, code } = await runBuild(folder);
    expect(result, output).toEqual({ kind: 'built', types: [cart] });
    expect(await isThere(join(code, 'node_modules/is-number'))).toBe(true);
    expect(await isThere(join(code, 'node_modules/typescript'))).toBe(false);
    expect(await isThere(join(code, 'node_modules/fairlead'))).toBe(false);

    await folder.write({
      'src/index.ts': shopCode.replace(
        "({ name }) => ({ url: 'cart://' + name })",
        '({ name }) => ({ url: name.length })',
      ),
    });
    const broken = await runBuild(folder);
    expect(broken.result).toEqual({
      kind: 'failed',
      code: 'type_error',
      message: expect.stringMatching(/^Type error in src\/index\.ts, line 9: .*\[TS2322\]/),
    });
  });

  it('asks for no development dependency that none of its scripts can use', async () => {
    const manifest = {
      ...shopManifest,
      scripts: { test: 'node --test' },
      devDependencies: { fairlead: 'file:../sdk', 'no-such-package': '1.0.0' },
    };
    await using folder = await packageFolder({ 'package.json': manifest, 'index.ts': shopCode });
    const plain = await runBuild(folder);
    expect(plain.result, plain.output).toEqual({ kind: 'built', types: [cart] });
    expect(plain.output).not.toContain('npm prune');

    const { name, version } = shopManifest;
    const own = { name, version, devDependencies: { 'no-such-package': '1.0.0' } };
    const there = { version: '1.0.0', resolved: 'http://127.0.0.1:1/x.tgz', dev: true };
    const packages = { '': own, 'node_modules/no-such-package': there };
    await folder.write({
      'package.json': manifest,
      'package-lock.json': { name, version, lockfileVersion: 3, requires: true, packages },
    });
    const locked = await runBuild(folder);
    expect(locked.result, locked.output).toEqual({ kind: 'built', types: [cart] });
    expect(locked.output).toContain('$ npm ci --omit=dev');
  });

  it('installs from the lock file, and never the SDK from a registry', async () => {
    await using folder = await packageFolder({
      'package.json': {
        ...shopManifest,
        dependencies: { 'is-number': '^7.0.0', fairlead: '^9.0.0' },
      },
      'package-lock.json': {
        name: 'shop',
        version: '1.0.0',
        lockfileVersion: 3,
        requires: true,
        packages: {
          '': {
            name: 'shop',
            version: '1.0.0',
            dependencies: { 'is-number': '^7.0.0', fairlead: '^9.0.0' },
          },
          'node_modules/fairlead': {
            version: '9.0.0',
            resolved: 'https://registry.npmjs.org/fairlead/-/fairlead-9.0.0.tgz',
          },
          'node_modules/is-number': {
            version: '7.0.0',
            resolved: 'https://registry.npmjs.org/is-number/-/is-number-7.0.0.tgz',
            integrity: await (await buildRegistry()).integrity('is-number'),
          },
        },
      },
      'index.ts': shopCode,
    });
    const { result, output } = await runBuild(folder);
    expect(result, output).toEqual({ kind: 'built', types: [cart] });
    expect(output).toContain('$ npm ci');
  });

  it('uses the zod of the author', async () => {
    await using folder = await packageFolder({
      'package.json': { ...shopManifest, dependencies: { zod: '*' } },
      'index.ts': `import { z as own } from 'zod';\n${shopCode.replaceAll('z.', 'own.')}`,
    });
    const { result, output, code } = await runBuild(folder);
    expect(result, output).toEqual({ kind: 'built', types: [cart] });
    expect(await isThere(join(code, 'node_modules/zod/package.json'))).toBe(true);
  });

  it('reads types without the npm configuration', async () => {
    const spy = `console.log(JSON.stringify(process.env));\n${shopCode}`;
    await using folder = await packageFolder({ 'package.json': shopManifest, 'index.ts': spy });
    const { result, output } = await runBuild(folder, {
      env: { ...(await buildEnvironment()), NPM_TOKEN: 'secret-of-the-registry' },
    });
    expect(result.kind, output).toBe('built');
    expect(output).toContain('"PATH"');
    expect(output).not.toContain('secret-of-the-registry');
  });

  it('removes the link to the SDK from the code', async () => {
    await using folder = await packageFolder({
      'package.json': shopManifest,
      'index.ts': shopCode,
    });
    await runBuild(folder);
    expect(await readlink(join(folder.workspace, 'node_modules/fairlead'))).toMatch(/\/sdk$/);
    expect(await readdir(folder.code)).not.toContain('fairlead');
  });
});
