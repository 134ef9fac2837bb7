// The files of a new provider: a package that can be pushed as it is, with its test, and an example of its resource. Pure.
import { indentedJson } from '../../../lib/json.ts';

/** The type of the new provider. */
export const exampleType = 'greeting';

/**
 * @param sdk where npm finds the package `fairlead`, such as `file:../sdk`; without it, only Fairlead itself provides the package
 * @returns the files by path; pushed and applied unchanged, they give a resource that is ready
 */
export function filesOfProvider(
  name: string,
  sdk: string | undefined,
): ReadonlyMap<string, string> {
  return new Map([
    ['package.json', packageManifest(name, sdk)],
    ['src/index.ts', entryCode],
    ['src/provider.ts', providerSource(name)],
    [`src/${exampleType}.ts`, typeCode],
    [`test/${exampleType}.test.ts`, testCode],
    [`${exampleType}.example.yaml`, exampleOf(name)],
    ['fairlead.yaml', `provider: ${name}\n`],
    ['tsconfig.json', typescript],
    ['.gitignore', 'node_modules/\n.env*\nsettings.local.yaml\n'],
  ]);
}

/** A package that had the name of the provider would import itself where it means the client of what it manages, such as redis. */
function packageManifest(name: string, sdk: string | undefined): string {
  return indentedJson({
    name: `provider-${name}`,
    version: '0.1.0',
    private: true,
    type: 'module',
    exports: './src/index.ts',
    engines: { node: '>=24' },
    scripts: {
      check: 'tsc',
      test: 'node --test --test-force-exit',
      push: 'tsc && fairlead push',
    },
    devDependencies: {
      '@types/node': '^24',
      ...(sdk === undefined ? {} : { fairlead: sdk }),
      typescript: '^7',
    },
  });
}

const entryCode = `import { ${exampleType} } from './${exampleType}.ts';
import { declared } from './provider.ts';

export default declared.types(${exampleType});
`;

function providerSource(name: string): string {
  return `import { provider } from 'fairlead/provider';

// Everything that the types share: settings such as an address, and start and stop, which open and close a client of it for the handlers.
export const declared = provider('${name}', {});
`;
}

const typeCode = `import { fail, z } from 'fairlead/provider';
import { declared } from './provider.ts';

// Handlers are called again when an answer is lost: they must be repeatable. create finds what an earlier attempt made, by the
// owner of the call, which it stores in a tag and compares with ownedBy; delete succeeds when nothing is there. A type that makes
// objects declares their identity, so that no two resources have one object.
export const ${exampleType} = declared.resource('${exampleType}', {
  description: 'A greeting',
  config: z.strictObject({
    to: z.string().min(1).max(100).describe('Who is greeted.'),
    language: z.enum(['en', 'de']).default('en'),
  }),
  outputs: z.object({ text: z.string() }),
  async create({ config }) {
    return { text: textFor(config) };
  },
  async update({ config }) {
    return { text: textFor(config) };
  },
  async delete() {},
});

function textFor({ to, language }: { to: string; language: 'en' | 'de' }): string {
  // fail ends the event at once, with a dead letter. Anything else that is thrown is retried.
  if (to === 'nobody') fail('nobody', 'Nobody can be greeted');
  return language === 'de' ? \`Hallo, \${to}!\` : \`Hello, \${to}!\`;
}
`;

const testImports = [
  `import assert from 'node:assert/strict';`,
  `import { test } from 'node:test';`,
  `import { testKit } from 'fairlead/provider/testing';`,
  `import provider from '../src/index.ts';`,
];

const testCode = `${testImports.join('\n')}

test('a ${exampleType} follows its config', async () => {
  await using kit = await testKit(provider);
  const first = kit.resource('${exampleType}', 'first');
  assert.deepEqual(await first.apply({ to: 'world' }), {
    state: 'ready',
    outputs: { text: 'Hello, world!' },
  });
  const refused = await first.apply({ to: 'nobody' });
  assert.equal(refused.state === 'failed' && refused.code, 'nobody');
});

// Calls every handler as Fairlead does, also twice, after a crash and for another organization, and compares the results.
test('a ${exampleType} keeps the promises of a provider', async () => {
  await using kit = await testKit(provider);
  await kit.contract('${exampleType}', {
    config: { to: 'world' },
    changed: { to: 'world', language: 'de' },
    // It makes nothing, so that a late delivery does no harm. Remove the line when it does.
    fenced: false,
  });
});
`;

function exampleOf(name: string): string {
  return `# fairlead apply -f ${exampleType}.example.yaml
resource: ${name}/${exampleType}/first
config:
  to: world
`;
}

const typescript = indentedJson({
  compilerOptions: {
    target: 'es2024',
    module: 'nodenext',
    types: ['node'],
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    skipLibCheck: true,
  },
});
