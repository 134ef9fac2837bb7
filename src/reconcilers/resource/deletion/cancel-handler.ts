// A deletion ends the handler of a delivery in flight, if its type permits that. The delivery goes on until its own answer.
import { cancelId } from '../../../domain/event.ts';
import type { Answer, OutgoingEvent } from '../../../events/protocol.ts';
import { backgroundTimers, pause, type Timers } from '../../../kube/timers.ts';
import type { Observed } from '../observe.ts';

/** Returns whether the deletion of a resource ends the handler of its event. */
export function isHandlerCancellable({
  resource: { status },
  cancellable = false,
  cancelsOperations = false,
}: Observed): boolean {
  const event = status?.event;
  if (!cancellable || event === undefined || event.type === 'DELETE') return false;
  // The event of an import only reads, and ends by itself.
  if (event.type === 'OBSERVE') return false;
  if (event.cancellation !== undefined) return false;
  // An operation that is not cancelled is polled to its end: an aborted poll would only be repeated.
  return event.acceptedAt === undefined || cancelsOperations;
}

/** @returns the CANCEL of an event, for the same delivery */
export function cancelOf({ id, type, ...event }: OutgoingEvent, operation: boolean): OutgoingEvent {
  if (type !== 'CREATE' && type !== 'UPDATE') throw new TypeError(`A ${type} is not cancelled`);
  const cancels = { event_id: id, event_type: type, operation };
  return { ...event, id: cancelId(id), type: 'CANCEL', cancels };
}

/** Time between two requests to end a handler. It may be about to begin, or run in another process behind the same address. */
const againMs = 2_000;

interface CancelRequest {
  /** Aborted when the resource is deleted. */
  readonly deletion: AbortSignal;
  /** Aborted when the delivery has ended. */
  readonly ended: AbortSignal;
  /** Sends the CANCEL. */
  readonly ask: () => Promise<Answer>;
  readonly timers?: Timers;
}

/** Asks once the resource is deleted, and again until the provider has taken it or the delivery has ended. */
export function endHandler({
  deletion,
  ended,
  ask,
  timers = backgroundTimers,
}: CancelRequest): void {
  async function insist(): Promise<void> {
    if (ended.aborted) return;
    const answer = await ask();
    if (answer.kind !== 'failed') return;
    await pause(timers, againMs, ended);
    await insist();
  }
  // A process that leads no more sends nothing; the delivery ends as well then.
  const begin = () => void insist().catch(() => undefined);
  if (deletion.aborted) begin();
  else deletion.addEventListener('abort', begin, { once: true });
}
