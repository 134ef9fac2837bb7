// The files of a new provider: a package that can be pushed as it is, and an example of its resource. Pure.

/** The type of the new provider. */
export const exampleType = 'greeting';

/** @returns the files by name; pushed and applied unchanged, they give a resource that is ready */
export function filesOfProvider(name: string): ReadonlyMap<string, string> {
  return new Map([
    ['package.json', manifestOf(name)],
    ['index.ts', codeOf(name)],
    [`${exampleType}.example.yaml`, exampleOf(name)],
    ['fairlead.yaml', `provider: ${name}\n`],
    ['tsconfig.json', typescript],
    ['.gitignore', 'node_modules/\n.env*\nsettings.local.yaml\n'],
  ]);
}

function manifestOf(name: string): string {
  const manifest = {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    exports: './index.ts',
    engines: { node: '>=24' },
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

function codeOf(name: string): string {
  return `import { fail, provider, resource, z } from 'fairlead/provider';

// Handlers are called again when an answer is lost: they must be repeatable. create finds what an earlier attempt made, and
// delete succeeds when nothing is there.
export default provider('${name}', [
  resource('${exampleType}', {
    description: 'A greeting',
    config: z.strictObject({
      to: z.string().min(1).max(100).describe('Who is greeted.'),
      language: z.enum(['en', 'de']).default('en'),
    }),
    outputs: z.object({ text: z.string() }),
    async create({ config }) {
      return { text: greeting(config) };
    },
    async update({ config }) {
      return { text: greeting(config) };
    },
    async delete() {},
  }),
]);

function greeting({ to, language }: { to: string; language: 'en' | 'de' }): string {
  // fail ends the event at once, with a dead letter. Anything else that is thrown is retried.
  if (to === 'nobody') fail('nobody', 'Nobody can be greeted');
  return language === 'de' ? \`Hallo, \${to}!\` : \`Hello, \${to}!\`;
}
`;
}

function exampleOf(name: string): string {
  return `# fairlead apply -f ${exampleType}.example.yaml
resource: ${name}/${exampleType}/first
config:
  to: world
`;
}

const typescript = `${JSON.stringify(
  {
    compilerOptions: {
      target: 'es2024',
      module: 'nodenext',
      strict: true,
      noEmit: true,
      erasableSyntaxOnly: true,
      verbatimModuleSyntax: true,
      skipLibCheck: true,
    },
  },
  null,
  2,
)}
`;
