// A list of objects that exist, over HTTP: others have their turn while a thousand of them are looked up and masked.
import { afterEach, expect, it } from 'vitest';
import type { Listening } from '../../../../src/http/listen.ts';
import { ask, serveRoutes, storesOfNothing } from '../../../support/fixtures/api/every-route.ts';
import { times } from '../../../support/worst-inputs/hostile-values.ts';

let listening: Listening;

afterEach(() => listening.close(0));

const busyMs = 0.1;
const items = times(1_000, (at) => ({ adopt: { id: `${at}` }, name: `n-${at}` }));

it('[H32] lets others take their turn while it works through a page', async () => {
  let turn = 0;
  const next = () => {
    turn += 1;
    counting = setImmediate(next);
  };
  let counting = setImmediate(next);
  const turns = new Set<number>();
  const stores = storesOfNothing(() => undefined);
  listening = await serveRoutes(stores, {
    definitions: {
      ...stores.definitions,
      findFresh: () => Promise.resolve({ retired: null, listable: true, schema: null }),
    },
    askProvider: () => Promise.resolve({ kind: 'done', body: { items } }),
    managedObjects: {
      managerOf: () => {
        for (const until = performance.now() + busyMs; performance.now() < until; );
        turns.add(turn);
        return undefined;
      },
    },
  });
  const { status } = await ask(listening, 'GET', '/resources/types/box/crate/existing');
  clearImmediate(counting);
  expect(status).toBe(200);
  expect(turns.size).toBeGreaterThan(3);
});
