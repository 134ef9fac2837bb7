// The HTTP servers of a provider: where they listen, requests as bytes and answers as JSON.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Refusal } from './refusal.ts';
import type { ReplyTo } from './reply.ts';
import type { ServeTls } from './serve-options.ts';

// Two configs, outputs and a context, with room for escapes.
const bodyLimitBytes = 4 * 1_048_576;

export interface Bound {
  readonly server: Server;
  readonly port: number;
}

/** @returns the servers to listen; the first is the one for events */
export function serversFor(
  { port = 8080, tls }: { readonly port?: number; readonly tls?: ServeTls },
  handle: (req: IncomingMessage, res: ServerResponse) => void,
): readonly Bound[] {
  if (tls === undefined) return [{ server: createServer(handle), port }];
  const { cert, key, port: securePort } = tls;
  const server = createSecureServer({ cert, key, minVersion: 'TLSv1.3' }, handle);
  if (securePort === undefined) return [{ server, port }];
  return [
    { server, port: securePort },
    { server: createServer(handle), port },
  ];
}

/** @returns the port of the first. @throws the error of `listen`; none listens then */
export async function allListening(servers: readonly Bound[], host: string): Promise<number> {
  try {
    const [first = 0] = await Promise.all(
      servers.map(({ server, port }) => listening(server, { host, port })),
    );
    return first;
  } catch (thrown) {
    await closeAll(servers);
    throw thrown;
  }
}

export async function closeAll(servers: readonly Bound[]): Promise<void> {
  const closed = servers.map(
    ({ server }) => new Promise<void>((resolve) => server.close(() => resolve())),
  );
  for (const { server } of servers) server.closeIdleConnections();
  await Promise.all(closed);
}

export async function answer(
  req: IncomingMessage,
  res: ServerResponse,
  run: () => Promise<ReplyTo<object | string>>,
): Promise<void> {
  const { method, url } = req;
  if (isProbe(req, '/livez') || isProbe(req, '/readyz')) return writeJson(res, 200, {});
  if (method !== 'POST' || url !== '/') {
    return writeJson(res, 404, {
      error: { code: 'not_found', message: 'Send events with POST /' },
    });
  }
  try {
    const { status, body, retryAfter } = await run();
    if (retryAfter !== undefined) res.setHeader('retry-after', retryAfter);
    writeJson(res, status, body);
  } catch (thrown) {
    const refusal = thrown instanceof Refusal ? thrown : undefined;
    const { status = 500, code = 'runtime_error', message = 'The runtime failed' } = refusal ?? {};
    if (refusal?.retryAfter !== undefined) res.setHeader('retry-after', refusal.retryAfter);
    writeJson(res, status, { error: { code, message } });
  }
}

export function isProbe({ method, url }: IncomingMessage, path: string): boolean {
  return method === 'GET' && url === path;
}

/** @param body a text is JSON already */
export function writeJson(res: ServerResponse, status: number, body: object | string): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  res.writeHead(status, { 'content-type': 'application/json' }).end(text);
}

export async function readBody(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bodyLimitBytes) throw new Refusal(413, 'too_large', 'The event is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function listening(server: Server, address: { host: string; port: number }): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}
