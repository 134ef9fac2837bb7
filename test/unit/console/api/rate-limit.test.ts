import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { withinRate } from '../../../../src/console/api/client.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** @param limited the answers of the limiter before another one, each with its Retry-After */
function server(limited: readonly string[]) {
  const left = [...limited];
  return vi.fn(() => {
    const wait = left.shift();
    const init = wait === undefined ? {} : { status: 429, headers: { 'retry-after': wait } };
    return Promise.resolve(new Response('{}', init));
  });
}

it.each([
  ['no limit', [], 200, 1],
  ['a limit of four seconds', ['1', '1', '2'], 200, 4],
  ['one that asks for no time', ['0', '0'], 200, 3],
  ['one that lasts longer than five seconds', ['2', '2', '2', '2'], 429, 3],
  ['one that asks for a minute', ['60'], 429, 1],
])('[F7] waits for %s', async (_, limited, status, requests) => {
  const send = server(limited);
  const answer = withinRate(send, undefined);
  await vi.advanceTimersByTimeAsync(5_000);
  expect((await answer).status).toBe(status);
  expect(send).toHaveBeenCalledTimes(requests);
});

it('[F7] sends nothing more once the page is left', async () => {
  const send = server(['2']);
  const page = new AbortController();
  const answer = withinRate(send, page.signal);
  const failed = expect(answer).rejects.toThrow('left');
  await vi.advanceTimersByTimeAsync(100);
  page.abort(new Error('left'));
  await failed;
  expect(send).toHaveBeenCalledTimes(1);
});
