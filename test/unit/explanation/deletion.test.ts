// Resources whose deletion is under way, or has failed.
import { expect, it } from 'vitest';
import { aClaim } from '../../support/fixtures/builders.ts';
import { named, since } from '../../support/fixtures/explanation/explained-resources.ts';
import { explained, unserved } from '../../support/fixtures/explanation/explanations.ts';

const metadata = { deletionTimestamp: since };
const waiting = named('shop', { state: 'deleting', reason: 'WaitingForProvider', metadata });
const failed = named('shop', {
  ...{ state: 'deleting', reason: 'DeleteFailed', metadata },
  ...{ error: 'locked: The thing is locked', event: aClaim({ type: 'DELETE' }) },
});

it.each([
  [
    explained([waiting], { delivery: unserved }),
    'postgres/database/shop is being deleted because provider postgres is not ready.',
  ],
  [
    explained([failed]),
    'postgres/database/shop is being deleted, which has failed because provider postgres refused its deletion.',
  ],
])('the summary says that it is one', ({ summary }, want) => {
  expect(summary).toBe(want);
});
