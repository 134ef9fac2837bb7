import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Masking } from '../../../../src/http/response/caller-view.ts';
import { wantsEvents, withSignsOfLife } from '../../../../src/http/response/event-stream.ts';
import {
  createResourceEventStream,
  quietText,
} from '../../../../src/http/response/resource-events.ts';
import { resourceRecord } from '../../../../src/store/resources/state.ts';
import type { ResourceEvent } from '../../../../src/store/watches/index.ts';
import { aResource } from '../../../support/fixtures/builders.ts';

it.each([
  ['', false],
  ['*/*', false],
  ['text/event-stream', true],
  ['application/json, Text/Event-Stream;q=0.9', true],
  ['text/event-streams', false],
])('Accept %j asks for events: %s', (accept, expected) => {
  expect(wantsEvents(accept)).toBe(expected);
});

describe('signs of life', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('come after every silence, and leave nothing behind in a stream that is quiet for hours', async () => {
    const { promise, resolve } = Promise.withResolvers<Buffer>();
    const then = vi.spyOn(promise, 'then');
    const source: AsyncIterable<Buffer> = {
      [Symbol.asyncIterator]: () => ({
        next: () => promise.then((value) => ({ value, done: false })),
      }),
    };
    const stream = withSignsOfLife(source, { quiet: () => Buffer.from('quiet'), quietMs: 4_000 });
    for (let count = 0; count < 100; count += 1) {
      const next = stream.next();
      await vi.advanceTimersByTimeAsync(4_000);
      expect(String((await next).value)).toBe('quiet');
    }
    expect(then).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
    const next = stream.next();
    resolve(Buffer.from('news'));
    expect(String((await next).value)).toBe('news');
    expect(vi.getTimerCount()).toBe(0);
  });
});

async function* oneByOne<T>(values: readonly T[]): AsyncGenerator<T> {
  for (const each of values) yield await Promise.resolve(each);
}

describe('events of resources', () => {
  const source = aResource();
  let rendered = 0;
  const upsert = (id: string | undefined): ResourceEvent => ({
    ...{ type: 'upsert', id, source },
    record: () => {
      rendered += 1;
      return resourceRecord(source);
    },
  });

  const view = {
    ...{ masking: undefined, projectName: (id: string) => id },
    ...{ mayHaveSecrets: () => false, onSecrets: () => undefined },
  };

  async function textOf(...batch: readonly ResourceEvent[]): Promise<string> {
    let text = '';
    const watch = { events: oneByOne([batch]), position: undefined };
    for await (const piece of shared.pieces(watch, view)) text += String(piece);
    return text;
  }
  const shared = createResourceEventStream();

  it('serialize a record once for all readers, each with its own position', async () => {
    const texts = await Promise.all([
      textOf(upsert('7')),
      textOf(upsert('7')),
      textOf(upsert(undefined)),
    ]);
    expect(rendered).toBe(1);
    expect(texts[0]).toMatch(
      /^id: 7\nevent: upsert\ndata: \{"id":"resource:postgres_database_orders".*\}\n\n$/,
    );
    expect(texts[1]).toBe(texts[0]);
    expect(texts[2]).toBe(texts[0]?.replace('id: 7\n', ''));
  });

  it('void the position with a reset', async () => {
    const id = undefined;
    const deleted: ResourceEvent = { type: 'deleted', id: '9', resourceId: 'resource:a_b_c' };
    expect(await textOf({ type: 'reset' }, { type: 'synced', id }, deleted)).toBe(
      'id:\nevent: reset\ndata: {}\n\nevent: synced\ndata: {}\n\nid: 9\nevent: deleted\ndata: {"id":"resource:a_b_c"}\n\n',
    );
  });

  it('[I7] let others take their turn while the secrets of large records are looked for', async () => {
    const busyMs = 11;
    const mask: Masking['mask'] = ({ config, outputs, adopt }) => {
      for (const until = performance.now() + busyMs; performance.now() < until; );
      return { config, outputs, adopt: adopt ?? undefined, masked: [] };
    };
    const batch = Array.from({ length: 3 }, () => upsert('7'));
    const events = oneByOne([batch.map((each) => ({ ...each, source: aResource() }))]);
    const masking = { mask, schemasOf: () => undefined };
    let pieces = 0;
    for await (const _piece of shared.pieces({ events, position: undefined }, { ...view, masking }))
      pieces += 1;
    expect(pieces).toBe(batch.length);
  });

  it.each([
    [undefined, ': quiet\n\n'],
    ['12', 'id: 12\n: quiet\n\n'],
  ])('move the position %s on in a silence', (position, expected) => {
    expect(String(quietText({ events: oneByOne([]), position }))).toBe(expected);
  });
});
