// Every reason that a build can fail for, with the real npm and real processes.
import { afterAll, describe, expect, it } from 'vitest';
import type { BuildOptions } from '../../../src/providers/build-step/build.ts';
import { buildEnvironment, closeBuilds, runBuild } from '../../support/fixtures/code/builds.ts';
import {
  type Files,
  packageFolder,
  shopCode,
  shopManifest,
  versionedCode,
} from '../../support/fixtures/code/package-folder.ts';
import { freePort } from '../../support/runner/free-port.ts';

afterAll(closeBuilds);

describe('the error of a build', () => {
  const endless = 'setInterval(() => undefined, 1_000); await new Promise(() => undefined);';
  interface Case {
    readonly files: Files;
    readonly options?: Partial<BuildOptions>;
    readonly code: string;
    readonly says: RegExp;
  }
  const withCode = (code: string): Files => ({ 'package.json': shopManifest, 'index.ts': code });
  const withScript = (script: string): Files => ({
    'package.json': { ...shopManifest, scripts: { build: script } },
    'index.ts': shopCode,
  });
  const withDependency = (name: string, version: string): Files => ({
    'package.json': { ...shopManifest, dependencies: { [name]: version } },
    'index.ts': shopCode,
  });
  const cases: Record<string, Case> = {
    'without package.json': {
      files: { 'index.ts': shopCode },
      code: 'no_package',
      says: /^The code has no package\.json in its root folder$/,
    },
    'with a package.json that is not JSON': {
      files: { 'package.json': '{"name": "shop",' },
      code: 'invalid_package',
      says: /^package\.json is not valid JSON$/,
    },
    'with a missing dependency': {
      files: withDependency('fairlead-no-such-package', '^1.0.0'),
      code: 'dependency_not_found',
      says: /^Dependency fairlead-no-such-package@\^1\.0\.0 was not found in the npm registry/,
    },
    'with a missing version': {
      files: withDependency('is-number', '99.0.0'),
      code: 'dependency_not_found',
      says: /^No version in the npm registry matches dependency is-number@99\.0\.0$/,
    },
    'for another version of Node.js': {
      files: {
        'package.json': { ...shopManifest, engines: { node: '>=99' } },
        'index.ts': shopCode,
      },
      code: 'unsupported_engine',
      says: /^package\.json requires Node\.js >=99 \(engines\.node\), and Fairlead runs Node\.js \d+\.\d+\.\d+;/,
    },
    'with a lock file that does not match': {
      files: {
        ...withDependency('is-number', '7.0.0'),
        'package-lock.json': {
          name: 'shop',
          lockfileVersion: 3,
          packages: { '': { name: 'shop' } },
        },
      },
      code: 'lock_mismatch',
      says: /^The lock file does not match package\.json \(Missing: is-number@7\.0\.0 from lock file\)/,
    },
    'with an import that is not a dependency': {
      files: withCode(`import 'is-number';\n${shopCode}`),
      code: 'dependency_not_found',
      says: /^The code imports is-number, which is not installed/,
    },
    'with a build script that fails': {
      files: withScript('echo compiling; echo "it is broken" >&2; exit 3'),
      code: 'script_failed',
      says: /^npm run build ended with code 3: compiling \| it is broken$/,
    },
    'with a tool that is not installed': {
      files: withScript('no-such-compiler'),
      code: 'script_failed',
      says: /^The build script runs no-such-compiler, which is not installed/,
    },
    'with a build script that is killed for its memory': {
      files: withScript(`node -e "process.kill(process.pid, 'SIGKILL')"`),
      code: 'out_of_memory',
      says: /^npm run build ran out of memory$/,
    },
    'with a build script that fills the disk': {
      files: withScript('cat /dev/zero > /dev/full'),
      code: 'disk_full',
      says: /^npm run build ran out of disk space$/,
    },
    'with a build script that does not end': {
      files: withScript('sleep 1000 & sleep 1000'),
      options: { timeoutMs: 4_000 },
      code: 'timeout',
      says: /^npm run build took longer than [\d.]+ s and was stopped$/,
    },
    'without a default export': {
      files: withCode('export const shop = 1;'),
      code: 'no_default_export',
      says: /^The package has no default export \(it exports shop\)/,
    },
    'with something else as its default export': {
      files: withCode('export default { name: "shop" };'),
      code: 'not_a_provider',
      says: /it has no types$/,
    },
    'with a declaration without its types': {
      files: withCode(
        "import { provider } from 'fairlead/provider';\nexport default provider('shop');",
      ),
      code: 'not_a_provider',
      says: /its types are missing; export the result of its types\(…\)$/,
    },
    'with another provider name': {
      files: withCode(shopCode.replace("'shop'", "'store'")),
      code: 'other_provider',
      says: /^The code defines provider "store" but was pushed to "shop"$/,
    },
    'with two types of one name': {
      files: withCode(shopCode.replace('shop.types(cart)', 'shop.types(cart, { ...cart })')),
      code: 'duplicate_type',
      says: /^Provider shop has two types with the same name: cart$/,
    },
    'without types': {
      files: withCode(
        "import { provider } from 'fairlead/provider';\nexport default provider('shop').types();",
      ),
      code: 'invalid_type',
      says: /^Provider shop has no types$/,
    },
    'with a schema that cannot be written as JSON': {
      files: withCode(shopCode.replace('z.int().min(1)', 'z.date()')),
      code: 'invalid_schema',
      says: /^Type cart: its config cannot be converted to JSON Schema: Date cannot be represented/,
    },
    'with a schema whose keyword is not supported': {
      files: withCode(shopCode.replace('z.int().min(1)', "z.int().meta({ $dynamicRef: '#x' })")),
      code: 'invalid_schema',
      says: /^Type cart: the schema of its config cannot be used at .*\$dynamicRef/,
    },
    'with an adopt whose schema cannot be used': {
      files: withCode(
        shopCode
          .replace('import {', 'import { gone,')
          .replace(
            "'A cart',",
            "'A cart', adopt: z.object({ id: z.string().meta({ $dynamicRef: '#x' }) }), observe: () => gone(),",
          ),
      ),
      code: 'invalid_schema',
      says: /^Type cart: the schema of its adopt cannot be used at .*\$dynamicRef/,
    },
    'with an earlier version whose schema cannot be used': {
      files: withCode(versionedCode("z.string().meta({ $dynamicRef: '#x' })")),
      code: 'invalid_schema',
      says: /^Type cart: the schema of the outputs of version 1 cannot be used at .*\$dynamicRef/,
    },
    'with a mark in a list': {
      files: withCode(
        shopCode.replace('z.int().min(1)', 'z.array(z.int().meta({ immutable: true }))'),
      ),
      code: 'invalid_schema',
      says: /^Type cart: its config cannot be used at properties\.size\.items\.immutable: Items of a list cannot be immutable: mark size itself$/,
    },
    'with a mark in the outputs of an earlier version': {
      files: withCode(versionedCode('z.string().meta({ immutable: true })')),
      code: 'invalid_schema',
      says: /^Type cart: the outputs of version 1 cannot be used at properties\.at\.immutable: Outputs cannot be immutable: mark fields of the config$/,
    },
    'with outputs of a version that cannot be written as JSON': {
      files: withCode(versionedCode('z.date()')),
      code: 'invalid_schema',
      says: /^Type cart: the outputs of version 1 cannot be converted to JSON Schema: Date/,
    },
    'with code that throws': {
      files: withCode("throw new Error('no database');"),
      code: 'import_failed',
      says: /^The code cannot be imported\. Error: no database$/,
    },
    'with TypeScript that Node cannot run': {
      files: withCode(`enum Size { Small }\n${shopCode}`),
      code: 'import_failed',
      says: /^The code cannot be imported\. SyntaxError in index\.ts, line 1: TypeScript enum is not supported in strip-only mode$/,
    },
    'with code that ends the process': {
      files: withCode('process.exit(0);'),
      code: 'ended_early',
      says: /^The code ends the process during the import/,
    },
    'with an import that never resolves': {
      files: withCode(endless),
      options: { typesTimeoutMs: 1_500 },
      code: 'timeout',
      says: /^Importing the code took longer than 1\.5 s/,
    },
    'with a top-level await that never settles': {
      files: withCode('await new Promise(() => undefined);'),
      code: 'import_failed',
      says: /^The code has a top-level await that never settles$/,
    },
    'with code that exhausts the memory': {
      files: withCode('const all = []; for (;;) all.push({ a: [1, 2, 3] });'),
      options: { typesMemoryMb: 40 },
      code: 'out_of_memory',
      says: /^Importing the code ran out of memory$/,
    },
  };
  it.each(Object.entries(cases))('%s', async (_name, { files, options, code, says }) => {
    await using folder = await packageFolder(files);
    const { result, output } = await runBuild(folder, options);
    expect(result, output).toEqual({ kind: 'failed', code, message: expect.stringMatching(says) });
  });
});

it('fails within 30 s where no registry answers', { timeout: 60_000 }, async () => {
  await using folder = await packageFolder({
    'package.json': { ...shopManifest, dependencies: { 'is-number': '7.0.0' } },
    'index.ts': shopCode,
  });
  const refused = await freePort();
  const url = `http://127.0.0.1:${refused}/`;
  const begun = performance.now();
  const { result } = await runBuild(folder, {
    env: { ...(await buildEnvironment()), npm_config_registry: url },
  });
  expect(result).toEqual({
    kind: 'failed',
    code: 'registry_unreachable',
    message: `The npm registry is unreachable (${url.slice(0, -1)})`,
  });
  expect(performance.now() - begun).toBeLessThan(30_000);
});
