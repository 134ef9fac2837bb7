// Lists over HTTP against a real API server: order, filters, pages.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiCaller, type ServedApi, serveApi } from '../../support/servers/served-api.ts';

let api: ServedApi;
let acme: ApiCaller;

/** In the order of their object names, as lists show them; applied in another one. A name with a hash has dashes for dots. */
const all = ['a-b/x/1', 'a/x/B', 'a/x/1', 'a/x/2', 'a/x/a', 'a/y/1', 'b/x/1', 'b/x/10', 'b/x/9'];
const tags: Record<string, readonly string[]> = {
  'a/x/1': ['red', 'big'],
  'a/x/2': ['red'],
  'b/x/1': ['big', 'red', 'ü&=,'],
};
const committed = ['a/x/2', 'b/x/9'];

beforeAll(async () => {
  api = await serveApi();
  acme = await api.caller('lists');
  await acme.post('/resources/register', { provider: 'a', resource: 'x' });
  await acme.post('/resources/register', { provider: 'b', resource: 'x' });
  for (const each of all.toReversed()) {
    const [provider, resource, name] = each.split('/');
    const lifecycle_state = committed.includes(each) ? 'pending' : 'draft';
    const body = { provider, resource, name, config: {}, lifecycle_state };
    const answer = await acme.post('/resources/apply', { ...body, tags: tags[each] });
    expect(answer.status, answer.text).toBe(200);
  }
});

afterAll(() => api?.close());

function cursorWith(token: string): string {
  return Buffer.from(`a-x-1\u0000${token}`).toString('base64url');
}

/** As the API server makes it, but beginning where a client wants. */
function tokenFor(start: string): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: -1, start })).toString('base64url');
}

interface Named {
  readonly provider: string;
  readonly resource: string;
  readonly name: string;
}

function namesIn(body: unknown): readonly string[] {
  return (body as readonly Named[]).map((each) => `${each.provider}/${each.resource}/${each.name}`);
}

async function listed(search: string): Promise<readonly string[]> {
  const { status, body, text } = await acme.get(`/resources/${search}`);
  expect(status, text).toBe(200);
  return namesIn(body);
}

describe('a list', () => {
  it('is in the order of object names, in both spellings', async () => {
    expect(await listed('')).toEqual(all);
    expect(namesIn((await acme.get('/resources')).body)).toEqual(all);
  });

  const starting = (prefix: string) => all.filter((each) => each.startsWith(prefix));

  it.each<[string, readonly string[]]>([
    ['?provider=a', starting('a/')],
    ['?resource=y', ['a/y/1']],
    ['?provider=b&resource=x', starting('b/x/')],
    ['?provider=b&resource=y', []],
    ['?tags=red', ['a/x/1', 'a/x/2', 'b/x/1']],
    ['?tags=red&tags=big', ['a/x/1', 'b/x/1']],
    ['?tags=big&tags=red&tags=big', ['a/x/1', 'b/x/1']],
    ['?tags=red,big', []],
    ['?tags=Red', []],
    [`?tags=${encodeURIComponent('ü&=,')}`, ['b/x/1']],
    ['?tags=red&provider=b', ['b/x/1']],
    ['?lifecycle_state=pending', committed],
    ['?lifecycle_state=draft&provider=b', ['b/x/1', 'b/x/10']],
    ['?lifecycle_state=ready', []],
    ['?project_id=nope', []],
  ])('filtered by %s has the matching resources', async (search, expected) => {
    expect(await listed(search)).toEqual(expected);
  });

  it('filtered by a project has its resources', async () => {
    const [first] = (await acme.get('/resources/')).body as readonly { project_id: string }[];
    expect(await listed(`?project_id=${first?.project_id}`)).toEqual(all);
  });

  it.each([
    ['?provider=A', 'provider'],
    ['?resource=%00', 'resource'],
    ['?lifecycle_state=deleting', 'lifecycle_state'],
    ['?tags=', 'tags'],
    ['?limit=0', 'limit'],
    ['?limit=1001', 'limit'],
    ['?limit=ten', 'limit'],
    ['?cursor=nonsense', 'cursor'],
    ['?cursor=', 'cursor'],
    [`?cursor=${Buffer.from('a/x\u0000').toString('base64url')}`, 'cursor'],
    [`?cursor=${cursorWith('no token')}`, 'cursor'],
    [`?cursor=${cursorWith(tokenFor('../fl-another-organization/'))}`, 'cursor'],
    [`?cursor=${cursorWith(tokenFor('/../../../secrets'))}`, 'cursor'],
    ['?provider=a&provider=b', 'provider'],
    ['?tags[]=red', 'tags[]'],
    ['?provider=%ff', 'provider'],
  ])('filtered by %s is rejected', async (search, name) => {
    const { status, body } = await acme.get(`/resources/${search}`);
    expect(status).toBe(422);
    const { detail } = body as { detail: readonly { loc: readonly string[] }[] };
    expect(detail[0]?.loc.slice(0, 2)).toEqual(['query', name]);
  });
});

describe('pages', () => {
  const linkPattern = /^<(\/resources\/\?[^>]+)>; rel="next"$/;

  /** Follows the links from a page to the end. */
  async function followed(start: string): Promise<readonly (readonly string[])[]> {
    const pages: (readonly string[])[] = [];
    let next: string | undefined = start;
    while (next !== undefined) {
      const { status, headers, body }: Awaited<ReturnType<ApiCaller['get']>> = await acme.get(next);
      expect(status).toBe(200);
      pages.push(namesIn(body));
      const link: string | undefined = headers['link']?.toString();
      next = link === undefined ? undefined : (linkPattern.exec(link)?.[1] ?? 'broken');
      expect(pages.length).toBeLessThan(20);
    }
    return pages;
  }

  it.each([1, 2, 4, 8])('of %i return everything once, in the same order', async (limit) => {
    const pages = await followed(`/resources/?limit=${limit}`);
    expect(pages.flat()).toEqual(all);
    expect(pages.length).toBe(Math.ceil(all.length / limit));
    expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
  });

  it.each([all.length, all.length + 1, 1_000])('of %i are the only one', async (limit) => {
    expect(await followed(`/resources/?limit=${limit}`)).toEqual([all]);
  });

  it('keep the filters', async () => {
    const tag = encodeURIComponent('ü&=,');
    expect(await followed('/resources/?limit=1&tags=red&tags=big')).toEqual([['a/x/1'], ['b/x/1']]);
    expect(await followed(`/resources/?limit=1&tags=${tag}&provider=b`)).toEqual([['b/x/1']]);
    expect(await followed('/resources/?provider=a&limit=3')).toEqual([
      ['a/x/B', 'a/x/1', 'a/x/2'],
      ['a/x/a', 'a/y/1'],
    ]);
  });

  it('continue after a resource that was deleted meanwhile', async () => {
    const extra = { provider: 'a', resource: 'x', name: '3', config: {} };
    await acme.post('/resources/apply', extra);
    const { headers, body } = await acme.get('/resources/?limit=5');
    expect(namesIn(body).at(-1)).toBe('a/x/3');
    await acme.delete('/resources/a/x/3');
    const next = linkPattern.exec(headers['link']?.toString() ?? '')?.[1] ?? '';
    expect((await followed(next)).flat()).toEqual(all.slice(4));
  });
});
