// Limits the open requests of one process to providers: a provider that never answers holds up nobody else, and neither do the
// providers of several organizations.
import { FairleadError } from '../../domain/errors.ts';
import type { AskedType } from '../../domain/event.ts';
import { createFairShares } from '../../lib/fair-shares.ts';

const openOfOne = 8;
/** With answers of at most 512 KiB each. */
const openOfAll = 128;
/** The slots that only CHECK may have: it guards a write, and the other requests only read, which can happen a little later. */
const openOfChecks = 16;

export interface ProviderTurns {
  /**
   * @returns undefined when others have all turns, and the request is one that nobody has to wait for
   * @throws FairleadError `too_many_requests`
   */
  take(organization: string, type: AskedType): Disposable | undefined;
}

export function createProviderTurns(): ProviderTurns {
  const shares = createFairShares(openOfAll);
  return {
    take(organization, type) {
      const own = shares.heldBy(organization);
      const reserved = type === 'CHECK' ? 0 : openOfChecks;
      if (own >= openOfOne || !shares.take(organization, 1, reserved)) {
        // An organization without an open request cannot make room. Settings are checked again when the pods start.
        if (own === 0 && type === 'CHECK') return undefined;
        throw tooMany(own);
      }
      return { [Symbol.dispose]: () => shares.count(organization, -1) };
    },
  };
}

function tooMany(own: number): FairleadError {
  const message =
    own === 0
      ? 'Providers work on as many requests as this process may have open; try again'
      : `Providers work on ${own} requests of the organization already; try again`;
  return new FairleadError('too_many_requests', message, { retryAfter: 1 });
}
