// A record that a client has read is given back as it is, in the formats that it prints.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ResourceRecord } from '../../../../src/api/shapes.ts';
import { isUnchanged } from '../../../../src/cli/apply/unchanged.ts';
import { readDeclarations } from '../../../../src/cli/declarations/declaration.ts';
import { yamlOf } from '../../../../src/cli/render/yaml.ts';
import { recordDeclaration } from '../../../../src/cli/resources/resource-view.ts';
import { differencesOf } from '../../../../src/client/differences.ts';
import { clientEnvironment, newHome } from '../../../support/clients/client.ts';
import { resourceRecord } from '../../../support/clients/client-records.ts';

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
    const environment = clientEnvironment({ home: newHome() });
    writeFileSync(join(environment.folder, 'a.yaml'), text);
    const [declaration] = await readDeclarations(['a.yaml'], environment);
    if (declaration === undefined) throw new Error('nothing was read');
    expect(isUnchanged(record, declaration.body), text).toBe(true);
    const same = { schema: undefined, shown: true };
    expect(differencesOf(record, declaration.body, same), text).toEqual([]);
  }
});
