// Sends one event, or another request, to one provider and always returns an answer: no behavior of a provider makes it throw.

import { isIP } from 'node:net';
import { defaultTimeoutSeconds, maxAnswerBytes } from '../domain/event.ts';
import {
  unblamedEndsHeader,
  unblamedEndsIn,
  waitedHeader,
  waitedIn,
} from '../domain/process-end/quarantine.ts';
import { progressHeader } from '../domain/progress/header.ts';
import type { ProviderReply } from '../domain/providers/provider-request.ts';
import {
  bytesOfBody,
  exchange,
  type IncomingHeaders,
  NoResponse,
} from '../http-client/exchange.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { turnToRead } from '../lib/turns.ts';
import {
  type AddressRules,
  ForbiddenAddress,
  mayReceive,
  plainHost,
  type ResolveAll,
  refusedHosts,
} from './addresses.ts';
import { interpret, type RawAnswer } from './answers.ts';
import { createConnections, type Proof } from './connections.ts';
import { retryable } from './failures.ts';
import { noAnswer } from './no-answer.ts';
import {
  type Answer,
  eventBody,
  eventHeaders,
  type Failure,
  type OutgoingEvent,
} from './protocol.ts';
import { type OutgoingRequest, replyIn, requestBody, requestHeaders } from './requests.ts';
import type { Signer } from './sign.ts';

export interface ProviderEndpoint extends Proof {
  readonly url: string;
  /** True for a pod of a tenant, which may have a cluster address. */
  readonly isPod?: (() => boolean) | undefined;
  /** Milliseconds for the whole delivery, while interim responses show that the handler runs; default `timeoutMs`. */
  readonly limitMs?: number | undefined;
  /** Called when the first interim response arrives. */
  readonly onAlive?: (() => void) | undefined;
  /** Called with the field of every interim response that reports progress; anything may be in it. */
  readonly onProgress?: ((field: string) => void) | undefined;
  /** Called with the number of processes of a pod that ended without an event to blame, if there are any. */
  readonly onUnblamedEnds?: ((count: number) => void) | undefined;
  /** @returns the code of a failure as others may see it: providers choose codes */
  readonly shownCode?: ((code: string) => string) | undefined;
}

export type Dispatch = (
  event: OutgoingEvent,
  endpoint: ProviderEndpoint,
  signal: AbortSignal,
) => Promise<Answer>;

/** Asks a provider something that is no event. */
type Ask = (
  request: OutgoingRequest,
  endpoint: ProviderEndpoint,
  signal: AbortSignal,
) => Promise<ProviderReply>;

export interface Dispatcher {
  readonly dispatch: Dispatch;
  readonly ask: Ask;
  close(): Promise<void>;
}

export interface DispatchOptions {
  readonly signer: Signer;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Milliseconds for one delivery, from connecting to the last byte of the response; with a longer limit, milliseconds without
   * an interim response. Default 30 s.
   */
  readonly timeoutMs?: number;
  /** True allows providers on this machine; default false. */
  readonly loopback?: boolean | undefined;
  /** Hosts that must not be providers, as in URLs: the API server. */
  readonly refused?: readonly string[];
  /** Cluster ranges: only pods of tenants may be in them, no other provider. */
  readonly clusterCidrs?: readonly string[];
  /** Resolves names of providers elsewhere; by default as this machine does. */
  readonly resolve?: ResolveAll;
  /** Authorities that sign the certificates of pods, as PEM; another array after a change. Default: none. */
  readonly authorities?: () => readonly string[];
}

const defaultTimeoutMs = defaultTimeoutSeconds * 1_000;
function isPartOfDeletion({ type }: OutgoingEvent): boolean {
  return type === 'DELETE' || type === 'CANCEL';
}

/** @returns what receives the headers of interim responses, and returns the milliseconds that do not count */
function receiverOf({
  onAlive,
  onProgress,
  serverName,
}: ProviderEndpoint): (headers: IncomingHeaders) => number {
  let isAlive = false;
  return (headers) => {
    if (!isAlive) onAlive?.();
    isAlive = true;
    const field = headers[progressHeader];
    // RFC 9651: lines of one field are one list.
    if (field !== undefined) onProgress?.([field].flat().join(', '));
    // Only the pods that Fairlead runs are believed.
    return serverName === undefined ? 0 : waitedIn(headers[waitedHeader]);
  };
}

const nobodyTrusted: readonly string[] = [];

export function createDispatcher({
  signer,
  clock,
  log,
  timeoutMs = defaultTimeoutMs,
  loopback = false,
  refused = [],
  clusterCidrs = [],
  resolve,
  authorities = () => nobodyTrusted,
}: DispatchOptions): Dispatcher {
  const forPods = { loopback, refused: refusedHosts(refused) } satisfies AddressRules;
  const rules = {
    loopback,
    refused: refusedHosts(refused, clusterCidrs),
  } satisfies AddressRules;
  const connections = createConnections({ rules, resolve, authorities });

  /** IP addresses are never looked up. */
  function mayBe({ hostname }: URL, { isPod = () => false }: ProviderEndpoint): boolean {
    const host = plainHost(hostname);
    if (isIP(host) === 0) return !rules.refused.names.has(host);
    return mayReceive(host, rules) || (mayReceive(host, forPods) && isPod());
  }

  interface Message {
    readonly signed: Parameters<Signer['sign']>[0];
    readonly headers: Record<string, string>;
    readonly body: object;
  }

  async function send(
    message: Message,
    endpoint: ProviderEndpoint,
    signal: AbortSignal,
  ): Promise<RawAnswer> {
    const url = new URL(endpoint.url);
    if (!mayBe(url, endpoint)) throw new ForbiddenAddress();
    const { agent, origin } = connections.to(url, endpoint);
    const body = JSON.stringify(message.body);
    const request = {
      origin,
      path: `${url.pathname}${url.search}`,
      method: 'POST',
      headers: {
        ...message.headers,
        authorization: `Bearer ${signer.sign(message.signed, body)}`,
      },
      body,
    } as const;
    const { limitMs = timeoutMs } = endpoint;
    const onInterim = receiverOf(endpoint);
    const limits = {
      ...{ timeoutMs: limitMs, quietMs: timeoutMs, onInterim, signal },
      maxBytes: maxAnswerBytes,
    };
    const answer = await exchange(agent, request, limits, bytesOfBody());
    // Only the pods that Fairlead runs are believed.
    const ends =
      endpoint.serverName === undefined ? 0 : unblamedEndsIn(answer.headers[unblamedEndsHeader]);
    if (ends > 0) endpoint.onUnblamedEnds?.(ends);
    await turnToRead(answer.body.length);
    const header = (name: string) => [answer.headers[name]].flat()[0];
    return {
      status: answer.status,
      retryAfter: header('retry-after'),
      contentType: header('content-type'),
      body: answer.body,
    };
  }

  async function dispatch(
    event: OutgoingEvent,
    endpoint: ProviderEndpoint,
    signal: AbortSignal,
  ): Promise<Answer> {
    try {
      const headers = eventHeaders(event, clock.now());
      const raw = await send({ signed: event, headers, body: eventBody(event) }, endpoint, signal);
      const observing = event.type === 'OBSERVE';
      return interpret(raw, { deleting: isPartOfDeletion(event), observing, now: clock.now() });
    } catch (thrown) {
      log.debug({ error: thrown, event: event.id }, 'An event could not be delivered');
      return unanswered(thrown, endpoint);
    }
  }

  async function ask(
    asked: OutgoingRequest,
    endpoint: ProviderEndpoint,
    signal: AbortSignal,
  ): Promise<ProviderReply> {
    const { id, organizationId, request } = asked;
    const signed = { id, organizationId, provider: request.provider };
    const headers = requestHeaders(asked, clock.now());
    try {
      const raw = await send({ signed, headers, body: requestBody(asked) }, endpoint, signal);
      return await replyIn(raw, request.event_type, clock.now());
    } catch (thrown) {
      log.debug({ error: thrown, request: id }, 'A provider could not be asked');
      return { kind: 'unavailable', message: unanswered(thrown, endpoint).message };
    }
  }

  function unanswered(thrown: unknown, endpoint: ProviderEndpoint): Failure {
    return thrown instanceof NoResponse
      ? withoutResponse(thrown, endpoint)
      : noAnswer(thrown, endpoint);
  }

  function withoutResponse({ why, cause }: NoResponse, endpoint: ProviderEndpoint): Failure {
    const { limitMs = timeoutMs } = endpoint;
    switch (why) {
      case 'tooLarge': {
        const message = `The answer of the provider is larger than ${maxAnswerBytes} bytes`;
        return retryable('ANSWER_TOO_LARGE', message);
      }
      case 'timedOut':
        return noAnswer(cause, { ...endpoint, timedOutMs: limitMs });
      case 'quiet':
        return noAnswer(cause, { ...endpoint, quietMs: timeoutMs });
      case 'aborted':
      case 'broken':
        return noAnswer(cause, endpoint);
    }
  }

  return { dispatch, ask, close: () => connections.close() };
}
