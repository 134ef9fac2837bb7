import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { valueRows, valuesTable, withValuesTable } from '../../../packaging/chart-readme.ts';
import { generatedTemplates, ownNamespaceByName } from '../../../packaging/chart-templates.ts';

const chart = join(import.meta.dirname, '../../../charts/fairlead');
const release = async () =>
  (JSON.parse(await readFile('package.json', 'utf8')) as { version: string }).version;

it('has definitions, permissions and policies in the chart as generated', async () => {
  for (const [name, content] of generatedTemplates(await release())) {
    const committed = await readFile(join(chart, 'templates', name), 'utf8');
    expect(committed, `${name}: run npm run generate`).toBe(content);
  }
});

it('has every value in the README of the chart, with a description', async () => {
  const rows = valueRows(await readFile(join(chart, 'values.yaml'), 'utf8'));
  const readme = await readFile(join(chart, 'README.md'), 'utf8');
  expect(withValuesTable(readme, valuesTable(rows)), 'run npm run generate').toBe(readme);
  expect(rows.filter(({ description }) => description === '').map(({ key }) => key)).toEqual([]);
});

it('leaves no placeholder, and escapes the braces of descriptions', async () => {
  const all = [...generatedTemplates(await release()).values()].join('');
  expect(all).not.toContain('PLACE-OF');
  for (const [inside] of all.matchAll(/\{\{.*?\}\}/g)) {
    expect(inside).toMatch(
      /^\{\{-? ?(?:\/\*|include|if|end|with|toYaml|\.Release\.Namespace|"[{}]{2}")/,
    );
  }
});

it('matches the namespace of the release by name instead of its label', () => {
  const byLabel =
    "(has(namespaceObject.metadata.labels) && 'fairlead.dev/system' in namespaceObject.metadata.labels)";
  const policy = { spec: { expression: `a || !${byLabel}` } };
  expect(ownNamespaceByName(policy, 'here')).toEqual({
    spec: { expression: "a || !(request.namespace == 'here')" },
  });
});
