// A watch as bytes on real streams: what of them is an event, and how the watch ends.
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { KindRef, KubeObject } from '../../../../src/kube/api.ts';
import type { StreamingClient } from '../../../../src/kube/client.ts';
import { KubeError } from '../../../../src/kube/errors.ts';
import { type WatchEnd, type WatchEvent, watch } from '../../../../src/kube/informer/watch.ts';

const kind: KindRef = {
  group: '',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
  namespaced: true,
};

interface Watched {
  readonly end: WatchEnd;
  /** `ADDED a`, or `BOOKMARK 7`. */
  readonly events: readonly string[];
}

async function watched(
  body: Readable | KubeError,
  { inactivityMs = 5_000 } = {},
): Promise<Watched> {
  const events: string[] = [];
  const opened = body instanceof KubeError ? Promise.reject(body) : Promise.resolve(body);
  const signal = new AbortController().signal;
  const end = await watch(
    {
      watch(_, __, given) {
        given.addEventListener('abort', () => (body as Readable).destroy(new Error('aborted')));
        return opened as ReturnType<StreamingClient['watch']>;
      },
    },
    { kind, resourceVersion: '1', inactivityMs, timeoutSeconds: 300, signal },
    { onOpen: () => undefined, onEvent: (event) => events.push(eventText(event)) },
  );
  return { end, events };
}

function eventText(event: WatchEvent<KubeObject>): string {
  if (event.type === 'BOOKMARK') return `BOOKMARK ${event.resourceVersion}`;
  return `${event.type} ${event.object.metadata.name}`;
}

function line(type: string, metadata: object = { name: 'a', resourceVersion: '2' }): string {
  return `${JSON.stringify({ type, object: { metadata } })}\n`;
}

/** A stream of these chunks. */
function bytes(...chunks: readonly (string | Buffer)[]): Readable {
  return Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
}

function failing(...chunks: readonly string[]): Readable {
  return Readable.from(
    (function* () {
      for (const chunk of chunks) yield Buffer.from(chunk);
      throw new Error('ECONNRESET');
    })(),
  );
}

describe('events', () => {
  it('arrive in order, for any split of the bytes', async () => {
    const text = Buffer.from(
      line('ADDED') +
        line('MODIFIED', { name: 'zürich', resourceVersion: '3' }) +
        line('BOOKMARK', { resourceVersion: '4' }) +
        line('DELETED', { name: 'ü', resourceVersion: '5' }),
    );
    const expected = ['ADDED a', 'MODIFIED zürich', 'BOOKMARK 4', 'DELETED ü'];
    for (const size of [1, 2, 3, 7, 64, text.length]) {
      const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
        text.subarray(index * size, (index + 1) * size),
      );
      expect(await watched(bytes(...chunks))).toEqual({
        events: expected,
        end: { next: 'resume', orderly: true },
      });
    }
  });
});

const notTrusted = { next: 'relist', orderly: false };

describe('a line', () => {
  it.each([
    ['cut off', line('MODIFIED').slice(0, -20)],
    ['garbled', '{"type":"MODI\u0000}{"\n'],
    ['empty', '\n'],
    ['null', 'null\n'],
    ['a number', '7\n'],
    ['an array', '[]\n'],
    ['of an unknown type', line('RENAMED')],
    ['without an object', '{"type":"ADDED"}\n'],
    ['without a version', line('ADDED', { name: 'a' })],
    ['without a name', line('ADDED', { resourceVersion: '2' })],
    ['an error of the server', '{"type":"ERROR","object":{"code":500}}\n'],
    ['an unknown error', '{"type":"ERROR"}\n'],
    ['longer than any object', 'x'.repeat(9 * 1_024 * 1_024)],
  ])('that is %s ends the watch, and requires a relist', async (_, strange) => {
    const { end, events } = await watched(bytes(line('ADDED'), strange, line('MODIFIED')));
    expect(events).toEqual(['ADDED a']);
    expect(end).toMatchObject(notTrusted);
  });

  it('that is cut off by the end of the watch is not a regular end', async () => {
    const { end, events } = await watched(bytes(line('ADDED'), line('MODIFIED').slice(0, -1)));
    // Only its newline is missing, so it is complete and may be delivered.
    expect(events).toEqual(['ADDED a', 'MODIFIED a']);
    expect(end).toEqual({ next: 'resume', orderly: true });
    const cut = await watched(bytes(line('ADDED'), line('MODIFIED').slice(0, -2)));
    expect(cut.events).toEqual(['ADDED a']);
    expect(cut.end).toMatchObject(notTrusted);
  });

  it('with 410 ends the watch regularly', async () => {
    const { end } = await watched(bytes('{"type":"ERROR","object":{"code":410}}\n'));
    expect(end).toEqual({ next: 'relist', orderly: true });
  });
});

describe('a watch', () => {
  it('resumes from the last version after its connection breaks', async () => {
    const { end, events } = await watched(failing(line('ADDED'), '{"type":'));
    expect(events).toEqual(['ADDED a']);
    expect(end).toMatchObject({ next: 'resume', orderly: false });
  });

  it('resumes from the last version after a silence, and closes the connection', async () => {
    const silent = new Readable({ read: () => undefined });
    silent.push(line('ADDED'));
    const { end, events } = await watched(silent, { inactivityMs: 50 });
    expect(events).toEqual(['ADDED a']);
    expect(end).toEqual({ next: 'resume', orderly: true });
    expect(silent.destroyed).toBe(true);
  });

  it.each([
    ['gone', { next: 'relist', orderly: true }],
    ['forbidden', { next: 'resume', orderly: false }],
    ['tooManyRequests', { next: 'resume', orderly: false }],
    ['unavailable', { next: 'resume', orderly: false }],
  ] as const)('that was rejected with %s ends as %j', async (reason, expected) => {
    const { end } = await watched(new KubeError({ reason, message: 'no', retryAfterMs: 7 }));
    expect(end).toMatchObject(expected);
    if (!expected.orderly) expect(end.error?.retryAfterMs).toBe(7);
  });

  it('that ends early closes the connection', async () => {
    const body = bytes('garbage\n', line('ADDED'));
    await watched(body);
    expect(body.destroyed).toBe(true);
  });
});
