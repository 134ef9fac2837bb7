import { glob, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { architectureProblems } from '../support/architecture.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

async function filesOf(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const path of glob(`${folder}/**/*.{ts,tsx}`, {
    cwd: root,
    exclude: (name) => name.includes('node_modules'),
  })) {
    found.push(path.replaceAll('\\', '/'));
  }
  return found.sort();
}

describe('the map in src/README.md holds', () => {
  it.each(['src', 'test', 'bench', 'examples', 'packaging'])(
    'in every file of %s/',
    async (folder) => {
      const problems: string[] = [];
      for (const path of await filesOf(folder)) {
        problems.push(...architectureProblems(path, await readFile(`${root}${path}`, 'utf8')));
      }
      expect(problems.join('\n')).toBe('');
    },
  );

  it('finds files', async () => {
    expect((await filesOf('src')).length).toBeGreaterThan(30);
  });
});

describe('the check itself', () => {
  const problems: Record<string, { path: string; text: string; says: RegExp }> = {
    'rejects an import of a reconciler in http': {
      path: 'src/http/routes/resources.ts',
      text: "import { decide } from '../../reconcilers/resource/decide.ts';",
      says: /imports reconcilers\/resource\/decide\. http may import only store, .*meet only in the custom resource/,
    },
    'checks type imports': {
      path: 'src/kube/client.ts',
      text: "import type {\n  Resource,\n} from '../crds/resource.ts';",
      says: /imports crds\/resource\. kube may import only http-client, domain\/errors/,
    },
    'checks exports from other folders': {
      path: 'src/domain/retry.ts',
      text: "export * from '../kube/api.ts';",
      says: /domain may import only api\/errors/,
    },
    'checks dynamic imports': {
      path: 'src/app/check.ts',
      text: "const { x } = await import('../store/resources.ts');",
      says: /app\/check may import nothing of ours/,
    },
    'allows the SDK to import the event protocol only': {
      path: 'src/sdk/server.ts',
      text: "import { retryDelay } from '../domain/retry.ts';",
      says: /sdk may import only domain\/delivery-options, domain\/event, domain\/setting/,
    },
    'rejects I/O in the domain': {
      path: 'src/lib/clock.ts',
      text: "import { readFile } from 'node:fs/promises';",
      says: /without any library or I\/O/,
    },
    'names the permitted importers of a library': {
      path: 'src/store/resources/store.ts',
      text: "import { KubeConfig } from '@kubernetes/client-node';",
      says: /Its door is src\/kube: go through that/,
    },
    'rejects a library without permitted importers': {
      path: 'src/http/server.ts',
      text: "import debounce from 'lodash/debounce';",
      says: /lodash, which has no door/,
    },
    'rejects an unknown folder': {
      path: 'src/plugins/load.ts',
      text: "import { x } from '../domain/identity.ts';",
      says: /src\/plugins is not on the map/,
    },
    'rejects reads of the environment outside config.ts': {
      path: 'src/http/server.ts',
      text: 'const port = process.env.PORT;',
      says: /Only src\/app\/config\/index\.ts does/,
    },
    'rejects git outside the file that overrides its configuration': {
      path: 'src/cli/commands/push.ts',
      text: "const { stdout } = spawnSync('git', ['status']);",
      says: /Only src\/cli\/pack\/git\.ts does/,
    },
    'rejects output of the client that is not cleaned': {
      path: 'src/cli/commands/get.ts',
      text: 'environment.stdout.write(record.message);',
      says: /Only src\/cli\/render\/printer\.ts prints/,
    },
    'rejects default exports': {
      path: 'src/http/server.ts',
      text: 'export default function server() {}',
      says: /Export by name/,
    },
    'rejects long files': {
      path: 'test/unit/long.test.ts',
      text: '\n'.repeat(321),
      says: /has 321 lines; 320 is the limit/,
    },
    'rejects catch-all files': {
      path: 'src/http/utils.ts',
      text: '',
      says: /a drawer, not a purpose/,
    },
    'rejects catch-all folders': {
      path: 'test/helpers/resources.ts',
      text: '',
      says: /a drawer, not a purpose/,
    },
    'rejects imports of src in examples': {
      path: 'examples/postgres/provider.ts',
      text: "import { provider } from '../../src/sdk/index.ts';",
      says: /Examples are outsiders/,
    },
  };

  it.each(Object.entries(problems))('%s', (_name, { path, text, says }) => {
    expect(architectureProblems(path, text)).toEqual([expect.stringMatching(says)]);
  });

  const fine: Record<string, { path: string; text: string }> = {
    'allows main to import everything': {
      path: 'src/main.ts',
      text: "import { a } from './http/server.ts';\nimport { b } from './reconcilers/resource/index.ts';",
    },
    'allows imports within a folder': {
      path: 'src/reconcilers/resource/act.ts',
      text: "import { observe } from './observe.ts';\nimport { e } from '../endpoints.ts';",
    },
    'allows the permitted importers of a library': {
      path: 'src/providers/schema-sandbox-worker.ts',
      text: "import { Ajv } from 'ajv';\nimport { RE2JS } from 're2js';",
    },
    'ignores code inside templates': {
      path: 'src/providers/new-provider.ts',
      text: 'const file = `\nexport default provider("x", []);\n`;',
    },
  };

  it.each(Object.entries(fine))('%s', (_name, { path, text }) => {
    expect(architectureProblems(path, text)).toEqual([]);
  });
});
