import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { configurationPage } from '../../../packaging/configuration-page.ts';
import { Environment } from '../../../src/app/config/environment.ts';
import { verbDescriptions } from '../../../src/app/config/flags.ts';
import { loadConfig } from '../../../src/app/config/index.ts';

const root = join(import.meta.dirname, '../../..');
const page = configurationPage();
const rowOf = (name: string) => page.split('\n').find((line) => line.startsWith(`| \`${name}\` |`));

it.each(Object.keys(Environment.shape))('has a row for %s', (name) => {
  const [, , meaning, standard, allowed, readers] = rowOf(name)?.split(' | ') ?? [];
  const cells = [meaning, standard, allowed, readers];
  expect(cells.every((cell) => cell === undefined || cell.trim() !== '')).toBe(true);
  expect(rowOf(name)).toBeDefined();
});

it('has defaults, bounds and readers of the schema', () => {
  expect(rowOf('FAIRLEAD_MAX_ATTEMPTS')).toMatch(
    /\| `8` \| a whole number from 1 to 100 \| `controller`, `dev` \|$/,
  );
  expect(rowOf('FAIRLEAD_ARTIFACTS')).toContain('| `folder` | `folder`, `remote` |');
  expect(rowOf('FAIRLEAD_LIMIT_MEMORY')).toContain('| `200Gi` |');
});

it('has the actual default log level', () => {
  expect(rowOf('FAIRLEAD_LOG_LEVEL')).toContain(`| \`${loadConfig([], {}).logLevel}\` |`);
});

it('has every FAIRLEAD_ variable that a file contains', async () => {
  const missing = new Set<string>();
  const places = [
    '{src,examples,charts,packaging}/**/*.{ts,tpl,yaml}',
    'test/{image,support,cluster}/**/*.ts',
  ];
  for await (const path of glob(places, {
    cwd: root,
    // The variables of the client are in `fairlead help environment`.
    exclude: (name) =>
      name.includes('node_modules') || /(?:src\/cli|test\/support\/clients)$/.test(name),
  })) {
    const text = await readFile(join(root, path), 'utf8');
    for (const [, name = ''] of text.matchAll(/\b(FAIRLEAD_[A-Z0-9_]*[A-Z0-9])(?![A-Z0-9_%…])/g)) {
      // The code of an error, not a variable.
      if (rowOf(name) === undefined && name !== 'FAIRLEAD_DUPLICATE_TYPE') missing.add(name);
    }
  }
  expect([...missing]).toEqual([]);
});

it('has every verb of the binary', async () => {
  const main = await readFile(join(root, 'src/main.ts'), 'utf8');
  const verbs = [...main.matchAll(/^ {2}async (\w+)\(argv\)/gm)].map(([, verb]) => verb);
  expect(Object.keys(verbDescriptions).sort()).toEqual(verbs.sort());
  for (const verb of verbs) expect(page).toContain(`### fairlead-server ${verb}\n`);
  expect(page).toContain('| `--expires TIME` |');
});
