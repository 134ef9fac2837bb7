// An HTTP server that answers the client as a test says, and keeps what it was asked.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { ResourceRecord } from '../../../src/api/shapes.ts';
import { listening } from '../servers/listening.ts';
import { type ClientOptions, type ClientResult, runClient } from './client.ts';

export interface AskedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Answering {
  readonly url: string;
  readonly asked: AskedRequest[];
  readonly stop: () => void;
  client(words: string, options?: ClientOptions): Promise<ClientResult>;
}

type Answer = { status?: number; headers?: Record<string, string>; body?: unknown };

/** @param answer undefined: 404 */
export async function startAnswering(
  answer: (request: AskedRequest) => Answer | undefined,
): Promise<Answering> {
  const asked: AskedRequest[] = [];
  const server = createServer(async (request, response) => {
    const sent = await text(request);
    const { method = '', url = '', headers } = request;
    const body = sent === '' ? {} : (JSON.parse(sent) as AskedRequest['body']);
    const one = { method, path: decodeURIComponent(url), headers, body };
    asked.push(one);
    const missing = { status: 404, body: { detail: 'Nothing', code: 'resource_not_found' } };
    const found: Answer = answer(one) ?? missing;
    const type = { 'content-type': 'application/json' };
    response.writeHead(found.status ?? 200, { ...type, ...found.headers });
    response.end(found.body === undefined ? undefined : JSON.stringify(found.body));
  });
  const { url, stop } = await listening(server);
  return {
    url,
    asked,
    stop,
    client: (words, options = {}) =>
      runClient(words.split(' '), {
        variables: { FAIRLEAD_TOKEN: 'secret', FAIRLEAD_URL: url, NO_COLOR: '1' },
        now: () => new Date('2026-01-31T12:05:00.000Z'),
        ...options,
      }),
  };
}

/** @returns drift of one value, since three minutes before the time of the client */
export function driftOf(
  more: Partial<NonNullable<ResourceRecord['drift']>> = {},
): NonNullable<ResourceRecord['drift']> {
  return {
    ...{ since: '2026-01-31T12:02:00.000Z', kind: 'changed', total: 1, compared: 7, unknown: 1 },
    changes: [{ path: '/size', declared: 20, actual: 50 }],
    ...more,
  };
}
