// Headers between Fairlead and the pods that it runs about events that may end a process: such an event runs in a process of its own, the
// time in which an event waits for that, or its process is blocked, does not count, and ends that no answer shows are counted. Pure.

/** On a delivery, `?1`: its event may end the process. RFC 9651, a boolean. */
export const quarantineHeader = 'fairlead-quarantine';

/** On an interim response (102): milliseconds of this delivery that do not count, all in all. RFC 9651, an integer. */
export const waitedHeader = 'fairlead-waited';

/** On an answer: how many processes of the pod have ended without an event to blame. RFC 9651, an integer. */
export const unblamedEndsHeader = 'fairlead-unblamed-ends';

/** @param field of an answer @returns their number; 0 for what is no number */
export function unblamedEndsIn(field: string | readonly string[] | undefined): number {
  return typeof field === 'string' && /^\d{1,9}$/.test(field) ? Number(field) : 0;
}

/** However long events before it take. */
const maxWaitedMs = 3_600_000;

/** @param field of an interim response @returns milliseconds by which a delivery may take longer; 0 for what is no number */
export function waitedIn(field: string | readonly string[] | undefined): number {
  const text = typeof field === 'string' ? field : '';
  return /^\d{1,15}$/.test(text) ? Math.min(Number(text), maxWaitedMs) : 0;
}
