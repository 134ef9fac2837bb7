import { expect, it } from 'vitest';
import { placeFor } from '../../../../src/console/router/places.ts';

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
