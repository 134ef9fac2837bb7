// What the pages of a resource hide until somebody asks for it.
import { expect, it } from 'vitest';
import type { ResourceDefinition } from '../../../../../src/api/shapes.ts';
import { shownOf } from '../../../../../src/console/pages/resource/secrets.ts';
import { resourceRecord } from '../../../../support/clients/client-records.ts';

const secret = (name: string) => ({ properties: { [name]: { type: 'string', writeOnly: true } } });
const type = (given: object) => given as ResourceDefinition;
const outputs = { address: 'a', key: 'k-4711', token: 't-4711' };
const adopt = { token: 't-4711' };
const record = resourceRecord('orders', { config: { password: 'p-4711' }, outputs, adopt });

it.each<[what: string, type: ResourceDefinition | undefined, hidden: readonly string[]]>([
  [
    'what the schema of the config marks',
    type({ schema: secret('password') }),
    ['/config/password'],
  ],
  [
    'what the schema of the outputs marks',
    type({ schema: {}, outputs_schema: secret('key') }),
    ['/outputs/key'],
  ],
  [
    'what an earlier version marks',
    type({
      ...{ schema: {}, type_version: 2, outputs_schema: secret('key') },
      earlier_versions: [{ type_version: 1, schema: {}, outputs_schema: secret('token') }],
    }),
    ['/outputs/key', '/outputs/token'],
  ],
  [
    'what the schema of adopt marks, also in the outputs',
    type({ schema: null, adopt_schema: secret('token') }),
    ['/outputs/token', '/adopt/token'],
  ],
  ['nothing where nothing is marked', type({ schema: null, outputs_schema: null }), []],
])('hides %s', (_what, type, hidden) => {
  expect(shownOf(record, type)).toMatchObject({ hidden, isByRole: false });
});

it('hides everything while the type is not known, and what the API hides', () => {
  expect(shownOf(record, undefined).hidden).toHaveLength(5);
  const masked = ['/outputs/key'];
  expect(shownOf({ ...record, masked }, undefined)).toMatchObject({
    hidden: masked,
    isByRole: true,
  });
});
