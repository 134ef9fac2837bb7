import { expect, it } from 'vitest';
import type { ClaimedEvent } from '../../../../../src/crds/claimed-event.ts';
import type { ResourceStatus } from '../../../../../src/crds/resource.ts';
import type { Resolution } from '../../../../../src/domain/references/references.ts';
import { deliveredContent } from '../../../../../src/reconcilers/resource/delivery/delivered-content.ts';
import { aClaim, aResource, observing } from '../../../../support/fixtures/builders.ts';

const config = { name: 'orders', url: 'resolved' };
const appliedConfig = { name: 'before' };
const resolved = { config, hash: 'abc', unresolved: [] };
const plain = { config, hash: undefined, unresolved: [] };

interface Row {
  readonly reason: string;
  readonly event: Partial<ClaimedEvent>;
  readonly status?: Partial<ResourceStatus>;
  readonly resolution?: Resolution;
  readonly changedImmutables?: readonly (readonly string[])[];
  readonly want: object;
}

it.each<Row>([
  {
    reason: 'a first event has nothing before it',
    event: { type: 'CREATE', typeVersion: 2 },
    want: { config, schemaVersion: 2, previousConfig: null, previousSchemaVersion: null },
  },
  {
    reason: 'each value has the version of its own time',
    event: { type: 'UPDATE', typeVersion: 3 },
    status: { appliedConfig, appliedTypeVersion: 2, outputsTypeVersion: 3, outputs: { id: 1 } },
    want: {
      config,
      schemaVersion: 3,
      previousConfig: appliedConfig,
      previousSchemaVersion: 2,
      outputs: { id: 1 },
      outputsSchemaVersion: 3,
    },
  },
  {
    reason: 'what was stored before types had versions has version 1',
    event: { type: 'UPDATE' },
    status: { appliedConfig },
    want: { schemaVersion: 1, previousSchemaVersion: 1, outputsSchemaVersion: 1 },
  },
  {
    reason: 'a deletion with references sends what the object was made from, in its version',
    event: { type: 'DELETE', typeVersion: 3 },
    status: { appliedConfig, appliedTypeVersion: 2 },
    resolution: resolved,
    want: { config: appliedConfig, schemaVersion: 2 },
  },
  {
    reason: 'a deletion without references sends the present config',
    event: { type: 'DELETE', typeVersion: 3 },
    status: { appliedConfig, appliedTypeVersion: 2 },
    want: { config, schemaVersion: 3, previousConfig: appliedConfig, previousSchemaVersion: 2 },
  },
  {
    reason: 'a deletion before the first success has only the config with its references',
    event: { type: 'DELETE', typeVersion: 3 },
    resolution: resolved,
    want: { config: { name: 'orders' }, schemaVersion: 3, previousConfig: null },
  },
  {
    reason: 'the DELETE of a replacement sends what the old object was made from, and its outputs',
    event: { type: 'DELETE', typeVersion: 3, replacement: 1 },
    status: { appliedConfig, appliedTypeVersion: 2, outputs: { id: 1 } },
    want: {
      config: appliedConfig,
      schemaVersion: 2,
      previousConfig: appliedConfig,
      outputs: { id: 1 },
    },
  },
  {
    reason: 'the CREATE of a replacement sends the new config, and nothing of the old object',
    event: { type: 'CREATE', typeVersion: 3, replacement: 1 },
    resolution: resolved,
    want: {
      config,
      schemaVersion: 3,
      previousConfig: null,
      previousSchemaVersion: null,
      outputs: {},
    },
  },
  {
    reason: 'a deletion sends no immutable field that was never made',
    event: { type: 'DELETE', typeVersion: 3 },
    status: { appliedConfig, appliedTypeVersion: 2 },
    changedImmutables: [['name']],
    want: { config: appliedConfig, schemaVersion: 2 },
  },
])('$reason', ({ event, status = {}, resolution = plain, changedImmutables = [], want }) => {
  const resource = aResource({ status });
  const observed = observing(resource, { resolution, changedImmutables });
  expect(deliveredContent(aClaim(event), observed)).toMatchObject(want);
});

it('names the places that are recorded as secret, and those that the config of this event receives', () => {
  const status = {
    appliedConfig,
    appliedSecrets: ['/password'],
    receivedSecrets: ['/url'],
    outputsSecrets: ['/token'],
  };
  const received = { places: ['/key'], texts: ['the-key'] };
  const observed = observing(aResource({ status }), { resolution: resolved, received });
  const { secrets = [] } = deliveredContent(aClaim({ type: 'UPDATE' }), observed);
  expect(secrets.toSorted()).toEqual([
    '/config/key',
    '/config/password',
    '/config/url',
    '/outputs/password',
    '/outputs/token',
    '/outputs/url',
    '/previous_config/password',
    '/previous_config/url',
  ]);
  const bare = observing(aResource({}), { resolution: plain });
  expect(deliveredContent(aClaim({ type: 'CREATE' }), bare).secrets).toEqual([]);
});
