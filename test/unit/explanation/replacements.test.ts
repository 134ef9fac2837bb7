// Explanations of a resource that is being replaced, and of one whose immutable field cannot change.
import { expect, it } from 'vitest';
import type { ClaimedEvent } from '../../../src/crds/claimed-event.ts';
import { aClaim } from '../../support/fixtures/builders.ts';
import { named } from '../../support/fixtures/explanation/explained-resources.ts';
import { explained, letter, unserved } from '../../support/fixtures/explanation/explanations.ts';

const shop = 'postgres/database/shop';
const half = (type: ClaimedEvent['type'], more: Partial<ClaimedEvent> = {}) => {
  const startedAt = '2026-01-01T00:01:14.000Z';
  return aClaim({ type, replacement: 1, startedAt, ...more });
};
const oldHalf = 'Replacement, deletion of the old object: ';
const replacing = (event: ClaimedEvent, more = {}) =>
  named('shop', { state: 'processing', reason: 'Replacing', event, ...more });
const refusal =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a reference
  'config.zone, which refers to ${net/network/main.outputs.zone} has another value than what exists, and cannot change. Restore the value, or request a replacement: apply with replace=true, or raise spec.replace';

const cases: Record<string, [ReturnType<typeof explained>, object]> = {
  'the deletion of the old object': [
    explained([replacing(half('DELETE'))]),
    {
      summary: `${shop} is processing: in its replacement the old object is deleted, attempt 1 of 5 has been running for 10 s; its limit is 30 s.`,
      reason: 'Replacing',
      event: { eventType: 'DELETE', attempt: 1 },
      next: [{ do: 'wait' }],
    },
  ],
  'the creation of the new object': [
    explained([replacing(half('CREATE', { attempt: 2 }), { error: 'x: no' })]),
    {
      summary: expect.stringContaining('the new object is created, attempt 2 of 5'),
      reason: 'Replacing',
      event: { eventType: 'CREATE', attempt: 2 },
    },
  ],
  'one without a provider between the two': [
    explained([replacing(half('CREATE'))], { delivery: unserved }),
    { chain: [{ kind: 'provider', ref: 'postgres' }, { ref: shop }] },
  ],
  'the deletion of the old object, which was refused': [
    explained(
      [
        named('shop', {
          state: 'failed',
          reason: 'ProviderFailed',
          error: 'busy: it has rows',
          message: `${oldHalf}busy: it has rows`,
          event: half('DELETE'),
        }),
      ],
      { deadLetter: letter },
    ),
    {
      summary: `${shop} has failed because provider postgres refused the deletion of what it replaces.`,
      event: { eventType: 'DELETE' },
      next: [
        { do: 'ask_administrator', why: expect.stringContaining('refuses the deletion') },
        { do: 'retry_dead_letters' },
      ],
    },
  ],
  'one whose replacement waits for the resources that use it': [
    explained([named('shop', { state: 'pending', reason: 'InUse', event: aClaim() })], {
      users: ['postgres/database/cart'],
    }),
    {
      summary: `${shop} is to be replaced, but one resource uses it.`,
      next: [{ do: 'delete_users', resource: shop }],
    },
  ],
  'a change of an immutable field': [
    explained([
      named('shop', {
        state: 'failed',
        reason: 'ImmutableField',
        error: refusal,
        event: aClaim({ id: 'evt-1' }),
      }),
    ]),
    {
      summary: `${shop} has failed: a field that cannot change has another value.`,
      chain: [{ kind: 'resource', ref: shop, reason: 'ImmutableField', message: refusal }],
      event: undefined,
      deadLetter: undefined,
      next: [
        { do: 'edit', resource: shop, why: 'Restore the value that what exists was created with' },
        { do: 'replace', resource: shop },
      ],
    },
  ],
};

it.each(Object.entries(cases))('explains %s', (_name, [explanation, want]) => {
  expect(explanation).toMatchObject(want);
});
