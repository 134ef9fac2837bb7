// Limits the bytes of requests and responses that this process holds in memory, per organization. An organization may hold
// as many bytes as it leaves free: one alone gets half, two get a third each, so neither one nor two lock out others.
import { FairleadError } from '../../domain/errors.ts';

export interface ByteLimit {
  /** @returns the reservation of one request; leave it when its response is closed */
  enter(organization: string): ByteReservation;
}

export interface ByteReservation {
  /** @throws FairleadError `too_many_requests` when the bytes exceed the share of the organization */
  hold(bytes: number): void;
  /** Counts bytes that are already in memory, even above the limit. */
  count(bytes: number): void;
  /** Releases everything. */
  leave(): void;
}

const retryAfterSeconds = 1;

export function createByteLimit(totalBytes: number): ByteLimit {
  const heldBy = new Map<string, number>();
  let held = 0;

  function change(organization: string, bytes: number): void {
    const left = (heldBy.get(organization) ?? 0) + bytes;
    if (left === 0) heldBy.delete(organization);
    else heldBy.set(organization, left);
    held += bytes;
  }

  return {
    enter(organization) {
      let own = 0;
      const count = (bytes: number) => {
        change(organization, bytes);
        own += bytes;
      };
      return {
        hold(bytes) {
          if ((heldBy.get(organization) ?? 0) + bytes > totalBytes - held - bytes) throw full();
          count(bytes);
        },
        count,
        leave() {
          change(organization, -own);
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
