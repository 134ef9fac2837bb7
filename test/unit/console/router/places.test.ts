import { expect, it } from 'vitest';
import { placeFor } from '../../../../src/console/router/places.ts';
import texts from '../../../../src/console/text/en.json' with { type: 'json' };
import { actions } from '../../../../src/domain/explanation.ts';

const [resource, provider, why] = ['postgres/database/orders', 'postgres', ''];
const ofResource = { page: 'resource', path: ['postgres', 'database', 'orders'] };

it.each([
  ['correct', ofResource],
  ['apply_actual', ofResource],
  ['observe', ofResource],
  ['release_corrections', { page: 'providers', path: ['postgres'] }],
] as const)('%s is taken at its page', (step, place) => {
  expect(placeFor({ do: step, why, resource, provider })).toMatchObject(place);
  expect(placeFor({ do: step, why })).toBeUndefined();
});

it.each(actions)('%s leads to a place that has a title, if to any', (step) => {
  const { page, query } =
    placeFor({ do: step, why, resource, provider, cause: 'c', event_id: 'e', job_name: 'j' }) ?? {};
  if (page === undefined) return;
  expect(texts).toHaveProperty([`resource.step.${query?.['show'] ?? page}`]);
});
