// Sends one request over node:http or node:https. No fetch: it loads undici, which takes longer than the request.
import type { Agent, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Silence } from '../../../client/api/events.ts';

/** Text, bytes, or a function that starts a stream, since a repeated request needs it anew. */
export type Body = string | Uint8Array | (() => Readable);

export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Body | undefined;
  readonly signal: AbortSignal;
  /** Milliseconds until the headers of the answer must be there. */
  readonly answerTimeoutMs: number;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: IncomingMessage;
}

/** No answer: the connection failed, broke, or took too long. The request may have taken effect if it was sent. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly code: string;

  constructor(message: string, code: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

const connectMs = 10_000;
const agents = new Map<string, Agent>();

/** @throws ConnectionError, or the reason of the signal */
export function exchangeHttp(request: HttpRequest): Promise<HttpAnswer> {
  const { method, url, headers, body, signal, answerTimeoutMs } = request;
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  const outgoing = moduleFor(url).request(url, { method, headers, agent: agentFor(url), signal });
  const deadline = setTimeout(() => {
    outgoing.destroy(timedOut(`no answer within ${answerTimeoutMs / 1_000}s`));
  }, answerTimeoutMs);
  outgoing.once('socket', (socket) => {
    if (!socket.connecting) return;
    const limit = setTimeout(() => {
      outgoing.destroy(timedOut(`no connection within ${connectMs / 1_000}s`));
    }, connectMs);
    socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => clearTimeout(limit));
    socket.once('close', () => clearTimeout(limit));
  });
  outgoing.once('response', (answer) => {
    clearTimeout(deadline);
    resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: answer });
  });
  outgoing.once('error', (error: NodeJS.ErrnoException) => {
    clearTimeout(deadline);
    reject(signal.aborted ? (signal.reason as Error) : asConnectionError(error));
  });
  writeBody(outgoing, body);
  return promise;
}

function writeBody(
  outgoing: NodeJS.WritableStream & { destroy(e: Error): void },
  body?: Body,
): void {
  if (typeof body === 'function') {
    const source = body();
    source.once('error', (error) => outgoing.destroy(error));
    // A pipe leaves its source open, with the file that it reads, when the connection ends first.
    outgoing.once('close', () => source.destroy());
    source.pipe(outgoing);
  } else if (body === undefined) {
    outgoing.end();
  } else {
    outgoing.end(body);
  }
}

function timedOut(message: string): ConnectionError {
  return new ConnectionError(message, 'ETIMEDOUT');
}

function asConnectionError(error: NodeJS.ErrnoException): ConnectionError {
  if (error instanceof ConnectionError) return error;
  // Several addresses of one name: node reports them together, and the last is as good as any.
  const inner = error instanceof AggregateError ? (error.errors.at(-1) as Error) : error;
  return new ConnectionError(
    inner.message || (error.code ?? 'the connection failed'),
    error.code ?? '',
    error,
  );
}

/** The body of an answer, whole. @throws ConnectionError when it ends early */
export async function bodyText({ body }: HttpAnswer): Promise<string> {
  try {
    body.setEncoding('utf8');
    let text = '';
    for await (const chunk of body) text += chunk as string;
    return text;
  } catch (thrown) {
    throw asConnectionError(thrown as NodeJS.ErrnoException);
  }
}

/** Returns whether the body of an answer ended early, or fell silent. */
export function isConnectionLost(thrown: unknown): boolean {
  if (thrown instanceof Silence || thrown instanceof ConnectionError) return true;
  const { code } = thrown as NodeJS.ErrnoException;
  return typeof code === 'string';
}

/** Closes idle connections, so that the process can end. */
export function closeConnections(): void {
  for (const agent of agents.values()) agent.destroy();
  agents.clear();
}

// Loading node:https takes 20 ms, so only requests over TLS pay for it. An import() of it would load it as an ES module with
// all its exports, among them those that load undici.
function moduleFor({ protocol }: URL): typeof import('node:http') | typeof import('node:https') {
  return process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http');
}

function agentFor(url: URL): Agent {
  const known = agents.get(url.protocol);
  if (known !== undefined) return known;
  const agent = new (moduleFor(url).Agent)({ keepAlive: true, maxSockets: 16 });
  agents.set(url.protocol, agent);
  return agent;
}
