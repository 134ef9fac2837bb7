// `npm run generate`: writes the parts of the chart, the manifests and docs/ that are derived from the code, from values.yaml and from examples/,
// and the version.
import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { generatedFiles } from '../src/crds/generate.ts';
import { valueRows, valuesTable, withValuesTable } from './chart-readme.ts';
import { generatedTemplates } from './chart-templates.ts';
import { withExamples } from './examples.ts';
import { generatedPages, kindPageFolder, stalePages } from './pages.ts';
import { filesWithVersion, withVersion } from './version.ts';

const root = join(import.meta.dirname, '..');
const chart = join(root, 'charts', 'fairlead');

const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
  version: string;
};
for (const name of filesWithVersion) {
  const file = join(root, name);
  await writeFile(file, withVersion(name, await readFile(file, 'utf8'), version));
}
const templates = generatedTemplates(version);
for (const [name, content] of templates) {
  await writeFile(join(chart, 'templates', name), content);
}
const readme = join(chart, 'README.md');
const table = valuesTable(valueRows(await readFile(join(chart, 'values.yaml'), 'utf8')));
await writeFile(readme, withValuesTable(await readFile(readme, 'utf8'), table));
const definitions = [...generatedFiles(version).values()];
await writeFile(join(root, 'manifests', 'crds.yaml'), definitions.join('---\n'));
const pages = generatedPages(version);
// Removes the pages of kinds that no longer exist.
const kindPages = join(root, 'docs', kindPageFolder);
for (const name of stalePages(await readdir(kindPages), pages)) await rm(join(kindPages, name));
for (const [name, content] of pages) {
  const file = join(root, 'docs', name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}
const cookbook = join(root, 'docs', 'provider-cookbook.md');
await writeFile(
  cookbook,
  withExamples(await readFile(cookbook, 'utf8'), (name) => readFileSync(join(root, name), 'utf8')),
);
process.stdout.write(
  `Wrote ${templates.size} templates, the README of the chart, the definitions and ${pages.size} pages\n`,
);
