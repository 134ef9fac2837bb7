import { glob, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { architectureProblems } from '../support/architecture.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

async function filesOf(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const path of glob(`${folder}/**/*.ts`, {
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

  it('looks at files at all', async () => {
    expect((await filesOf('src')).length).toBeGreaterThan(30);
  });
});

describe('the check itself', () => {
  const problems: Record<string, { path: string; text: string; says: RegExp }> = {
    'stops http from reaching a reconciler': {
      path: 'src/http/routes/resources.ts',
      text: "import { decide } from '../../reconcilers/resource/decide.ts';",
      says: /imports reconcilers\/resource\/decide\. http may import only store, .*meet only in the custom resource/,
    },
    'sees type imports, because they tie folders together too': {
      path: 'src/kube/client.ts',
      text: "import type {\n  Resource,\n} from '../crds/resource.ts';",
      says: /imports crds\/resource\. kube may import only domain\/errors/,
    },
    'sees exports from elsewhere': {
      path: 'src/domain/retry.ts',
      text: "export * from '../kube/api.ts';",
      says: /domain may import nothing of ours/,
    },
    'sees dynamic imports': {
      path: 'src/app/check.ts',
      text: "const { x } = await import('../store/resources.ts');",
      says: /app\/check may import nothing of ours/,
    },
    'lets the SDK have the event protocol and no more of the domain': {
      path: 'src/sdk/server.ts',
      text: "import { retryDelay } from '../domain/retry.ts';",
      says: /sdk may import only domain\/event, domain\/json/,
    },
    'keeps I/O out of the domain': {
      path: 'src/domain/clock.ts',
      text: "import { readFile } from 'node:fs/promises';",
      says: /without any library or I\/O/,
    },
    'shows the door of a library': {
      path: 'src/store/resources/store.ts',
      text: "import { KubeConfig } from '@kubernetes/client-node';",
      says: /Its door is src\/kube: go through that/,
    },
    'asks for a door when a library has none': {
      path: 'src/http/server.ts',
      text: "import debounce from 'lodash/debounce';",
      says: /lodash, which has no door/,
    },
    'asks for a place on the map for a new folder': {
      path: 'src/plugins/load.ts',
      text: "import { x } from '../domain/log.ts';",
      says: /src\/plugins is not on the map/,
    },
    'keeps the environment in one file': {
      path: 'src/http/server.ts',
      text: 'const port = process.env.PORT;',
      says: /Only src\/app\/config\.ts does/,
    },
    'refuses default exports': {
      path: 'src/http/server.ts',
      text: 'export default function server() {}',
      says: /Export by name/,
    },
    'refuses long files': {
      path: 'test/unit/long.test.ts',
      text: '\n'.repeat(321),
      says: /has 321 lines; 320 is the limit/,
    },
    'refuses drawers': {
      path: 'src/http/utils.ts',
      text: '',
      says: /a drawer, not a purpose/,
    },
    'refuses folders that are drawers': {
      path: 'test/helpers/resources.ts',
      text: '',
      says: /a drawer, not a purpose/,
    },
    'keeps examples outside': {
      path: 'examples/postgres/provider.ts',
      text: "import { provider } from '../../src/sdk/index.ts';",
      says: /Examples are outsiders/,
    },
  };

  it.each(Object.entries(problems))('%s', (_name, { path, text, says }) => {
    expect(architectureProblems(path, text)).toEqual([expect.stringMatching(says)]);
  });

  const fine: Record<string, { path: string; text: string }> = {
    'lets main put everything together': {
      path: 'src/main.ts',
      text: "import { a } from './http/server.ts';\nimport { b } from './reconcilers/resource/index.ts';",
    },
    'lets a folder import itself': {
      path: 'src/reconcilers/resource/act.ts',
      text: "import { observe } from './observe.ts';\nimport { e } from '../endpoints.ts';",
    },
    'lets a door open': {
      path: 'src/providers/schema-sandbox-worker.ts',
      text: "import { Ajv } from 'ajv';\nimport { RE2JS } from 're2js';",
    },
    'does not mistake code inside a template for code': {
      path: 'src/providers/new-provider.ts',
      text: 'const file = `\nexport default provider("x", []);\n`;',
    },
  };

  it.each(Object.entries(fine))('%s', (_name, { path, text }) => {
    expect(architectureProblems(path, text)).toEqual([]);
  });
});
