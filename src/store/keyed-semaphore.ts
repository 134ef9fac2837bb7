// Turns of organizations at what takes much memory: a few at a time of each, and the rest of them after one another.

export interface KeyedSemaphore {
  /** @throws what the work throws */
  take<T>(organization: string, work: () => Promise<T>): Promise<T>;
}

interface Row {
  busy: number;
  readonly waiting: (() => void)[];
}

/** @param width how many of one organization are under way at a time */
export function createKeyedSemaphore(width: number): KeyedSemaphore {
  const rows = new Map<string, Row>();

  function leave(organization: string, row: Row): void {
    const next = row.waiting.shift();
    if (next !== undefined) {
      next();
      return;
    }
    row.busy -= 1;
    if (row.busy === 0) rows.delete(organization);
  }

  return {
    async take(organization, work) {
      const row = rows.get(organization) ?? { busy: 0, waiting: [] };
      rows.set(organization, row);
      if (row.busy < width) row.busy += 1;
      else await new Promise<void>((begin) => row.waiting.push(begin));
      try {
        return await work();
      } finally {
        leave(organization, row);
      }
    },
  };
}
