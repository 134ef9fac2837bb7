// The drift of a record, for those who see secrets and those who do not.
import { expect, it } from 'vitest';
import {
  type Drift,
  type DriftChange,
  maxChanges,
} from '../../../../src/domain/observation/drift.ts';
import {
  nothingRecorded,
  withoutSecrets,
} from '../../../../src/domain/secrets/resource-secrets.ts';
import { typeSchemas } from '../../../../src/domain/secrets/type-schemas.ts';
import type { Masking } from '../../../../src/http/response/caller-view.ts';
import { presentDrift } from '../../../../src/http/response/resource.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { resourceRecord } from '../../../../src/store/resources/state.ts';
import { readyResource } from '../../../support/fixtures/builders.ts';
import { counted } from '../../../support/worst-inputs/counted.ts';
import { members } from '../../../support/worst-inputs/hostile-values.ts';

const change = (
  path: string,
  declared: DriftChange['declared'],
  actual: DriftChange['actual'],
) => ({
  ...{ path, declared, actual },
  omitted: false,
});
const changes: readonly DriftChange[] = [
  change('/size', 10, 20),
  change('/login', {}, { token: 'canary' }),
  change('/users/0/key', 'canary', 'other canary'),
  { path: '/note', declared: null, actual: null, omitted: true },
];
const drift: Drift = {
  ...{ since: '2026-01-01T00:00:00.000Z', kind: 'changed', changes },
  ...{ total: 4, compared: 9, unknown: 0 },
};
const config = { size: 10, login: {}, users: [{ key: 'canary' }], note: 'x' };
const secrets = { ...nothingRecorded, appliedConfig: config };
const record = { ...resourceRecord(readyResource({ spec: { config } })), drift, secrets };
const omitted = (path: string) => ({ path, declared: null, actual: null, omitted: true });

/** For a viewer, with the schema of now. */
function seenBy(schema: JsonObject) {
  return presentDrift(record, masking(schema));
}

function masking(schema: JsonObject): Masking {
  const schemas = typeSchemas({ schema });
  return { mask: (given) => withoutSecrets(given, schemas), schemasOf: () => schemas };
}

it('is shown as it is stored to those who see secrets', () => {
  const shown = presentDrift(record, undefined);
  expect(shown).toMatchObject({ kind: 'changed', total: 4, compared: 9 });
  expect(shown?.changes).toEqual([
    { path: '/size', declared: 10, actual: 20 },
    { path: '/login', declared: {}, actual: { token: 'canary' } },
    { path: '/users/0/key', declared: 'canary', actual: 'other canary' },
    omitted('/note'),
  ]);
});

it('lacks the values that were marked since, also where only the object has them', () => {
  const token = { properties: { token: { writeOnly: true } } };
  const users = { items: { properties: { key: { sensitive: true } } } };
  const shown = seenBy({ properties: { size: {}, login: token, users } });
  expect(shown?.changes).toEqual([
    { path: '/size', declared: 10, actual: 20 },
    omitted('/login'),
    omitted('/users/0/key'),
    omitted('/note'),
  ]);
  const whole = seenBy({ properties: { size: {}, login: {}, users: { writeOnly: true } } });
  expect(whole?.changes.map((each) => each.omitted ?? false)).toEqual([false, false, true, true]);
});

it('[I7] reads of a large config what changed, and nothing beside it', () => {
  const reads = { count: 0 };
  const large = counted({ ...config, ...members(() => 1) }, reads);
  const fifty = Object.keys(members(() => 1)).slice(0, maxChanges);
  const shown = presentDrift(
    {
      ...{ ...record, config: large, outputs: large },
      drift: { ...drift, changes: fifty.map((name) => change(`/${name}`, 1, 2)) },
    },
    masking({ properties: { login: { writeOnly: true } } }),
  );
  expect(shown?.changes).toHaveLength(maxChanges);
  expect(reads.count).toBeLessThan(10 * maxChanges);
});

it('lacks a secret of an item that the list has no more', () => {
  const users = { items: { properties: { key: { sensitive: true } } } };
  const changes = [change('/users/7/key', 'canary', 'other canary')];
  const shown = presentDrift(
    { ...record, drift: { ...drift, changes } },
    masking({ properties: { users } }),
  );
  expect(shown?.changes).toEqual([omitted('/users/7/key')]);
});
