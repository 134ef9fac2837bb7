// Page sizes by the size of earlier objects.
import { expect, it } from 'vitest';
import type { KubeClient, KubeObject, ListOptions } from '../../../src/kube/api.ts';
import { configMapKind } from '../../../src/store/kinds.ts';
import { pagesOf } from '../../../src/store/pages.ts';

/** @param sizes of all there are, in characters */
function listOf(sizes: readonly number[]) {
  const asked: number[] = [];
  const list = (_kind: unknown, { limit = 0, continue: from = '0' }: ListOptions = {}) => {
    asked.push(limit);
    const page = sizes.slice(Number(from), Number(from) + limit);
    const end = Number(from) + page.length;
    return Promise.resolve({
      items: page.map((size) => ({ metadata: { name: `${size}` } })),
      resourceVersion: '1',
      characters: 100 + page.reduce((sum, size) => sum + size, 0),
      ...(end < sizes.length ? { continue: `${end}` } : {}),
    });
  };
  return { asked, client: { list } as unknown as Pick<KubeClient, 'list'> };
}

async function read(sizes: readonly number[]) {
  const { asked, client } = listOf(sizes);
  const found: KubeObject[] = [];
  for await (const object of pagesOf(client, configMapKind, { namespace: 'a' })) found.push(object);
  return { asked, read: found.map(({ metadata }) => Number(metadata.name)) };
}

const times = (count: number, size: number) => Array.from({ length: count }, () => size);

const cases: Readonly<Record<string, readonly [number[], number[]]>> = {
  'makes one request for nothing': [[], [50]],
  'makes one request for little': [times(50, 1_000), [50]],
  'requests larger pages of small objects, up to a bound': [
    times(1_500, 1_000),
    [50, 200, 500, 500, 500],
  ],
  'requests smaller pages of large objects': [
    times(80, 524_288),
    [50, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3],
  ],
  'requests pages of one for objects that are too large together': [
    times(52, 4_000_000),
    [50, 1, 1],
  ],
};

it.each(Object.entries(cases))('%s', async (_name, [sizes, asked]) => {
  expect(await read(sizes)).toEqual({ asked, read: sizes });
});
