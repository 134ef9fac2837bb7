// The files of a new provider: a package that can be pushed as it is, with its test, and an example of its resource. Pure.

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
    ['package.json', manifestOf(name, sdk)],
    ['src/index.ts', providerOf(name)],
    [`src/${exampleType}.ts`, typeCode],
    [`test/${exampleType}.test.ts`, testOf(name)],
    [`${exampleType}.example.yaml`, exampleOf(name)],
    ['fairlead.yaml', `provider: ${name}\n`],
    ['tsconfig.json', typescript],
    ['.gitignore', 'node_modules/\n.env*\nsettings.local.yaml\n'],
  ]);
}

/** A package that had the name of the provider would import itself where it means the client of what it manages, such as redis. */
function manifestOf(name: string, sdk: string | undefined): string {
  return jsonText({
    name: `provider-${name}`,
    version: '0.1.0',
    private: true,
    type: 'module',
    exports: './src/index.ts',
    engines: { node: '>=24' },
    scripts: { check: 'tsc', test: 'node --test --test-force-exit' },
    devDependencies: {
      '@types/node': '^24',
      ...(sdk === undefined ? {} : { fairlead: sdk }),
      typescript: '^7',
    },
  });
}

function jsonText(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function providerOf(name: string): string {
  return `import { provider } from 'fairlead/provider';
import { ${exampleType} } from './${exampleType}.ts';

export default provider('${name}', [${exampleType}]);
`;
}

const typeCode = `import { fail, resource, z } from 'fairlead/provider';

// Handlers are called again when an answer is lost: they must be repeatable. create finds what an earlier attempt made, and
// delete succeeds when nothing is there.
export const ${exampleType} = resource('${exampleType}', {
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

function testOf(name: string): string {
  const imports = [
    `import { test } from 'node:test';`,
    `import { testProvider } from 'fairlead/provider/testing';`,
    `import provider from '../src/index.ts';`,
  ];
  return `${imports.join('\n')}

// Calls every handler as Fairlead does, also twice, and compares the results.
test('${name} keeps the promises of a provider', async () => {
  await testProvider(provider, {
    ${exampleType}: { config: { to: 'world' }, changed: { to: 'world', language: 'de' } },
  });
});
`;
}

function exampleOf(name: string): string {
  return `# fairlead apply -f ${exampleType}.example.yaml
resource: ${name}/${exampleType}/first
config:
  to: world
`;
}

const typescript = jsonText({
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
