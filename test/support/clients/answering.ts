// An HTTP server that answers the client as a test says, and keeps what it was asked.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { ResourceRecord } from '../../../src/api/shapes.ts';
import { jsonIn } from '../../../src/lib/json.ts';
import { listening } from '../servers/listening.ts';
import { type ClientOptions, type ClientResult, runClient } from './client.ts';

export interface AskedRequest {
  readonly method: string;
  /** With its query, decoded. */
  readonly path: string;
  /** As it was sent. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The JSON in `text`; empty when there is none. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Answering {
  readonly url: string;
  readonly asked: AskedRequest[];
  readonly stop: () => void;
  client(words: string, options?: ClientOptions): Promise<ClientResult>;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text is a stream of events, anything else is sent as JSON. */
  readonly body?: unknown;
  /** Ends the connection after the body, and not the answer. */
  readonly cut?: boolean;
  /** The end of a stream, which is sent once that has come. */
  readonly rest?: { readonly after: () => Promise<unknown>; readonly body: string };
}

/** @param answer undefined: 404 */
export async function startAnswering(
  answer: (request: AskedRequest) => Answer | undefined,
): Promise<Answering> {
  const asked: AskedRequest[] = [];
  const server = createServer(async (request, response) => {
    const sent = await text(request);
    const { method = '', url = '', headers } = request;
    const body = (jsonIn(sent) ?? {}) as AskedRequest['body'];
    const one = { method, path: decodeURIComponent(url), url, headers, text: sent, body };
    asked.push(one);
    send(answer(one) ?? missing, response);
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

const missing: Answer = { status: 404, body: { detail: 'Nothing', code: 'resource_not_found' } };

function send(
  { status = 200, headers, body, cut = false, rest }: Answer,
  response: ServerResponse,
) {
  const isStream = typeof body === 'string';
  const type = { 'content-type': isStream ? 'text/event-stream' : 'application/json' };
  response.writeHead(status, { ...type, ...headers });
  const sent = isStream || body === undefined ? body : JSON.stringify(body);
  if (cut) response.write(sent, () => response.destroy());
  else if (rest !== undefined) {
    response.write(sent);
    void rest.after().finally(() => response.end(rest.body));
  } else response.end(sent);
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
