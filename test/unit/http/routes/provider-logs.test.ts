// The limit of open logs, over HTTP: requests that arrive at once, and whose pods are not known yet.
import { get } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import type { Listening } from '../../../../src/http/listen.ts';
import { serveRoutes, storesOfNothing } from '../../../support/fixtures/api/every-route.ts';
import { eventually } from '../../../support/runner/eventually.ts';

let listening: Listening;

afterEach(() => listening.close(0));

const path = '/providers/box/logs?follow=true';

function read(statuses: number[], signal: AbortSignal): void {
  const options = { host: '127.0.0.1', port: listening.port, path, agent: false, signal };
  const request = get(options, (response) => {
    statuses.push(response.statusCode ?? 0);
    response.resume();
    response.on('error', () => undefined);
  });
  request.on('error', () => undefined);
}

it('[H29] accepts twenty of a hundred requests for logs that arrive at once', async () => {
  let opened = 0;
  const stores = storesOfNothing(() => undefined);
  listening = await serveRoutes(stores, {
    providers: {
      ...stores.providers,
      find: () => Promise.resolve({ provider: 'box', version: '20260101.000000' }),
    },
    providerLogs: {
      open: () => {
        opened += 1;
        // The pods are never known.
        return new Promise(() => undefined);
      },
    },
  });
  const statuses: number[] = [];
  const leaving = new AbortController();
  for (let count = 0; count < 100; count += 1) read(statuses, leaving.signal);
  await eventually(() => expect(statuses.filter((each) => each === 429)).toHaveLength(80));
  expect(opened).toBe(20);
  // Whoever leaves makes room.
  leaving.abort();
  const again = new AbortController();
  await eventually(() => {
    read(statuses, again.signal);
    expect(opened).toBeGreaterThan(20);
  });
  again.abort();
});
