// HTTP to the API server: one bounded pool of keep-alive connections, deadlines, raw JSON, typed errors. Writes are sent
// once: after a failure without a response their outcome is unknown, and the error records that.
import { createSecureContext } from 'node:tls';
import { Agent, type Dispatcher } from 'undici';
import {
  exchange,
  type IncomingResponse,
  NoResponse,
  textOfBody,
} from '../http-client/exchange.ts';
import type { ClusterAccess, TlsOptions } from './config.ts';
import { type KubeDetail, KubeError, type KubeReason } from './errors.ts';
import { pause, systemTimers } from './timers.ts';

export interface KubeCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with query, from the root of the server. */
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly answer?: 'object' | 'metadata' | undefined;
}

export interface Transport {
  /** @returns the body as text. @throws KubeError */
  request(call: KubeCall): Promise<string>;
  /** Opens a stream on a connection of its own. @throws KubeError */
  stream(path: string, signal: AbortSignal): Promise<Dispatcher.ResponseData['body']>;
  close(): Promise<void>;
}

export interface TransportOptions {
  /** Number of connections for requests; watches are extra. */
  readonly connections?: number;
}

const defaultConnections = 32;
const defaultTimeoutMs = 10_000;
const keepAliveMs = 60_000;
// The largest possible response is a list page of 500 objects of 1.5 MiB each.
const maxAnswerBytes = 1_024 * 1_024 * 1_024;
const maxMessageLength = 1_024;
/** 429 means that the request was rejected before it had any effect, so a retry is safe for every verb. */
const maxRefusals = 3;
const maxRefusalMs = 5_000;

export function createTransport(cluster: ClusterAccess, options: TransportOptions = {}): Transport {
  const common = {
    allowH2: false,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: 10 * keepAliveMs,
    connect: { ...sharedContext(cluster.tls), timeout: defaultTimeoutMs },
    headersTimeout: 0,
    bodyTimeout: 0,
    pipelining: 1,
  };
  const requests = new Agent({ ...common, connections: options.connections ?? defaultConnections });
  const watches = new Agent(common);

  async function attempt(call: KubeCall, endsAt: number): Promise<string | KubeError> {
    const headers = await headersFor(cluster, call);
    if (headers instanceof KubeError) return headers;
    const { path, method, signal } = call;
    const body = call.body === undefined ? null : JSON.stringify(call.body);
    const request = { origin: cluster.server, path, method, headers, body };
    const timeoutMs = endsAt - performance.now();
    const limits = { timeoutMs, signal, maxBytes: maxAnswerBytes };
    try {
      const answer = await exchange(requests, request, limits, textOfBody());
      return answer.status < 400 ? answer.body : refusedCall(call, answer, answer.body);
    } catch (thrown) {
      return unansweredCall(call, thrown);
    }
  }

  async function request(call: KubeCall): Promise<string> {
    const endsAt = performance.now() + (call.timeoutMs ?? defaultTimeoutMs);
    for (let tried = 1; ; tried += 1) {
      const answer = await attempt(call, endsAt);
      if (typeof answer === 'string') return answer;
      if (!(await mayRepeat(answer, call, { tried, endsAt }))) throw answer;
    }
  }

  return {
    request,
    async stream(path, signal) {
      const call: KubeCall = { method: 'GET', path, signal };
      const headers = await headersFor(cluster, call);
      if (headers instanceof KubeError) throw headers;
      const options = { origin: cluster.server, path, method: 'GET', headers, signal } as const;
      const opened = await watches
        .request(options)
        .then(async ({ statusCode: status, headers: found, body }) =>
          status < 400 ? body : refusedCall(call, { status, headers: found }, await body.text()),
        )
        .catch((thrown: unknown) => unansweredCall(call, thrown));
      if (opened instanceof KubeError) throw opened;
      return opened;
    },
    async close() {
      await Promise.all([requests.destroy(), watches.destroy()]);
    },
  };
}

/** Certificates are read once, and not again for each connection. Files that cannot be read fail each request, as they did. */
function sharedContext({ ca, cert, key, ...others }: TlsOptions) {
  const read = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
  try {
    return { ...others, secureContext: createSecureContext(read) };
  } catch {
    return { ...others, ...read };
  }
}

/** Waits before the request is sent again. @returns false, possibly at once, when it must not be */
async function mayRepeat(
  error: KubeError,
  call: KubeCall,
  { tried, endsAt }: { readonly tried: number; readonly endsAt: number },
): Promise<boolean> {
  const wait = waitBeforeRepeat(error, call, tried);
  if (wait === undefined || performance.now() + wait >= endsAt) return false;
  await pause(systemTimers, wait, call.signal);
  return call.signal?.aborted !== true;
}

const accepted = {
  object: 'application/json',
  metadata: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
};

async function headersFor(
  cluster: ClusterAccess,
  call: KubeCall,
): Promise<Record<string, string> | KubeError> {
  try {
    return {
      ...(await cluster.authHeaders()),
      accept: accepted[call.answer ?? 'object'],
      'user-agent': 'fairlead',
      ...(call.body === undefined
        ? {}
        : { 'content-type': call.contentType ?? 'application/json' }),
    };
  } catch {
    // The message of a credential plugin may contain credentials.
    const message = 'Getting credentials for the API server failed';
    return new KubeError({ reason: 'unauthorized', message });
  }
}

/** @returns milliseconds to wait, or undefined when the error is final */
function waitBeforeRepeat(error: KubeError, call: KubeCall, tried: number): number | undefined {
  if (error.reason === 'tooManyRequests' && tried <= maxRefusals) {
    return Math.min(error.retryAfterMs ?? 1_000, maxRefusalMs);
  }
  // A keep-alive connection that the server has just closed: retry once, and only requests that change nothing.
  const reset = error.reason === 'unavailable' && error.status === undefined;
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

function refusedCall(
  call: KubeCall,
  { status, headers }: Pick<IncomingResponse<unknown>, 'status' | 'headers'>,
  body: string,
): KubeError {
  const said = parseStatus(body);
  const reason = kubeReason(status, said);
  const message =
    told.includes(reason) && said.message !== undefined
      ? said.message
      : `The API server answered ${status}`;
  const seconds = Number(headers['retry-after']);
  return new KubeError({
    reason,
    status,
    message: message.slice(0, maxMessageLength),
    detail: forbiddenDetail(reason, said),
    continueToken: reason === 'gone' ? said.metadata?.continue : undefined,
    ...(Number.isFinite(seconds) && seconds >= 0 ? { retryAfterMs: seconds * 1_000 } : {}),
    // The API server may time out on etcd after it has sent the write there.
    outcome: reason === 'tooLarge' || status < 500 || call.method === 'GET' ? 'refused' : 'unknown',
  });
}

// The API server passes errors of etcd on as 500, with nothing but a text: ErrRequestTooLarge in api/v3rpc/rpctypes/error.go of
// etcd, and that of rpc_util.go or stream.go of grpc-go for a message over 2 MiB. Either is a refusal before the write.
const tooLargeForEtcd =
  /^etcdserver: request is too large$|trying to send message larger than max \(/;

function kubeReason(status: number, { reason, message = '' }: StatusBody): KubeReason {
  if (status === 409 && reason === 'AlreadyExists') return 'alreadyExists';
  if (status === 500 && tooLargeForEtcd.test(message)) return 'tooLarge';
  return reasonOfStatus[status] ?? (status >= 500 ? 'unavailable' : 'unexpected');
}

/** Quota refusals look like missing rights; only the message of the API server distinguishes them. */
function forbiddenDetail(reason: KubeReason, said: StatusBody): KubeDetail | undefined {
  if (reason !== 'forbidden') return undefined;
  const causes = said.details?.causes ?? [];
  if (causes.some((cause) => cause.reason === 'NamespaceTerminating'))
    return 'namespaceTerminating';
  return said.message?.includes('exceeded quota') === true ? 'quotaExceeded' : undefined;
}

interface StatusBody {
  readonly reason?: string;
  readonly message?: string;
  readonly details?: { readonly causes?: readonly { readonly reason?: string }[] };
  readonly metadata?: { readonly continue?: string };
}

function parseStatus(body: string): StatusBody {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}

/** Handles a missing response. A write that may have left this machine has an unknown outcome, whatever ended the wait. */
function unansweredCall(call: KubeCall, thrown: unknown): KubeError {
  const { why, sent } = thrown instanceof NoResponse ? thrown : { why: 'broken', sent: true };
  const outcome = sent && call.method !== 'GET' ? 'unknown' : 'refused';
  if (why === 'timedOut') {
    const message = 'The API server did not answer in time';
    return new KubeError({ reason: 'timeout', message, outcome });
  }
  if (call.signal?.aborted === true) {
    return new KubeError({ reason: 'aborted', message: 'The request was aborted', outcome });
  }
  return new KubeError({
    reason: 'unavailable',
    message: 'The API server cannot be reached',
    outcome,
  });
}
