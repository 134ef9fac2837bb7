// Counts the requests of each organization that stay open for long, such as streams of events, on this replica.

interface OpenRequests {
  /**
   * Counts a request until the signal is aborted.
   * @returns false when the organization has as many as it may; the request is not counted then
   */
  enter(organization: string, closed: AbortSignal): boolean;
}

export function createOpenRequests(limit: number): OpenRequests {
  const open = new Map<string, number>();
  return {
    enter(organization, closed) {
      const count = open.get(organization) ?? 0;
      if (count >= limit) return false;
      if (closed.aborted) return true;
      open.set(organization, count + 1);
      const leave = () => {
        const left = (open.get(organization) ?? 1) - 1;
        if (left === 0) open.delete(organization);
        else open.set(organization, left);
      };
      closed.addEventListener('abort', leave, { once: true });
      return true;
    },
  };
}
