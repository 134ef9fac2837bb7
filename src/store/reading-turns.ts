// Turns of organizations at what takes much memory: one at a time of each, a few that wait, and the others come later.
import { ErrorCode, FairleadError } from '../domain/errors.ts';

export interface ReadingTurns {
  /** @throws FairleadError `unavailable` when too many wait already; what the work throws */
  take<T>(organization: string, work: () => Promise<T>): Promise<T>;
}

const mostWaiting = 16;

export function createReadingTurns(): ReadingTurns {
  /** Of each organization that reads: the last one in its row, and how many there are. */
  const rows = new Map<string, { last: Promise<unknown>; count: number }>();
  return {
    async take(organization, work) {
      const row = rows.get(organization) ?? { last: Promise.resolve(), count: 0 };
      if (row.count > mostWaiting) {
        const message = 'Too many lists of this organization are read at the same time';
        throw new FairleadError(ErrorCode.unavailable, message, { retryAfter: 1 });
      }
      rows.set(organization, row);
      row.count += 1;
      const done = row.last.then(work);
      row.last = done.catch(() => undefined);
      try {
        return await done;
      } finally {
        row.count -= 1;
        if (row.count === 0) rows.delete(organization);
      }
    },
  };
}
