import { expect, it } from 'vitest';
import { readEvents, Silence, type StreamEvent } from '../../../../../src/client/api/events.ts';
import { nextPage } from '../../../../../src/client/api/link.ts';
import { operationPath, queryText } from '../../../../../src/client/api/request.ts';

// biome-ignore lint/suspicious/useAwait: streams are asynchronous
async function* pieces(text: string, size: number) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const stream =
  ': quiet\n\nid: 7\nevent: upsert\ndata: {"a":\ndata: "ü"}\n\ndata: plain\r\n\r\nevent: synced\ndata\n\ndata: cut off';

it.each([1, 2, 3, 7, 1_000])('reads events in pieces of %i bytes', async (size) => {
  const events: StreamEvent[] = [];
  for await (const event of readEvents(pieces(stream, size))) events.push(event);
  expect(events).toEqual([
    { event: 'upsert', data: '{"a":\n"ü"}', id: '7' },
    { event: 'message', data: 'plain', id: '7' },
    { event: 'synced', data: '', id: '7' },
  ]);
});

it('takes a silent stream for lost', async () => {
  async function* silent() {
    yield Buffer.from('data: 1\n\n');
    await new Promise(() => undefined);
  }
  const read = async () => {
    for await (const event of readEvents(silent(), 20)) expect(event.data).toBe('1');
  };
  await expect(read()).rejects.toThrow(Silence);
});

it.each([
  [undefined, undefined],
  ['</resources/?cursor=a%2Fb>; rel="next"', '/resources/?cursor=a%2Fb'],
  ['</a>; rel="prev", </b?c=1>; rel=next', '/b?c=1'],
  ['<https://evil.example/resources/?cursor=1>; rel="next"', '/resources/?cursor=1'],
  ['<//x//evil.example/y>; rel="next"', '/evil.example/y'],
  ['</\\evil.example/y>; rel="next"', '/y'],
  ['</a>; rel="prev"', undefined],
])('finds the next page in %s', (header, expected) => {
  expect(nextPage(header)).toBe(expected);
});

it('encodes paths and queries', () => {
  expect(operationPath('getResource', { resource_id: 'a/b/c d' })).toBe('/resources/a%2Fb%2Fc%20d');
  expect(queryText({ tags: ['a', 'b c'], limit: 2, cursor: undefined })).toBe(
    '?tags=a&tags=b+c&limit=2',
  );
});
