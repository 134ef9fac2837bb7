// Handles requests that cannot be routed: malformed HTTP, too many or too long headers, a head that does not arrive. The
// response is JSON like any other error. The connection closes, because the start of the next request is unknown.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { crossOriginRefusal } from '../../domain/cross-origin.ts';
import type { EarlyRefusal } from '../../domain/early-refusal.ts';

/** RFC 9110 has a status of its own for an `Expect` header that is not met. */
type BadRequestRefusal =
  | EarlyRefusal
  | { readonly code: 'bad_request'; readonly status: `417 ${string}`; readonly detail: string };

const broken: BadRequestRefusal = {
  status: '400 Bad Request',
  detail: 'The request is not valid HTTP',
  code: 'bad_request',
};
const longHeaders: BadRequestRefusal = {
  status: '431 Request Header Fields Too Large',
  detail: 'The request headers are too large or too many',
  code: 'headers_too_large',
};
const unexpected: BadRequestRefusal = {
  status: '417 Expectation Failed',
  detail: 'The Expect header is not supported',
  code: 'bad_request',
};
const slow: BadRequestRefusal = {
  status: '408 Request Timeout',
  detail: 'The request was not received in time',
  code: 'request_timeout',
};

const byCode: Readonly<Record<string, BadRequestRefusal>> = {
  HPE_HEADER_OVERFLOW: longHeaders,
  ERR_HTTP_REQUEST_TIMEOUT: slow,
};

/** Answers requests that node's parser rejects, unless a response is in progress on that connection. */
export function refuseBadRequests(server: Server): void {
  const answering = new WeakMap<Socket, ServerResponse>();
  const note = (req: IncomingMessage, res: ServerResponse) => answering.set(req.socket, res);
  server.on('request', note).on('checkContinue', note);
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket;
    const res = answering.get(socket);
    const begun = res?.headersSent === true && !res.writableFinished;
    // Written into the middle of a response, it would be read as a part of it.
    if (begun || !socket.writable) socket.destroy();
    else socket.end(rawResponse(byCode[error.code ?? ''] ?? broken), () => socket.destroy());
  });
}

/**
 * @param hosts names of this listener; requests with another host or origin are rejected; none are when it is absent
 * @returns true when the request must not be served; it is answered then
 */
export function refuseOnceRead(
  req: IncomingMessage,
  res: ServerResponse,
  { headers, hosts }: { headers: number; hosts?: readonly string[] | undefined },
): boolean {
  const refusal =
    badRequestOf(req, headers) ??
    (hosts === undefined ? undefined : crossOriginRefusal(req.headers, hosts));
  if (refusal === undefined) return false;
  sendRefusal(res, refusal);
  return true;
}

function badRequestOf(req: IncomingMessage, max: number): BadRequestRefusal | undefined {
  if (req.rawHeaders.length > 2 * max) return longHeaders;
  // With two Host headers a proxy may use the other one (RFC 9112, 3.2); with none, any.
  const { host = [] } = req.headersDistinct;
  const isOld = req.httpVersion === '1.0';
  return host.length === 1 || (isOld && host.length === 0) ? undefined : broken;
}

/** Only one expectation is defined, and node handles it. */
export function refuseExpectation(_req: IncomingMessage, res: ServerResponse): void {
  sendRefusal(res, unexpected);
}

function sendRefusal(res: ServerResponse, { status, ...body }: BadRequestRefusal): void {
  res.writeHead(Number.parseInt(status, 10), {
    'Content-Type': 'application/json',
    Connection: 'close',
  });
  res.end(JSON.stringify(body));
}

function rawResponse({ status, ...body }: BadRequestRefusal): string {
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${text}`;
}
