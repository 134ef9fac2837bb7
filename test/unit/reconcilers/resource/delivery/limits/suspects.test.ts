// Events that may end their process are delivered one at a time.
import { expect, it } from 'vitest';
import { createSuspectLimit } from '../../../../../../src/reconcilers/resource/delivery/limits/suspects.ts';
import { aDelivery } from '../../../../../support/fixtures/a-delivery.ts';

function suspects() {
  const freed: string[] = [];
  const limit = createSuspectLimit({ onFree: (key) => freed.push(key) });
  const suspect = (provider: string, key: string) => ({
    ...aDelivery(provider, key),
    isSuspect: true,
  });
  return { freed, limit, suspect };
}

it('enter one after the other for each provider, and others pass', () => {
  const { freed, limit, suspect } = suspects();
  const enter = (provider: string, key: string) => limit.enter(suspect(provider, key)).enter;
  expect([enter('a/x', '1'), enter('a/x', '2'), enter('a/x', '3'), enter('a/y', '4')]).toEqual([
    ...['go', 'queued', 'queued', 'go'],
  ]);
  expect(limit.enter(aDelivery('a/x', '5')).enter).toBe('free');
  expect(limit.enter({ ...suspect('a/x', '6'), isForced: true }).enter).toBe('free');
  expect([limit.waiting('a/x'), limit.waiting('a/y'), limit.waiting('a/z')]).toEqual([2, 0, 0]);
  limit.leave(suspect('a/x', '1'), 'answered');
  expect(freed).toEqual(['2', '3']);
  expect([enter('a/x', '2'), enter('a/x', '3'), limit.waiting('a/x')]).toEqual(['go', 'queued', 1]);
});

it('leave the line when their event has ended', () => {
  const { freed, limit, suspect } = suspects();
  for (const key of ['1', '2', '3']) limit.enter(suspect('a/x', key));
  limit.forget(suspect('a/x', '2'));
  limit.leave(suspect('a/x', '1'), 'nothing');
  expect(freed).toEqual(['3']);
});
