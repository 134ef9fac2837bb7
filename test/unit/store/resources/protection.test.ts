// The refusals of what would delete or replace protected resources.
import { expect, it } from 'vitest';
import {
  requireUnprotected,
  resourceProtected,
} from '../../../../src/store/resources/protection.ts';

const named = (count: number, isProtected = true) =>
  Array.from({ length: count }, (_, at) => ({
    ...{ provider: 'box', resource: 'crate', name: `${isProtected ? 'kept' : 'other'}-${at}` },
    protected: isProtected,
  }));
const names = (count: number) => Array.from({ length: count }, (_, at) => `box/crate/kept-${at}`);

it('the refusal of one names it, and how the protection is lifted', () => {
  const [one] = named(1);
  expect(resourceProtected(one as never, 'deleted')).toMatchObject({
    code: 'resource_protected',
    message:
      'Resource box/crate/kept-0 is protected and cannot be deleted; apply it with protected: false first',
    context: { resources: ['box/crate/kept-0'], resource_count: 1 },
  });
});

it('resources without protection are not refused', () => {
  expect(() => requireUnprotected([])).not.toThrow();
  expect(() => requireUnprotected(named(30, false))).not.toThrow();
});

it.each([
  [1, '1 resource is', '', 'it'],
  [20, '20 resources are', '', 'them'],
  [21, '21 resources are', ', …', 'them'],
])('the refusal of %i names at most 20 and counts all', (count, what, more, them) => {
  const shown = names(Math.min(count, 20));
  expect(() => requireUnprotected([...named(3, false), ...named(count)])).toThrow(
    expect.objectContaining({
      code: 'resource_protected',
      message: `${what} protected: ${shown.join(', ')}${more}; apply ${them} with protected: false first`,
      context: { resources: shown, resource_count: count },
    }),
  );
});
