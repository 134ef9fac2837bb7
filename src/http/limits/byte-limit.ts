// Limits the bytes of requests and responses that this process holds in memory, per organization, by fair shares.
import { FairleadError } from '../../domain/errors.ts';
import { createFairShares } from '../../lib/fair-shares.ts';

export interface ByteLimit {
  /** @returns the reservation of one request; leave it when its response is closed */
  enter(organization: string): ByteReservation;
}

interface ByteReservation {
  /** @throws FairleadError `too_many_requests` when the bytes exceed the share of the organization */
  hold(bytes: number): void;
  /** Counts bytes that are already in memory, even above the limit. */
  count(bytes: number): void;
  /** Releases everything. */
  leave(): void;
}

const retryAfterSeconds = 1;

export function createByteLimit(totalBytes: number): ByteLimit {
  const shares = createFairShares(totalBytes);
  return {
    enter(organization) {
      let own = 0;
      return {
        hold(bytes) {
          if (!shares.take(organization, bytes)) throw full();
          own += bytes;
        },
        count(bytes) {
          shares.count(organization, bytes);
          own += bytes;
        },
        leave() {
          shares.count(organization, -own);
          own = 0;
        },
      };
    },
  };
}

function full(): FairleadError {
  return new FairleadError(
    'too_many_requests',
    'The organization has too many bytes in flight; send fewer at a time, and read the answers',
    { retryAfter: retryAfterSeconds },
  );
}
