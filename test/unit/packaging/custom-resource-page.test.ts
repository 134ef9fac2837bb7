import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { exampleOf } from '../../../packaging/custom-resource-examples.ts';
import { customResourcePage } from '../../../packaging/custom-resource-page.ts';
import type { KindDefinition } from '../../../src/crds/define.ts';
import { kinds } from '../../../src/crds/index.ts';
import { kindNames } from '../../../src/crds/kind-names.ts';

type Definition = KindDefinition<z.ZodType, z.ZodType>;
const definitions: readonly (readonly [string, Definition])[] = kinds.map((kind) => [
  kind.kind,
  kind,
]);

it('has a purpose for every kind', () => {
  expect(kindNames).toEqual(kinds.map(({ kind }) => kind));
});

describe.each(definitions)('the page of %s', (name, definition) => {
  const page = customResourcePage(definition, '1.2.3');

  it('has an example that matches its schema', () => {
    const kind = kindNames.find((each) => each === name) ?? 'Resource';
    const { metadata, spec } = exampleOf(kind);
    expect(definition.spec.safeParse(spec)).toMatchObject({ success: true });
    expect(metadata.namespace === undefined).toBe(!definition.namespaced);
    expect(page).toContain(`kind: ${name}\nmetadata:\n  name: ${metadata.name}\n`);
  });

  it('has every printer column', () => {
    for (const { name: column, jsonPath } of definition.columns) {
      expect(page).toContain(`| ${column} | \`${jsonPath}\` |`);
    }
  });

  it('describes every field', () => {
    const rows = page.split('\n').filter((line) => /^\| `(?:spec|status)\./.test(line));
    expect(rows.length).toBeGreaterThan(3);
    for (const row of rows) expect(row).toMatch(/\S \|$/);
  });
});

it('has types, rules and descriptions of fields, also inside lists', () => {
  const [, , , resource] = kinds;
  const page = customResourcePage(resource, '1.2.3');
  expect(page).toContain(
    '| `spec.paused` | boolean | optional | Whether the resource is paused: no new event is sent. |',
  );
  expect(page).toMatch(/\| `spec\.provider` \| string \| required; .*cannot be changed \|/);
  expect(page).toContain('| `spec.dependencies[].name` | string |');
  expect(page).toContain('| `spec.dependencies` | a resource cannot depend on itself |');
  expect(page).toContain('| DeadLettered |');
});

it('states that a kind has no conditions', () => {
  const [, project] = kinds;
  expect(customResourcePage(project, '1.2.3')).toContain('Fairlead sets no conditions');
});
