// Serves the kubelet's log endpoint for `kubectl logs`: /containerLogs/{namespace}/{pod}/{container} over TLS. It listens
// on loopback for the API server only, and rejects requests of browser pages.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { crossOriginRefusal, loopbackHosts } from '../../domain/cross-origin.ts';
import { type LogFile, readRecords } from './log-file.ts';
import { type LogQuery, rendered, tail } from './log-lines.ts';

export interface FoundLog {
  readonly path: string;
  /** Set for a run in progress. */
  readonly live?: LogFile | undefined;
}

export interface LogAddress {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly previous: boolean;
}

interface LogServerOptions {
  readonly tls: { readonly key: Buffer; readonly cert: Buffer };
  readonly port: number;
  /** @returns the log, or an error message */
  readonly find: (address: LogAddress) => FoundLog | string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** A reader that falls further behind is disconnected. */
const maxBacklogBytes = 32 * 1_024 * 1_024;

export async function serveLogs(
  options: LogServerOptions,
): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer({ ...options.tls }, (request, response) => {
    try {
      const refusal = crossOriginRefusal(request.headers, loopbackHosts, 'https');
      if (refusal !== undefined) {
        refuseRequest(response, Number.parseInt(refusal.status, 10), refusal.detail);
      } else answerLogRequest(request, response, options);
    } catch {
      refuseRequest(response, 500, 'the log cannot be read');
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : options.port;
  return { port, close: () => closed(server) };
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function answerLogRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { find, now }: LogServerOptions,
): void {
  const url = new URL(request.url ?? '/', 'https://localhost');
  const [, root, namespace, pod, container, more] = url.pathname.split('/').map(pathPart);
  if (root !== 'containerLogs' || !namespace || !pod || !container || more !== undefined) {
    refuseRequest(response, 404, 'the local node serves logs only');
    return;
  }
  const asked = url.searchParams;
  const previous = asked.get('previous') === 'true';
  const found = find({ namespace, pod, container, previous });
  if (typeof found === 'string') {
    refuseRequest(response, 400, found);
    return;
  }
  sendLog(response, found, { ...queryIn(asked, now()), follow: asked.get('follow') === 'true' });
}

function pathPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}

interface LogServerRequest extends LogQuery {
  readonly limitBytes: number;
}

function queryIn(asked: URLSearchParams, now: number): LogServerRequest {
  const seconds = wholeNumber(asked.get('sinceSeconds'));
  const time = Date.parse(asked.get('sinceTime') ?? '');
  return {
    tailLines: wholeNumber(asked.get('tailLines')),
    since: seconds !== undefined ? now - seconds * 1_000 : Number.isNaN(time) ? undefined : time,
    timestamps: asked.get('timestamps') === 'true',
    limitBytes: wholeNumber(asked.get('limitBytes')) ?? Number.POSITIVE_INFINITY,
  };
}

function wholeNumber(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function sendLog(
  response: ServerResponse,
  { path, live }: FoundLog,
  { follow, limitBytes, ...query }: LogServerRequest & { readonly follow: boolean },
): void {
  let left = limitBytes;
  response.writeHead(200, { 'content-type': 'text/plain' });
  response.flushHeaders();

  function write(records: Buffer): void {
    if (response.writableEnded) return;
    const text = rendered(records, query);
    if (text.length > 0) response.write(text.subarray(0, Math.min(left, text.length)));
    left -= text.length;
    if (left <= 0) response.end();
    else if (response.writableLength > maxBacklogBytes) response.destroy();
  }

  const records = readRecords(path);
  const ending = follow && live !== undefined ? live : undefined;
  // Read and followed in one iteration of the event loop: no record is lost in between.
  write(query.tailLines === undefined ? records : tail(records, query.tailLines));
  if (ending === undefined) response.end();
  else
    response.once(
      'close',
      ending.follow(write, () => response.end()),
    );
}

function refuseRequest(response: ServerResponse, status: number, sentence: string): void {
  if (!response.headersSent) response.writeHead(status, { 'content-type': 'text/plain' });
  response.end(sentence);
}
