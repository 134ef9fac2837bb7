// HTTP to the API server: one bounded pool of keep-alive connections, deadlines, raw JSON, typed errors. Writes are sent
// once: after a failure without an answer nobody knows whether they happened, and the error says so.
import { Agent, type Dispatcher, errors } from 'undici';
import type { ClusterAccess } from './config.ts';
import { KubeError, type KubeReason } from './errors.ts';

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with query, from the root of the server. */
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

export interface Transport {
  /** @returns the body as text. @throws KubeError */
  request(call: Call): Promise<string>;
  /** Opens a stream on a connection of its own. @throws KubeError */
  stream(path: string, signal: AbortSignal): Promise<Dispatcher.ResponseData['body']>;
  close(): Promise<void>;
}

export interface TransportOptions {
  /** Connections for requests; watches come on top. */
  readonly connections?: number;
}

const defaultConnections = 32;
const defaultTimeoutMs = 10_000;
const keepAliveMs = 60_000;
// A list page of 500 objects of 1.5 MiB each is the largest answer there can be.
const maximumAnswerBytes = 1_024 * 1_024 * 1_024;
const maximumMessage = 1_024;
/** 429 means that the request was refused before it did anything, so that sending it again is safe for every verb. */
const maximumRefusals = 3;
const longestRefusalMs = 5_000;

export function createTransport(cluster: ClusterAccess, options: TransportOptions = {}): Transport {
  const common = {
    allowH2: false,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: 10 * keepAliveMs,
    connect: { ...cluster.tls, timeout: defaultTimeoutMs },
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: maximumAnswerBytes,
  };
  const requests = new Agent({
    ...common,
    connections: options.connections ?? defaultConnections,
    pipelining: 1,
  });
  const watches = new Agent({ ...common, maxResponseSize: -1, pipelining: 1 });

  async function once(call: Call): Promise<string> {
    const deadline = AbortSignal.timeout(call.timeoutMs ?? defaultTimeoutMs);
    const signal = call.signal === undefined ? deadline : AbortSignal.any([deadline, call.signal]);
    try {
      const answer = await requests.request({
        origin: cluster.server,
        path: call.path,
        method: call.method,
        headers: await headersFor(cluster, call),
        signal,
        ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
      });
      const text = await answer.body.text();
      if (answer.statusCode < 400) return text;
      throw refusal(answer.statusCode, answer.headers, text);
    } catch (thrown) {
      throw asKubeError(thrown, call, { timedOut: deadline.aborted });
    }
  }

  return {
    async request(call) {
      for (let tried = 1; ; tried += 1) {
        try {
          return await once(call);
        } catch (thrown) {
          const wait = waitBeforeRepeat(thrown, call, tried);
          if (wait === undefined) throw thrown;
          await new Promise((resume) => setTimeout(resume, wait));
        }
      }
    },
    async stream(path, signal) {
      const call: Call = { method: 'GET', path, signal };
      try {
        const headers = await headersFor(cluster, call);
        const answer = await watches.request({
          origin: cluster.server,
          path,
          method: 'GET',
          headers,
          signal,
        });
        if (answer.statusCode < 400) return answer.body;
        throw refusal(answer.statusCode, answer.headers, await answer.body.text());
      } catch (thrown) {
        throw asKubeError(thrown, call, { timedOut: false });
      }
    },
    async close() {
      await Promise.all([requests.destroy(), watches.destroy()]);
    },
  };
}

async function headersFor(cluster: ClusterAccess, call: Call): Promise<Record<string, string>> {
  return {
    ...(await cluster.authHeaders()),
    accept: 'application/json',
    'user-agent': 'fairlead',
    ...(call.body === undefined ? {} : { 'content-type': call.contentType ?? 'application/json' }),
  };
}

/** @returns milliseconds to wait, or undefined when the error is final */
function waitBeforeRepeat(thrown: unknown, call: Call, tried: number): number | undefined {
  if (!(thrown instanceof KubeError) || call.signal?.aborted === true) return undefined;
  if (thrown.reason === 'tooManyRequests' && tried <= maximumRefusals) {
    return Math.min(thrown.retryAfterMs ?? 1_000, longestRefusalMs);
  }
  // A keep-alive connection that the server has just closed: once, and only for what changes nothing.
  const reset = thrown.reason === 'unavailable' && thrown.status === undefined;
  return reset && call.method === 'GET' && tried === 1 ? 0 : undefined;
}

const reasonOfStatus: Readonly<Record<number, KubeReason>> = {
  400: 'badRequest',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'notFound',
  409: 'conflict',
  410: 'gone',
  413: 'tooLarge',
  422: 'invalid',
  429: 'tooManyRequests',
};

const told: readonly KubeReason[] = ['invalid', 'badRequest', 'forbidden'];

type Headers = Readonly<Record<string, string | string[] | undefined>>;

function refusal(status: number, headers: Headers, body: string): KubeError {
  const said = parseStatus(body);
  const alreadyExists = status === 409 && said.reason === 'AlreadyExists';
  const reason = alreadyExists
    ? 'alreadyExists'
    : (reasonOfStatus[status] ?? (status >= 500 ? 'unavailable' : 'unexpected'));
  const message =
    told.includes(reason) && said.message !== undefined
      ? said.message
      : `The API server answered ${status}`;
  const seconds = Number(headers['retry-after']);
  return new KubeError({
    reason,
    status,
    message: message.slice(0, maximumMessage),
    ...(Number.isFinite(seconds) && seconds >= 0 ? { retryAfterMs: seconds * 1_000 } : {}),
    // The API server may time out towards etcd after it has sent the write there.
    outcome: status >= 500 ? 'unknown' : 'refused',
  });
}

function parseStatus(body: string): { reason?: string; message?: string } {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}

/** Errors of the network carry codes; anything that may have left this machine has an unknown outcome. */
function asKubeError(thrown: unknown, call: Call, { timedOut }: { timedOut: boolean }): KubeError {
  if (thrown instanceof KubeError) return call.method === 'GET' ? refusedRead(thrown) : thrown;
  const read = call.method === 'GET';
  const outcome = read || neverLeft(thrown) ? 'refused' : 'unknown';
  if (timedOut)
    return new KubeError({
      reason: 'timeout',
      message: 'The API server did not answer in time',
      outcome,
    });
  if (call.signal?.aborted === true)
    return new KubeError({ reason: 'aborted', message: 'The request was given up', outcome });
  return new KubeError({
    reason: 'unavailable',
    message: 'The API server cannot be reached',
    outcome,
  });
}

function refusedRead({ reason, message, status, retryAfterMs }: KubeError): KubeError {
  return new KubeError({ reason, message, status, retryAfterMs, outcome: 'refused' });
}

const refusedCodes = ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH'];

function neverLeft(thrown: unknown): boolean {
  if (thrown instanceof errors.ConnectTimeoutError) return true;
  const { code } = thrown as { code?: unknown };
  return typeof code === 'string' && refusedCodes.includes(code);
}
