// How a resource is observed and what it imports: what documents declare, and that a record which was read is given back as it is.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ResourceRecord } from '../../../../../src/api/shapes.ts';
import { readDeclarations } from '../../../../../src/cli/resources/declarations/declaration.ts';
import { recordDeclaration } from '../../../../../src/cli/resources/resource-view.ts';
import { CliError } from '../../../../../src/cli/terminal/errors/cli-error.ts';
import { yamlOf } from '../../../../../src/cli/terminal/yaml.ts';
import { differencesOf } from '../../../../../src/client/differences.ts';
import { clientEnvironment, newHome } from '../../../../support/clients/client.ts';
import { resourceRecord } from '../../../../support/clients/client-records.ts';

async function declarationsOf(text: string) {
  const environment = clientEnvironment({ home: newHome() });
  writeFileSync(join(environment.folder, 'a.yaml'), text);
  return await readDeclarations(['a.yaml'], environment);
}

const none = { every: null, ignore: [], on_drift: 'report' } as const;
const adopt = { id: 'x', region: { name: 'eu' } };

it.each<[string, Partial<ResourceRecord>, object]>([
  ['the defaults', { observe: { ...none, ignore: [] }, management: 'managed', adopt: null }, {}],
  [
    'an import, which a deletion leaves',
    { observe: { ...none, ignore: [] }, adopt, deletion_policy: 'orphan', management: 'managed' },
    { adopt },
  ],
  [
    'an import that a deletion deletes',
    { observe: { ...none, ignore: [] }, adopt, deletion_policy: 'delete' },
    { adopt, deletion_policy: 'delete' },
  ],
  [
    'a read-only one with all options',
    {
      observe: { every: '10m', ignore: ['/tags'], on_drift: 'correct' },
      management: 'observed',
      adopt: null,
    },
    {
      observe: { every: '10m', ignore: ['/tags'], on_drift: 'correct' },
      management: 'observed',
    },
  ],
])('gives back %s', async (_, more, written) => {
  const drift = { since: '2026-01-31T12:00:00.000Z', kind: 'gone', changes: [] } as const;
  const counts = { total: 0, compared: 0, unknown: 0 };
  const record = resourceRecord('shop', { ...more, drift: { ...drift, changes: [], ...counts } });
  const { resource: _r, config: _c, project: _p, ...others } = recordDeclaration(record);
  expect(others).toEqual(written);
  for (const text of [await yamlOf(recordDeclaration(record)), JSON.stringify(record)]) {
    const [declaration] = await declarationsOf(text);
    if (declaration === undefined) throw new Error('nothing was read');
    const same = { schema: undefined, shown: true };
    expect(differencesOf(record, declaration.body, same), text).toEqual([]);
  }
});

const shop = { provider: 'postgres', resource: 'database', name: 'shop' };
const pending = { lifecycle_state: 'pending', config: {} };

it.each([
  [
    'how a resource is observed, and what it imports',
    'resource: postgres/database/shop\nobserve: {every: 10m, ignore: [/tags], on_drift: correct}\nmanagement: observed\nadopt: {id: x}',
    {
      ...{ ...shop, ...pending, management: 'observed', adopt: { id: 'x' } },
      observe: { every: '10m', ignore: ['/tags'], on_drift: 'correct' },
    },
  ],
  [
    'the same of a record, without what was observed',
    '{"id":"x","provider":"postgres","resource":"database","name":"shop","observe":{"every":null,"ignore":[],"on_drift":"report"},"management":"managed","adopt":null,"drift":{"kind":"gone"},"observation":null}',
    {
      ...{ ...shop, ...pending, management: 'managed', adopt: null },
      observe: { every: null, ignore: [], on_drift: 'report' },
    },
  ],
  [
    'the same of a manifest',
    'apiVersion: fairlead.dev/v1\nkind: Resource\nspec: {provider: postgres, resource: database, name: shop, observe: {every: never, onDrift: Correct}, management: Observed, adopt: {id: x}}',
    {
      ...{ ...shop, ...pending, management: 'observed', adopt: { id: 'x' } },
      observe: { every: 'never', on_drift: 'correct' },
    },
  ],
])('reads %s', async (_, text, body) => {
  expect((await declarationsOf(text)).map((each) => each.body)).toEqual([body]);
});

it.each([
  ['observe: {evry: 10m}', 'observe.evry', 'unknown field; did you mean every?'],
  ['observe: 10m', 'observe', 'must be null, or a mapping of every, ignore, on_drift'],
  ['observe: {on_drift: repair}', 'observe.on_drift', 'must be report or correct'],
  ['management: mine', 'management', 'must be managed or observed'],
  ['adopt: x', 'adopt', 'must be a mapping that identifies an object'],
])('refuses %s', async (line, field, rule) => {
  const thrown: unknown = await declarationsOf(`resource: a/b/c\n${line}`).catch(
    (error: unknown) => error,
  );
  if (!(thrown instanceof CliError)) throw new Error('Nothing was refused');
  expect(thrown.facts).toEqual([
    [expect.stringMatching(/^a\.yaml:2:/), field, expect.stringContaining(rule)],
  ]);
});
