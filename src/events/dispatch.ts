// Sends one event to one provider, and always comes back with an answer: nothing a provider does or omits throws here.
import { isIP } from 'node:net';
import { Agent, errors } from 'undici';
import type { Clock } from '../domain/clock.ts';
import type { Log } from '../domain/log.ts';
import {
  type AddressRules,
  ForbiddenAddress,
  guardedLookup,
  mayReceive,
  plainHost,
  refusedHosts,
} from './addresses.ts';
import { interpret, type RawAnswer, retryable } from './answers.ts';
import { type Answer, bodyOf, headersOf, type OutgoingEvent } from './protocol.ts';
import type { Signer } from './sign.ts';

export type Dispatch = (
  event: OutgoingEvent,
  endpoint: { readonly url: string },
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
  /** Milliseconds for one delivery, from connecting to the last byte of the answer; 30 s unless told. */
  readonly timeoutMs?: number;
  /** Whether providers may be on this machine; not unless told. */
  readonly loopback?: boolean | undefined;
  /** Hosts that no provider may be on, as in URLs: the API server. */
  readonly refused?: readonly string[];
}

const defaultTimeoutMs = 30_000;
const connectTimeoutMs = 2_000;
const answerLimit = 512 * 1_024;
const connectionsPerProvider = 64;

export function createDispatcher({
  signer,
  clock,
  log,
  timeoutMs = defaultTimeoutMs,
  loopback = false,
  refused = [],
}: DispatchOptions): Dispatcher {
  const rules = { loopback, refused: refusedHosts(refused) } satisfies AddressRules;
  // An agent of our own: it neither follows redirects nor asks the environment for a proxy.
  const agent = new Agent({
    allowH2: false,
    connections: connectionsPerProvider,
    pipelining: 1,
    connect: { timeout: connectTimeoutMs, lookup: guardedLookup(rules) },
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 10_000,
  });

  async function send(event: OutgoingEvent, url: URL, signal: AbortSignal): Promise<RawAnswer> {
    // What is an address already is never looked up.
    const host = plainHost(url.hostname);
    const mayBe = isIP(host) === 0 ? !rules.refused.names.has(host) : mayReceive(host, rules);
    if (!mayBe) throw new ForbiddenAddress();
    const body = JSON.stringify(bodyOf(event));
    const answer = await agent.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: 'POST',
      headers: {
        ...headersOf(event, clock.now()),
        authorization: `Bearer ${await signer.sign(event, body)}`,
      },
      body,
      signal,
    });
    const retryAfter = answer.headers['retry-after'];
    return {
      status: answer.statusCode,
      retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
      body: await bounded(answer.body),
    };
  }

  async function dispatch(
    event: OutgoingEvent,
    { url }: { url: string },
    signal: AbortSignal,
  ): Promise<Answer> {
    const deadline = AbortSignal.timeout(timeoutMs);
    try {
      const raw = await send(event, new URL(url), AbortSignal.any([signal, deadline]));
      return interpret(raw, { deleting: event.type === 'DELETE', now: clock.now() });
    } catch (thrown) {
      log.debug({ error: thrown, event: event.id }, 'An event could not be delivered');
      return noAnswer(thrown, { timedOut: deadline.aborted, timeoutMs });
    }
  }

  return { dispatch, close: () => agent.destroy() };
}

const unreachable: readonly unknown[] = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ERR_INVALID_URL',
];

class TooLarge extends Error {}

async function bounded(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    // Leaving the loop destroys the stream, and with it the connection: the rest is never read.
    if (size > answerLimit) throw new TooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function noAnswer(
  thrown: unknown,
  { timedOut, timeoutMs }: { timedOut: boolean; timeoutMs: number },
): Answer {
  if (thrown instanceof TooLarge) {
    return retryable(
      'ANSWER_TOO_LARGE',
      `The answer of the provider is larger than ${answerLimit} bytes`,
    );
  }
  if (timedOut)
    return unanswered('TIMEOUT', `The provider did not answer within ${timeoutMs / 1_000} s`);
  if (thrown instanceof ForbiddenAddress) {
    return unanswered(
      'FORBIDDEN_ADDRESS',
      'The address of the provider is none that events are sent to',
    );
  }
  if (thrown instanceof errors.ConnectTimeoutError) {
    return unanswered('UNREACHABLE', 'The provider cannot be connected to');
  }
  if (unreachable.includes((thrown as { code?: unknown }).code)) {
    return unanswered('UNREACHABLE', 'The provider cannot be connected to');
  }
  return unanswered(
    'CONNECTION_LOST',
    'The connection to the provider broke before it had answered',
  );
}

function unanswered(code: string, message: string): Answer {
  return { kind: 'failed', terminal: false, unanswered: true, code, message };
}
