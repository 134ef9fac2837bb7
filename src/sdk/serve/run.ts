// Passes a verified event to its handler and returns the answer. No error of a handler escapes.
import type { CancelsBody, EventBody } from '../../domain/event.ts';
import { type AnyObject, type Call, type HandlerLog, ownerOf } from '../call.ts';
import { identityOf } from '../identity.ts';
import { type EventValues, eventValues } from '../migrations/event-values.ts';
import { adoptedObject, observedBody } from '../observation/reply.ts';
import { isLater, TerminalFailure } from '../outcome.ts';
import { type ProgressReceiver, reporterTo, withProgress } from '../progress.ts';
import type { Provider, ResourceType } from '../provider.ts';
import { failure, type Reply, replyFrom } from './reply.ts';
import { thrownReply, warnOfWait } from './thrown-reply.ts';

/** The values that a handler receives besides the event. */
interface ServeSurroundings {
  readonly signal: AbortSignal;
  readonly log: HandlerLog;
  /** Users read errors: places in them are shown relative to it. */
  readonly codeFolder?: string;
  /** Parsed; an empty object when absent. */
  readonly settings?: AnyObject;
  /** The result of `start` of the provider. */
  readonly started?: AnyObject;
  /** null when absent. */
  readonly traceparent?: string | undefined;
  /** Receives the values of the handler, which may have other secrets than those of the event; the handler waits for it. */
  readonly onValues?: (values: EventValues) => Promise<void>;
  /** Receives what the handler reports; when absent, a mistake is an error. */
  readonly progress?: ProgressReceiver;
}

/** @returns the response of the protocol; never throws */
export async function runEvent(
  provider: Provider,
  event: EventBody,
  surroundings: ServeSurroundings,
): Promise<Reply> {
  const type = provider.types.get(event.resource);
  if (type === undefined) {
    return failure(422, 'unknown_type', `This provider has no type ${event.resource}`);
  }
  try {
    const values = eventValues(type, event);
    await surroundings.onValues?.(values);
    const identified = type.identity && {
      identity: identityOf(type.identity, event, values.outputs),
    };
    const call = { ...callFrom(values.config, event, surroundings), ...identified };
    const returned = await handle(type, { event, call, values });
    return replyTo(type, { event, returned, surroundings });
  } catch (thrown) {
    const isObservation = event.event_type === 'OBSERVE';
    const logged = isObservation ? 'Nothing was observed' : 'A handler failed; Fairlead will retry';
    return thrownReply(thrown, surroundings, logged);
  }
}

interface ReturnedValue {
  readonly event: EventBody;
  readonly returned: unknown;
  readonly surroundings: ServeSurroundings;
}

function replyTo(type: ResourceType, { event, returned, surroundings }: ReturnedValue): Reply {
  if (event.event_type === 'OBSERVE') {
    return { status: 200, body: observedBody(type, event, returned) };
  }
  if (isLater(returned)) warnOfWait(surroundings.log, returned.seconds);
  return replyFrom(type, event, withProgress(returned, surroundings.progress));
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
    case 'OBSERVE': {
      if (type.observe === undefined) {
        const message = `Type ${type.name} has no handler \`observe\``;
        throw new TerminalFailure('not_observable', message);
      }
      return type.observe({ ...call, outputs, adopt: adoptedObject(type, event) });
    }
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
  { progress, signal, log, settings = {}, started = {}, traceparent }: ServeSurroundings,
): Call<AnyObject> {
  const { organization_id: organization, project_id: project, resource, name } = event;
  const named = { organization, project, resource, name };
  return {
    ...started,
    config,
    settings,
    key: event.event_id,
    signal,
    log,
    ...named,
    owner: ownerOf(named),
    attempt: event.attempt,
    sequence: event.sequence,
    context: event.context,
    traceparent: traceparent ?? null,
    progress: reporterTo(progress),
  };
}
