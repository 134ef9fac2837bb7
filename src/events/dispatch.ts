// Sends one event to one provider and always returns an answer: no behavior of a provider makes it throw.

import { isIP } from 'node:net';
import { defaultTimeoutSeconds } from '../domain/event.ts';
import { exchange, NoResponse } from '../http-client/exchange.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import {
  type AddressRules,
  ForbiddenAddress,
  mayReceive,
  plainHost,
  refusedHosts,
} from './addresses.ts';
import { interpret, type RawAnswer, retryable } from './answers.ts';
import { createConnections, type Proof } from './connections.ts';
import { noAnswer } from './no-answer.ts';
import { type Answer, eventBody, eventHeaders, type OutgoingEvent } from './protocol.ts';
import type { Signer } from './sign.ts';

export interface Endpoint extends Proof {
  readonly url: string;
  /** True for a pod of a tenant, which may have a cluster address. */
  readonly isPod?: (() => boolean) | undefined;
  /** Milliseconds for the whole delivery, while interim responses show that the handler runs; default `timeoutMs`. */
  readonly limitMs?: number | undefined;
  /** Called when the first interim response arrives. */
  readonly onAlive?: (() => void) | undefined;
}

export type Dispatch = (
  event: OutgoingEvent,
  endpoint: Endpoint,
  signal: AbortSignal,
) => Promise<Answer>;

export interface Dispatcher {
  readonly dispatch: Dispatch;
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
  /** Authorities that sign the certificates of pods, as PEM; another array after a change. Default: none. */
  readonly authorities?: () => readonly string[];
}

const defaultTimeoutMs = defaultTimeoutSeconds * 1_000;
const answerLimit = 512 * 1_024;
function isPartOfDeletion({ type }: OutgoingEvent): boolean {
  return type === 'DELETE' || type === 'CANCEL';
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
  authorities = () => nobodyTrusted,
}: DispatchOptions): Dispatcher {
  const forPods = { loopback, refused: refusedHosts(refused) } satisfies AddressRules;
  const rules = {
    loopback,
    refused: refusedHosts(refused, clusterCidrs),
  } satisfies AddressRules;
  const connections = createConnections({ rules, authorities });

  /** IP addresses are never looked up. */
  function mayBe({ hostname }: URL, { isPod = () => false }: Endpoint): boolean {
    const host = plainHost(hostname);
    if (isIP(host) === 0) return !rules.refused.names.has(host);
    return mayReceive(host, rules) || (mayReceive(host, forPods) && isPod());
  }

  async function send(
    event: OutgoingEvent,
    endpoint: Endpoint,
    signal: AbortSignal,
  ): Promise<RawAnswer> {
    const url = new URL(endpoint.url);
    if (!mayBe(url, endpoint)) throw new ForbiddenAddress();
    const { agent, origin } = connections.to(url, endpoint);
    const body = JSON.stringify(eventBody(event));
    const request = {
      origin,
      path: `${url.pathname}${url.search}`,
      method: 'POST',
      headers: {
        ...eventHeaders(event, clock.now()),
        authorization: `Bearer ${signer.sign(event, body)}`,
      },
      body,
    } as const;
    const { limitMs = timeoutMs, onAlive: onInterim } = endpoint;
    const limits = { timeoutMs: limitMs, quietMs: timeoutMs, onInterim, signal };
    const answer = await exchange(agent, request, { ...limits, maxBytes: answerLimit });
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
    endpoint: Endpoint,
    signal: AbortSignal,
  ): Promise<Answer> {
    try {
      const raw = await send(event, endpoint, signal);
      return interpret(raw, { deleting: isPartOfDeletion(event), now: clock.now() });
    } catch (thrown) {
      log.debug({ error: thrown, event: event.id }, 'An event could not be delivered');
      return thrown instanceof NoResponse
        ? withoutResponse(thrown, endpoint)
        : noAnswer(thrown, endpoint);
    }
  }

  function withoutResponse({ why, cause }: NoResponse, endpoint: Endpoint): Answer {
    const { limitMs = timeoutMs } = endpoint;
    switch (why) {
      case 'tooLarge': {
        const message = `The answer of the provider is larger than ${answerLimit} bytes`;
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

  return { dispatch, close: () => connections.close() };
}
