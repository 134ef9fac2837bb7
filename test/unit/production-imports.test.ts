// The modules that a production pod loads, by the static imports of its composition root: neither the evaluation issuer nor its
// library, which a production image does not contain.
import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const importing = /^(?:import|export)\s(?!type\s)[^;]*?from '([^']+)'|^import '([^']+)'/gm;

/** @returns every file of ours, and every library, that comes with one */
async function loadedBy(entry: string): Promise<ReadonlySet<string>> {
  const loaded = new Set<string>();
  const waiting = [join(root, entry)];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const name = relative(root, path);
    if (loaded.has(name)) continue;
    loaded.add(name);
    for (const [, from, alone] of (await readFile(path, 'utf8')).matchAll(importing)) {
      const target = from ?? alone ?? '';
      if (target.startsWith('.')) waiting.push(join(dirname(path), target));
      else loaded.add(target);
    }
  }
  return loaded;
}

it.each(['src/app/cluster.ts', 'src/main.ts'])('%s does not import the issuer', async (entry) => {
  const loaded = await loadedBy(entry);
  expect(loaded).toContain('src/app/config/index.ts');
  const unwanted =
    /^(?:oidc-provider|koa)|^src\/app\/(?:evaluation|development)|^src\/(?:dev|issuer)\//;
  expect([...loaded].filter((each) => unwanted.test(each))).toEqual([]);
});

it('finds the import of the issuer', async () => {
  const loaded = await loadedBy('src/app/evaluation.ts');
  expect(loaded).toContain('src/issuer/server.ts');
});

it('is missing in a production image', async () => {
  const dockerfile = await readFile(join(root, 'Dockerfile'), 'utf8');
  expect(dockerfile).toMatch(/^ARG EVALUATION=false$/m);
  expect(dockerfile).toContain('npm pkg delete dependencies.oidc-provider && npm prune');
  expect(dockerfile).toContain(
    'rm -r src/app/development.ts src/app/evaluation.ts src/issuer src/dev',
  );
});
