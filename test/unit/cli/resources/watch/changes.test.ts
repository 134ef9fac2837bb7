import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { changesOf } from '../../../../../src/cli/resources/watch/changes.ts';
import { Api } from '../../../../../src/cli/session/api/client.ts';
import { styleOf } from '../../../../../src/cli/terminal/style.ts';
import { Talk } from '../../../../../src/cli/terminal/talk.ts';
import { listening } from '../../../../support/servers/listening.ts';

type Turn = (request: IncomingMessage, response: ServerResponse) => void;

/** @returns an API whose server answers the requests in turn, and the requests that it received */
async function answering(turns: readonly Turn[]) {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    turns[Math.min(asked.length, turns.length) - 1]?.(request, response);
  });
  const { url, stop } = await listening(server);
  onTestFinished(stop);
  const stderr = { write: () => true };
  const environment = {
    variables: {},
    platform: 'linux' as const,
    home: '/',
    folder: '/',
    stdin: { async *[Symbol.asyncIterator]() {} },
    stdout: stderr,
    stderr,
    now: () => new Date(),
  };
  const style = styleOf({ colours: false, unicode: true });
  const api = new Api({
    url: new URL(url),
    tokens: { token: () => Promise.resolve('t'), renewed: () => Promise.resolve(undefined) },
    talk: new Talk({ environment, style, quiet: true, verbose: false }),
    signal: new AbortController().signal,
    userAgent: 'test',
  });
  return { api, asked };
}

const stream =
  (...parts: readonly string[]): Turn =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(parts.join(''));
  };
const upsert = (id: string, name: string, state = 'ready') =>
  `id: ${id}\nevent: upsert\ndata: ${JSON.stringify({ id: name, lifecycle_state: state })}\n\n`;
const deleted = (id: string, name: string) =>
  `id: ${id}\nevent: deleted\ndata: ${JSON.stringify({ id: name })}\n\n`;
const synced = 'event: synced\ndata: {}\n\n';
const reset = 'id:\nevent: reset\ndata: {}\n\n';
const json =
  (body: unknown, status = 200): Turn =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };

/** @returns the first changes, such as `record a ready` */
async function changes(
  api: Api,
  count: number,
  selection: Parameters<typeof changesOf>[1] = { query: {} },
) {
  const found: string[] = [];
  const options = { signal: new AbortController().signal, note: () => undefined };
  for await (const change of changesOf(api, selection, options)) {
    found.push(
      change.kind === 'synced'
        ? 'synced'
        : `${change.kind} ${change.record.id} ${change.record.lifecycle_state}`,
    );
    if (found.length === count) break;
  }
  return found;
}

it('goes on after a lost connection with the id of the last event', async () => {
  const { api, asked } = await answering([
    stream(upsert('1', 'a'), upsert('2', 'b'), synced),
    stream(upsert('3', 'a', 'failed'), deleted('4', 'b')),
  ]);
  expect(await changes(api, 5)).toEqual([
    'record a ready',
    'record b ready',
    'synced',
    'record a failed',
    'gone b ready',
  ]);
  expect(asked.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '2']);
});

it('finds after a reset what vanished meanwhile, and reports only changes', async () => {
  const { api, asked } = await answering([
    stream(
      upsert('1', 'a'),
      upsert('2', 'b'),
      synced,
      reset,
      upsert('9', 'b'),
      upsert('9', 'c'),
      synced,
    ),
  ]);
  expect(await changes(api, 6)).toEqual([
    'record a ready',
    'record b ready',
    'synced',
    'record c ready',
    'gone a ready',
    'synced',
  ]);
  expect(asked).toHaveLength(1);
});

it('asks again and again on a server without events', async () => {
  const { api } = await answering([
    json([]),
    json([{ id: 'a', lifecycle_state: 'pending' }]),
    json([{ id: 'a', lifecycle_state: 'ready' }]),
    json([]),
  ]);
  expect(await changes(api, 5)).toEqual([
    'record a pending',
    'synced',
    'record a ready',
    'synced',
    'gone a ready',
  ]);
});

it('takes a resource that does not exist for one that is gone, where there are no events', async () => {
  const missing = json({ detail: 'Resource not found', code: 'resource_not_found' }, 404);
  const { api, asked } = await answering([missing]);
  expect(await changes(api, 1, { id: 'a/b/c' })).toEqual(['synced']);
  expect(asked[0]?.url).toBe('/resources/a%2Fb%2Fc?deleting=include');
});
