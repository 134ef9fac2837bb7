import { glob, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { architectureProblems } from '../support/runner/architecture.ts';
import { crowdedFolders } from '../support/runner/crowded-folders.ts';
import { firstWordProblems } from '../support/runner/first-words.ts';
import { importCircles } from '../support/runner/import-circles.ts';
import { timeComparers, timeComparisons } from '../support/runner/time-comparisons.ts';

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

  it('in all files together, which import each other in no circle', async () => {
    const sources = new Map<string, string>();
    for (const folder of ['src', 'test', 'bench', 'packaging']) {
      for (const path of await filesOf(folder)) {
        sources.set(path, await readFile(`${root}${path}`, 'utf8'));
      }
    }
    expect(importCircles(sources).join('\n')).toBe('');
  });

  it('in every folder that has folders', async () => {
    const folders = ['src', 'test', 'bench', 'examples', 'packaging'];
    const paths = await Promise.all(folders.map(filesOf));
    expect(crowdedFolders(paths.flat()).join('\n')).toBe('');
  });

  // Tools that remove an import have taken the comment above it as well.
  it('begins each module with a comment that says what it is for', async () => {
    const without: string[] = [];
    for (const path of await filesOf('src')) {
      if (!path.endsWith('.ts')) continue;
      if (!/^(?:\/\/|\/\*\*|#!)/.test(await readFile(`${root}${path}`, 'utf8'))) without.push(path);
    }
    expect(without).toEqual([]);
  });

  it('begins each comment with its subject', async () => {
    const problems: string[] = [];
    for (const path of await filesOf('src')) {
      problems.push(...firstWordProblems(path, await readFile(`${root}${path}`, 'utf8')));
    }
    expect(problems).toEqual([]);
  });

  it('lists no module that compares no stored times', async () => {
    const comparing: string[] = [];
    for (const path of await filesOf('src')) {
      const lines = timeComparisons(path, await readFile(`${root}${path}`, 'utf8'));
      if (lines.length > 0) comparing.push(path.replace(/^src\/|\.ts$/g, ''));
    }
    expect([...timeComparers].filter((each) => !comparing.includes(each))).toEqual([]);
  });

  it('finds files', async () => {
    expect((await filesOf('src')).length).toBeGreaterThan(30);
  });
});

describe('the check itself', () => {
  it.each([
    ['// Of a type.', 1],
    ['/** Whoever asks. */', 1],
    ['/**\n * What is kept.\n */', 1],
    ['{/* Those below. */}', 1],
    ['// The state\n// Of Texas.', 0],
    ['/** Whatever follows; of it the first. */', 0],
  ])('sees with which word a comment begins: %j', (text, count) => {
    expect(firstWordProblems('src/a.ts', text)).toHaveLength(count);
  });

  it('rejects a long list of files beside folders, and permits one without them', () => {
    const many = Array.from({ length: 21 }, (_, at) => `file-${at}.ts`);
    const beside = many.map((name) => `src/mixed/${name}`);
    const alone = many.map((name) => `src/flat/${name}`);
    expect(crowdedFolders([...beside, ...alone, 'src/mixed/more/a.ts'])).toEqual([
      expect.stringMatching(/^src\/mixed\/ has 21 files beside its folders/),
    ]);
    expect(crowdedFolders(beside.slice(1).concat('src/mixed/more/a.ts'))).toEqual([]);
  });

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
      says: /sdk may import only domain\/event, domain\/schemas\/immutable/,
    },
    'rejects what commands do with provider code in the resources of the client': {
      path: 'src/cli/resources/find.ts',
      text: "import { deployAndWait } from '../providers/rollout.ts';",
      says: /cli\/resources may import only cli\/session, .*know nothing of each other/,
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
      path: 'src/cli/commands/providers/push.ts',
      text: "const { stdout } = spawnSync('git', ['status']);",
      says: /Only src\/cli\/providers\/pack\/git\.ts does/,
    },
    'rejects output of the client that is not cleaned': {
      path: 'src/cli/commands/resources/get.ts',
      text: 'environment.stdout.write(record.message);',
      says: /Only src\/cli\/terminal\/printer\.ts prints/,
    },
    'rejects a comparison of a stored time': {
      path: 'src/store/providers/corrections.ts',
      text: 'return iso(spec.releasedAt) >= since;',
      says: /reads a stored time to compare it: .*name a version or a stored value instead/,
    },
    'rejects a stored time that becomes a number': {
      path: 'src/reconcilers/observation/mass-guard.ts',
      text: "const at = Date.parse(provider?.spec.releasedAt ?? '');",
      says: /Another machine may have written it/,
    },
    'rejects a stored time that becomes a Date': {
      path: 'src/reconcilers/redrive/observe.ts',
      text: 'return new Date(status.finishedAt) > now;',
      says: /Another machine may have written it/,
    },
    'rejects default exports': {
      path: 'src/http/server.ts',
      text: 'export default function server() {}',
      says: /Export by name/,
    },
    'rejects long files': {
      path: 'test/unit/long.test.ts',
      text: '\n'.repeat(501),
      says: /has 501 lines; 500 is the limit/,
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
    'allows times of the clock of a process, and texts of times': {
      path: 'src/reconcilers/redrive/act.ts',
      text: [
        'return waitUntil(new Date(next));',
        'if (clock.monotonic() - one.foundAt < steadyMs) return new Date(now.getTime() + 5);',
        'return { since: new Date(since).toISOString(), first: new Date(0) };',
      ].join('\n'),
    },
    'ignores code inside templates': {
      path: 'src/providers/new-provider.ts',
      text: 'const file = `\nexport default provider("x").types();\n`;',
    },
  };

  it.each(Object.entries(fine))('%s', (_name, { path, text }) => {
    expect(architectureProblems(path, text)).toEqual([]);
  });

  const circles: Record<string, { files: Record<string, string>; says: string[] }> = {
    'rejects a circle at run time, and names its files': {
      files: {
        'src/main.ts': "import { a } from './a/a.ts';",
        'src/a/a.ts': "import { b } from '../b.ts';",
        'src/b.ts': "export { c } from './c.ts';",
        'src/c.ts': "import './a/a.ts';",
      },
      says: [
        'src/a/a.ts → src/b.ts → src/c.ts → src/a/a.ts: a circle of imports. Move what both need to a file that imports neither.',
      ],
    },
    'rejects a circle of types': {
      files: {
        'src/a.ts': "import type { B } from './b.ts';",
        'src/b.ts': "import { type A, a } from './a.ts';",
      },
      says: [
        'src/a.ts → src/b.ts → src/a.ts: a circle of imports of types. Move what both need to a file that imports neither.',
      ],
    },
    'rejects a file that imports itself': {
      files: { 'src/a.ts': "export type { A } from './a.ts';" },
      says: [expect.stringContaining('src/a.ts → src/a.ts: a circle of imports of types.')],
    },
    'names the circle of types beside the one at run time': {
      files: {
        'src/a.ts': "import { b } from './b.ts';\nimport type { C } from './c.ts';",
        'src/b.ts': "import { a } from './a.ts';",
        'src/c.ts': "import { d } from './d.ts';",
        'src/d.ts': "import type { C } from './c.ts';",
      },
      says: [
        expect.stringContaining('src/a.ts → src/b.ts → src/a.ts: a circle of imports.'),
        expect.stringContaining('src/c.ts → src/d.ts → src/c.ts: a circle of imports of types.'),
      ],
    },
    'allows two ways to the same file': {
      files: {
        'src/a.ts': "import { b } from './b.ts';\nimport type { C } from './c.ts';",
        'src/b.ts': "import { c } from './c.ts';",
        'src/c.ts': "import { z } from 'zod';",
      },
      says: [],
    },
    'allows a table that loads what uses it': {
      files: {
        'src/table.ts': "const load = () => import('./help.ts');",
        'src/help.ts': "import { table } from './table.ts';",
      },
      says: [],
    },
  };

  it.each(Object.entries(circles))('%s', (_name, { files, says }) => {
    expect(importCircles(new Map(Object.entries(files)))).toEqual(says);
  });
});
