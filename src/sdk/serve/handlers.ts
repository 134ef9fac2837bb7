// Calls the handlers of a provider for verified events and requests: with the values of its life in this process, traced to their
// event, and with a record of what they print.
import { defaultTimeoutSeconds, type EventBody } from '../../domain/event.ts';
import { traceIdOf } from '../../lib/traceparent.ts';
import type { AnyObject, HandlerLog } from '../call.ts';
import type { Crashes } from '../crash/index.ts';
import { contextMask, type TellSecrets } from '../logs/context-mask.ts';
import { keepLines } from '../logs/kept-lines.ts';
import { maskedLog } from '../logs/log.ts';
import { maskedWork } from '../logs/printed.ts';
import { maskedProgress, warningOnce } from '../progress.ts';
import type { Provider } from '../provider.ts';
import { settingSecrets } from '../settings.ts';
import type { Lifetime } from './lifetime.ts';
import { judgeSettings } from './refused-settings.ts';
import { maskedReply, type Reply, type ReplyTo } from './reply.ts';
import { answerRequest, type RequestBody, requestMask } from './requests.ts';
import { runEvent } from './run.ts';
import type { HandlerCall } from './runs.ts';

export interface ReceivedDelivery {
  readonly event: EventBody;
  readonly traceparent: string | undefined;
}

interface Telling {
  /** Called before code of the author gets values with these secrets, which waits for it. */
  readonly tell?: TellSecrets | undefined;
}

export interface Handlers {
  /** @returns the answer of the protocol; rejects while the process ends */
  readonly event: (
    delivery: ReceivedDelivery,
    call: Pick<HandlerCall, 'signal' | 'report'> & Telling,
  ) => Promise<Reply>;
  /** @param call its signal is aborted when nobody waits for the answer */
  request(body: RequestBody, call: Pick<HandlerCall, 'signal'> & Telling): Promise<ReplyTo<object>>;
}

export interface HandlersOptions {
  /** The settings, as people gave them. */
  readonly given: AnyObject;
  readonly log: HandlerLog;
  /** Places in errors are shown relative to it. */
  readonly codeFolder: string;
  readonly lifetime: Lifetime;
  /** Aborted when the process stops. */
  readonly signal: AbortSignal;
  readonly run: Crashes['run'];
}

export function createHandlers(
  provider: Provider,
  { given, log, codeFolder, lifetime, signal: stopping, run }: HandlersOptions,
): Handlers {
  const { settings, started } = lifetime;
  const settingTexts = settingSecrets(provider, given);
  const judged = judgeSettings(provider, { given, log, codeFolder, lifetime, signal: stopping });
  return {
    event({ event, traceparent }, { signal, report: accept, tell }) {
      const mask = contextMask(provider, { settings: settingTexts, body: event });
      const kept = keepLines(ofEvent(log, event, traceparent), { mask, codeFolder });
      const tellAll = async () => await tell?.(mask.secrets());
      const handle = () =>
        runEvent(provider, event, {
          signal: AbortSignal.any([signal, stopping]),
          log: kept.log,
          codeFolder,
          settings,
          started,
          traceparent,
          async onValues(values) {
            mask.add(values);
            await tellAll();
          },
          progress: {
            accept: (progress) => accept(maskedProgress(progress, mask)),
            refuse: warningOnce((problem) => kept.log.warn(problem)),
          },
        });
      const subject = { resource: resourceName(event), log: kept.log, shown: mask.text };
      const answered = run(subject, () => kept.run(() => tellAll().then(handle)));
      const reply = answered.then((each) => judged(event, each)).then(kept.addTo);
      // Programs that the handler began may print its outputs later.
      return lifetime.before(reply.finally(tellAll));
    },
    request(body, { signal, tell }) {
      const signals = [stopping, signal, ...listLimit(provider, body)];
      const mask = requestMask(provider, body, settingTexts);
      const about = { given, settings, started, codeFolder };
      const shownLog = maskedLog(ofRequest(log, body), mask);
      const { text: shown } = mask;
      const call = { ...about, log: shownLog, signal: AbortSignal.any(signals), shown };
      const answer = async () => {
        await tell?.(mask.secrets());
        return await answerRequest(provider, body, call);
      };
      const subject = { resource: provider.name, log: shownLog, shown: mask.text };
      const reply = maskedWork(mask, () => run(subject, answer));
      return lifetime.before(reply.then((each) => maskedReply(each, mask)));
    },
  };
}

/** @returns how long a handler of a type may run, in milliseconds */
export function limitMs({ types }: Provider, resource: string): number {
  return 1_000 * (types.get(resource)?.timeoutSeconds ?? defaultTimeoutSeconds);
}

/** @returns a signal that is aborted when the handler of a request has run for as long as its type allows */
function listLimit(provider: Provider, request: RequestBody): readonly AbortSignal[] {
  if (request.event_type !== 'LIST') return [];
  return [AbortSignal.timeout(limitMs(provider, request.resource))];
}

function resourceName({ provider, resource, name }: EventBody): string {
  return `${provider}/${resource}/${name}`;
}

function ofEvent(log: HandlerLog, event: EventBody, traceparent: string | undefined): HandlerLog {
  const about = {
    event: event.event_id,
    organization: event.organization_id,
    resource: resourceName(event),
    attempt: event.attempt,
    sequence: event.sequence,
    ...(traceparent === undefined ? {} : { trace_id: traceIdOf(traceparent) }),
  };
  return withFields(log, about);
}

function ofRequest(log: HandlerLog, request: RequestBody): HandlerLog {
  if (request.event_type !== 'LIST' && request.event_type !== 'PLAN') return log;
  const { organization_id: organization, provider, resource } = request;
  return withFields(log, { organization, resource: `${provider}/${resource}` });
}

/** Logs are filtered by these fields: a handler cannot replace them. */
function withFields(log: HandlerLog, about: object): HandlerLog {
  const all = (fields: object | undefined) => ({ ...about, ...fields, ...about });
  return {
    debug: (message, fields) => log.debug(message, all(fields)),
    info: (message, fields) => log.info(message, all(fields)),
    warn: (message, fields) => log.warn(message, all(fields)),
    error: (message, fields) => log.error(message, all(fields)),
  };
}
