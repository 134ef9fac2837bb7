// The limit of open requests to providers: organizations whose providers never answer.
import { expect, it } from 'vitest';
import { createProviderTurns } from '../../../../src/app/provider-requests/index.ts';
import type { AskedType } from '../../../../src/domain/event.ts';

const refused = expect.objectContaining({ code: 'too_many_requests', retryAfter: 1 });

/** Takes what it gets, of requests that are never answered. @returns how many */
function takeAll(
  turns: ReturnType<typeof createProviderTurns>,
  organization: string,
  type: AskedType,
) {
  for (let taken = 0; ; taken += 1) {
    try {
      if (turns.take(organization, type) === undefined) return taken;
    } catch {
      return taken;
    }
  }
}

it('[I7] leaves turns for others, whatever many organizations list', () => {
  const turns = createProviderTurns();
  const taken = Array.from({ length: 8 }, (_, each) => takeAll(turns, `slow-${each}`, 'LIST'));
  expect(taken).toEqual([8, 8, 8, 8, 8, 8, 8, 8]);
  expect(takeAll(turns, 'ninth', 'LIST')).toBe(8);
  const more = Array.from({ length: 8 }, (_, each) => takeAll(turns, `more-${each}`, 'OBSERVE'));
  expect(more, 'less and less').toEqual([8, 8, 8, 8, 4, 2, 1, 0]);
  expect(() => turns.take('other', 'LIST')).toThrow(refused);
  expect(takeAll(turns, 'other', 'CHECK'), 'CHECK guards a write').toBe(8);
});

it('[I7] keeps nobody from a write that only others hold up', () => {
  const turns = createProviderTurns();
  for (let each = 0; each < 30; each += 1) takeAll(turns, `slow-${each}`, 'CHECK');
  expect(turns.take('other', 'CHECK')).toBeUndefined();
  expect(() => turns.take('other', 'MIGRATE')).toThrow(refused);
  expect(() => turns.take('slow-0', 'CHECK'), 'it has eight').toThrow(refused);
});

it('[I7] keeps nobody from an apply: without a turn, its rules are not asked', () => {
  const turns = createProviderTurns();
  expect(takeAll(turns, 'acme', 'PLAN')).toBe(8);
  expect(turns.take('acme', 'PLAN')).toBeUndefined();
});

it('gives a turn back', () => {
  const turns = createProviderTurns();
  const taken = Array.from({ length: 8 }, () => turns.take('acme', 'LIST'));
  expect(() => turns.take('acme', 'CHECK')).toThrow(refused);
  taken[0]?.[Symbol.dispose]();
  expect(() => turns.take('acme', 'CHECK')).not.toThrow();
});
