// Paths to the deepest cause: where they end, and which resources share one.
import { expect, it } from 'vitest';
import type { Resource } from '../../../src/crds/resource.ts';
import { maxSteps } from '../../../src/explanation/explanations.ts';
import { groupsOf } from '../../../src/explanation/groups.ts';
import { aClaim } from '../../support/fixtures/builders.ts';
import {
  failedSeller,
  finder,
  named,
  uses,
} from '../../support/fixtures/explanation/explained-resources.ts';

const shop = named('shop', { state: 'pending', reason: 'DependencyFailed', spec: uses('seller') });
const waiting = (name: string, on: string) =>
  named(name, { state: 'pending', reason: 'DependenciesNotReady', spec: uses(on) });

const grouping = (...all: readonly Resource[]) => ({
  pathOf: finder(...all),
  deliveryOf: () => ({ isServed: true, isRegistered: true, limitSeconds: 30, windowEnd: 0 }),
  maxAttempts: () => 5,
  now: new Date('2026-01-01T00:01:24.000Z'),
});

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
    error: 'handler_error: connect ECONNREFUSED',
    event: aClaim({ attempt: 5 }),
  });
  const lost = named('lost', { state: 'pending', reason: 'DependencyMissing', spec: uses('x') });
  const all = [lost, shop, failedSeller, other];
  const groups = await groupsOf(all, grouping(...all));
  expect(groups.map(({ count, names }) => ({ count, names }))).toEqual([
    {
      count: 3,
      names: ['postgres/database/shop', 'postgres/database/seller', 'postgres/database/buyer'],
    },
    { count: 1, names: ['postgres/database/lost'] },
  ]);
});

it('separates an event that ended the process from those that lost their connection with it', async () => {
  const failed = (name: string, error: string) =>
    named(name, {
      state: 'failed',
      reason: 'AttemptsExhausted',
      error,
      event: aClaim({ attempt: 5 }),
    });
  const lost = 'CONNECTION_LOST: The connection to the provider at https://10.0.0.1:8443 was lost';
  const all = [
    failed('crash', 'CRASHED: The process ended with code 1: Error: Boom (index.ts:15)'),
    failed('one', lost),
    failed('two', lost),
  ];
  const groups = await groupsOf(all, grouping(...all));
  expect(groups.map(({ names }) => names)).toEqual([
    ['postgres/database/one', 'postgres/database/two'],
    ['postgres/database/crash'],
  ]);
});
