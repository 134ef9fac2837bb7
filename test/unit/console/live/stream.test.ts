// The stream of resources: what the pages receive, and that a browser's few connections are given back.
import { expect, it } from 'vitest';
import { answerError, NoAnswer } from '../../../../src/console/api/errors.ts';
import { follow } from '../../../../src/console/live/stream.ts';

/** A body that never ends by itself. */
function endless(text: string): Response {
  return new Response(
    new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode(text)),
    }),
  );
}

it('hands over events until the stream is complete, and closes its connection', async () => {
  const received: string[] = [];
  const signals: AbortSignal[] = [];
  await follow({
    name: 'test',
    signal: new AbortController().signal,
    open: (_lastEventId, signal) => {
      signals.push(signal);
      return Promise.resolve(endless('event: upsert\ndata: 1\n\nevent: end\ndata: 2\n\n'));
    },
    received: ({ data }) => received.push(data),
  });
  expect(received).toEqual(['1']);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});

it('ends with a refusal that no repetition changes', async () => {
  const refusal = Response.json({ detail: 'no', code: 'forbidden' }, { status: 403 });
  const following = follow({
    name: 'test',
    signal: new AbortController().signal,
    open: async () => {
      throw await answerError(refusal, 'GET');
    },
    received: () => undefined,
  });
  await expect(following).rejects.toMatchObject({ status: 403, message: 'no' });
});

it.each([
  ['a proxy', 502, 'Bad Gateway', true],
  ['a proxy that waited', 504, {}, true],
  ['the command line', 502, { detail: 'The API does not answer' }, true],
  ['the API, for something that it needs', 503, { detail: 'later', code: 'unavailable' }, false],
  ['the API, for a defect', 500, { detail: 'Internal Server Error' }, false],
])('tells whether an answer is of %s (%i)', async (_from, status, body, isNoAnswer) => {
  const error = await answerError(Response.json(body, { status }), 'GET');
  expect(error instanceof NoAnswer).toBe(isNoAnswer);
});

it('says of a write without an answer that its outcome is unknown', async () => {
  const { message } = await answerError(Response.json({}, { status: 502 }), 'POST');
  expect(message).toMatch(/^The API does not answer\..*unknown/);
  expect(new NoAnswer('GET').message).toBe('The API does not answer.');
});
