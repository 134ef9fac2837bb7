// Paths to the deepest cause: where they end, and which resources share one.
import { expect, it } from 'vitest';
import { groupsOf } from '../../../../../src/store/resources/explanation/groups.ts';
import { maxSteps } from '../../../../../src/store/resources/explanation/path.ts';
import { failedSeller, finder, named, uses } from '../../../../support/explained-resources.ts';

const shop = named('shop', { state: 'pending', reason: 'DependencyFailed', spec: uses('seller') });
const waiting = (name: string, on: string) =>
  named(name, { state: 'pending', reason: 'DependenciesNotReady', spec: uses(on) });

it('ends at a cycle', () => {
  const [one, two] = [waiting('one', 'two'), waiting('two', 'one')];
  const path = finder(one, two)(one);
  expect(path.map(({ resource }) => resource.spec.name)).toEqual(['one', 'two']);
});

it('ends after a bounded number of steps', () => {
  const all = Array.from({ length: 100 }, (_, at) => waiting(`r${at}`, `r${at + 1}`));
  const [first = shop, ...others] = all;
  expect(finder(first, ...others)(first)).toHaveLength(maxSteps);
});

it('groups resources by their deepest cause, the largest group first', async () => {
  const other = named('buyer', {
    state: 'failed',
    reason: 'AttemptsExhausted',
    message: 'connect ECONNREFUSED',
  });
  const lost = named('lost', { state: 'pending', reason: 'DependencyMissing', spec: uses('x') });
  const all = [lost, shop, failedSeller, other];
  const groups = await groupsOf(all, finder(...all));
  expect(groups.map(({ count, names }) => ({ count, names }))).toEqual([
    {
      count: 3,
      names: ['postgres/database/shop', 'postgres/database/seller', 'postgres/database/buyer'],
    },
    { count: 1, names: ['postgres/database/lost'] },
  ]);
});
