// A list of records over HTTP: others have their turn while the secrets of a page are looked for, which may take long for each record.
import { afterEach, expect, it } from 'vitest';
import type { Listening } from '../../../../src/http/listen.ts';
import { resourceRecord } from '../../../../src/store/resources/state.ts';
import { ask, serveRoutes, storesOfNothing } from '../../../support/fixtures/api/every-route.ts';
import { readyResource } from '../../../support/fixtures/builders.ts';
import { times } from '../../../support/worst-inputs/hostile-values.ts';

let listening: Listening;

afterEach(() => listening.close(0));

const busyMs = 11;
const records = times(12, (at) => resourceRecord(readyResource({ spec: { name: `n-${at}` } })));

it.each(['', '&limit=100'])(
  '[H32] lets others take their turn after a large record %s',
  async (of) => {
    let turn = 0;
    const next = () => {
      turn += 1;
      counting = setImmediate(next);
    };
    let counting = setImmediate(next);
    const turns = new Set<number>();
    const stores = storesOfNothing(() => undefined);
    listening = await serveRoutes(stores, {
      resources: {
        ...stores.resources,
        list: () => Promise.resolve({ records, next: undefined }),
        async *listAll() {
          yield await Promise.resolve(records);
        },
      },
      definitions: {
        ...stores.definitions,
        schemasOf: () => {
          for (const until = performance.now() + busyMs; performance.now() < until; );
          turns.add(turn);
          return { config: [], outputs: [], adopt: [] };
        },
      },
    });
    const { status, body } = await ask(listening, 'GET', `/resources/?secrets=hide${of}`);
    clearImmediate(counting);
    expect(status).toBe(200);
    expect(body).toHaveLength(records.length);
    expect(turns.size).toBeGreaterThan(records.length / 2);
  },
);
