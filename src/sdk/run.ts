// Passes a verified event to its handler and returns the answer. No error of a handler escapes.
import { maxAskedSeconds } from '../domain/delivery-options.ts';
import { type CancelsBody, type EventBody, plainCode } from '../domain/event.ts';
import type { AnyObject, Call, HandlerLog } from './call.ts';
import { isDeleted } from './cancelled.ts';
import { withoutFolder } from './crash/describe.ts';
import { ProcessExit } from './crash/process-exit.ts';
import { thrownText } from './failure-text.ts';
import { type EventValues, eventValues } from './migrations/event-values.ts';
import { isLater, isTemporaryFailure, isTerminalFailure, TerminalFailure } from './outcome.ts';
import { type ProgressReceiver, reporterTo, withProgress } from './progress.ts';
import type { Provider, ResourceType } from './provider.ts';
import { crashed, failure, type Reply, replyFrom, waitReply } from './reply.ts';

/** What a handler receives besides the event. */
interface Surroundings {
  readonly signal: AbortSignal;
  readonly log: HandlerLog;
  /** Users read errors: places in them are shown relative to it. */
  readonly codeFolder?: string;
  /** Parsed; an empty object when absent. */
  readonly settings?: AnyObject;
  /** What `start` of the provider returned. */
  readonly started?: AnyObject;
  /** null when absent. */
  readonly traceparent?: string | undefined;
  /** Of what the handler reports; when absent, a mistake is an error. */
  readonly progress?: ProgressReceiver;
}

/** @returns the response of the protocol; never throws */
export async function runEvent(
  provider: Provider,
  event: EventBody,
  surroundings: Surroundings,
): Promise<Reply> {
  const { log, codeFolder } = surroundings;
  const shown = (text: string) => (codeFolder ? withoutFolder(text, codeFolder) : text);
  const type = provider.types.get(event.resource);
  if (type === undefined) {
    return failure(422, 'unknown_type', `This provider has no type ${event.resource}`);
  }
  try {
    const values = eventValues(type, event);
    const call = callFrom(values.config, event, surroundings);
    const returned = await handle(type, { event, call, values });
    if (isLater(returned)) warnOfWait(log, returned.seconds);
    return replyFrom(type, event, withProgress(returned, surroundings.progress));
  } catch (thrown) {
    if (isTerminalFailure(thrown)) {
      warnOfCode(log, thrown.code);
      return failure(422, thrown.code, shown(thrown.message));
    }
    if (isTemporaryFailure(thrown)) {
      warnOfCode(log, thrown.code);
      warnOfWait(log, thrown.seconds);
      return waitReply(thrown, shown(thrown.message));
    }
    // The event is answered, and the end of the process is in the log.
    if (thrown instanceof ProcessExit) return crashed(thrown.message);
    if (isDeleted(surroundings.signal)) return failure(500, 'cancelled', shown(thrownText(thrown)));
    note(log, thrown);
    return failure(500, 'handler_error', shown(thrownText(thrown)));
  }
}

function note(log: HandlerLog, thrown: unknown): void {
  quietly(() => log.error('A handler failed; Fairlead will retry', { error: thrown }));
}

function warnOfCode(log: HandlerLog, code: string): void {
  const sent = plainCode(code);
  if (sent === code) return;
  const rule = 'A code has only letters, digits, "_", "-" and "."';
  quietly(() => log.warn(`${rule}: "${code}" is recorded as "${sent}"`));
}

function warnOfWait(log: HandlerLog, seconds: number): void {
  if (seconds <= maxAskedSeconds) return;
  const cut = `A handler asks to wait for ${seconds} s, and Fairlead waits for an hour at most`;
  quietly(() => log.warn(`${cut}; it calls the handler then`));
}

/** A failing log of the provider must not prevent the answer. */
function quietly(write: () => void): void {
  try {
    write();
  } catch {}
}

interface Handled {
  readonly event: EventBody;
  readonly call: Call<AnyObject>;
  readonly values: EventValues;
}

function handle(type: ResourceType, { event, call, values }: Handled): unknown {
  const { config, previousConfig, outputs } = values;
  switch (event.event_type) {
    case 'CREATE':
      return type.create(call);
    case 'UPDATE':
      return type.update({ ...call, previousConfig: previousConfig ?? config, outputs });
    case 'DELETE':
      return type.delete({ ...call, previousConfig, outputs });
    case 'OBSERVE':
      throw new TerminalFailure('not_observable', `Type ${type.name} has no handler \`observe\``);
    case 'CANCEL': {
      const { event_id: operationKey } = requiredCancels(event);
      if (type.cancel === undefined) {
        const message = `Type ${type.name} has no handler \`cancel\``;
        throw new TerminalFailure('not_cancellable', message);
      }
      return type.cancel({ ...call, operationKey, previousConfig, outputs });
    }
  }
}

/** @throws TerminalFailure for an event that Fairlead does not send */
function requiredCancels({ cancels }: EventBody): CancelsBody {
  if (cancels !== undefined) return cancels;
  throw new TerminalFailure('not_an_event', 'A CANCEL must have the member cancels');
}

function callFrom(
  config: AnyObject,
  event: EventBody,
  { progress, signal, log, settings = {}, started = {}, traceparent }: Surroundings,
): Call<AnyObject> {
  return {
    ...started,
    config,
    settings,
    key: event.event_id,
    signal,
    log,
    organization: event.organization_id,
    project: event.project_id,
    resource: event.resource,
    name: event.name,
    attempt: event.attempt,
    sequence: event.sequence,
    context: event.context,
    traceparent: traceparent ?? null,
    progress: reporterTo(progress),
  };
}
