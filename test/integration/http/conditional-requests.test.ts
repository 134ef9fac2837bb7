// ETag, If-Match and If-None-Match of resources, over HTTP against a real API server.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resourceObjects } from '../../support/fixtures/resource-objects.ts';
import {
  type Answer,
  type ApiCaller,
  type ServedApi,
  serveApi,
} from '../../support/servers/served-api.ts';

const organization = 'conditions';
let api: ServedApi;
let acme: ApiCaller;
let objects: ReturnType<typeof resourceObjects>;

beforeAll(async () => {
  api = await serveApi();
  acme = await api.caller(organization);
  objects = resourceObjects(api, organization);
});

afterAll(async () => {
  await objects?.close();
  await api?.close();
});

const etagIn = ({ headers }: Answer) => headers.etag ?? '';
const get = (name: string) => acme.get(`/resources/box/any/${name}`);

/** Drafts, whose version only changes with an apply. */
function apply(name: string, a: number, headers: Record<string, string> = {}, query = '') {
  const body = { provider: 'box', resource: 'any', name, config: { a } };
  return acme.send('POST', `/resources/apply${query}`, { body, headers });
}

/** @returns the ETag of a draft, which stays until the next apply once the reconciler has seen it */
async function drafted(name: string, a: number): Promise<string> {
  const { status, text } = await apply(name, a);
  expect(status, text).toBe(200);
  await objects.settled(`box/any/${name}`);
  return etagIn(await get(name));
}

const remove = (name: string, etag: string, query = '') =>
  acme.send('DELETE', `/resources/box/any/${name}${query}`, { headers: { 'if-match': etag } });
const failed = { status: 412, body: { code: 'precondition_failed' } };

describe('an ETag', () => {
  it('is the same until the resource changes', async () => {
    expect(etagIn(await apply('tagged', 1))).toMatch(/^"[\w-]{22}"$/);
    const tagged = await drafted('tagged', 1);
    for (const path of ['box/any/tagged', 'box:any:tagged', 'resource:box_any_tagged']) {
      expect(etagIn(await acme.get(`/resources/${path}`))).toBe(tagged);
    }
    expect(etagIn(await acme.send('HEAD', '/resources/box/any/tagged'))).toBe(tagged);
    expect(etagIn(await apply('tagged', 1))).toBe(tagged);
    expect(etagIn(await apply('tagged', 2))).not.toBe(tagged);
    expect((await acme.get('/resources/')).headers).not.toHaveProperty('etag');
  });

  it('is not that of a resource that was deleted and created again', async () => {
    const before = await drafted('again', 1);
    await acme.delete('/resources/box/any/again');
    await expect.poll(async () => (await get('again')).status).toBe(404);
    await expect.poll(async () => (await apply('again', 1)).status).toBe(200);
    expect(await apply('again', 2, { 'if-match': before })).toMatchObject(failed);
  });
});

describe('an apply', () => {
  it('with If-Match changes only the version that it names', async () => {
    const first = await drafted('shop', 1);
    const second = await apply('shop', 2, { 'if-match': `"other", ${first}` });
    expect(second.status).toBe(200);
    const late = await apply('shop', 3, { 'if-match': first });
    expect(late).toMatchObject(failed);
    expect(late.body).toMatchObject({
      detail: expect.stringContaining('Resource box/any/shop is not in the version'),
      help: expect.stringContaining('ETag'),
    });
    expect((await get('shop')).body).toMatchObject({ config: { a: 2 } });
    expect((await apply('shop', 3, { 'if-match': '*' })).status).toBe(200);
  });

  it('that changes nothing is accepted: a response may have been lost', async () => {
    const first = await drafted('retried', 1);
    const second = await apply('retried', 2, { 'if-match': first });
    expect(second.status).toBe(200);
    expect((await apply('retried', 2, { 'if-match': first })).status).toBe(200);
  });

  it('with If-Match creates nothing, and with If-None-Match changes nothing', async () => {
    for (const etag of ['*', '"any"']) {
      expect(await apply('absent', 1, { 'if-match': etag })).toMatchObject(failed);
    }
    expect((await get('absent')).status).toBe(404);
    expect((await apply('absent', 1, { 'if-none-match': '*' })).status).toBe(200);
    expect(await apply('absent', 2, { 'if-none-match': '*' })).toMatchObject(failed);
    expect((await get('absent')).body).toMatchObject({ config: { a: 1 } });
  });

  it('holds to what its preview has shown', async () => {
    const first = await drafted('shown', 1);
    const preview = await apply('shown', 2, { 'if-match': first }, '?dry_run=true');
    expect([preview.status, etagIn(preview)]).toEqual([200, first]);
    await apply('shown', 3);
    expect(await apply('shown', 2, { 'if-match': etagIn(preview) })).toMatchObject(failed);
    expect(await apply('shown', 2, { 'if-match': first }, '?dry_run=true')).toMatchObject(failed);
  });

  it('succeeds once when many of them name the same version', async () => {
    const first = await drafted('race', 0);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) => apply('race', at + 1, { 'if-match': first })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array.from({ length: 7 }, () => 412)]);
  });
});

describe('a deletion', () => {
  it('with If-Match deletes only the version that it names', async () => {
    const first = await drafted('gone', 1);
    const second = await drafted('gone', 2);
    for (const query of ['', '?force=true', '?dry_run=true']) {
      expect(await remove('gone', first, query)).toMatchObject(failed);
    }
    expect((await get('gone')).status).toBe(200);
    expect(etagIn(await get('gone')), 'no mark is left').toBe(second);
    expect((await remove('gone', second)).status).toBe(204);
    expect((await get('gone')).status).toBe(404);
    await expect.poll(async () => (await remove('gone', second)).status).toBe(204);
  });

  it('by force deletes the version that it names', async () => {
    const etag = await drafted('forced', 1);
    expect((await remove('forced', etag, '?force=true')).status).toBe(204);
    expect((await get('forced')).status).toBe(404);
  });

  it('in another project is not told apart from a missing one', async () => {
    const etag = await drafted('office', 1);
    await acme.post('/projects', { project_id: 'shop', name: 'Shop' });
    const shop = await api.caller(organization, { roles: ['editor'], project_id: 'shop' });
    for (const name of ['office', 'nothing']) {
      for (const given of [etag, '"other"']) {
        const headers = { 'if-match': given };
        const answer = await shop.send('DELETE', `/resources/box/any/${name}`, { headers });
        expect(answer).toMatchObject({ status: 204, text: '' });
      }
    }
    expect((await get('office')).status).toBe(200);
  });
});

it.each([
  ['If-Match', ''],
  ['If-Match', 'abc'],
  ['If-Match', '"a" "b"'],
  ['If-Match', '"a",*'],
  ['If-None-Match', '"a"'],
])('%s: %s is rejected with the name of the header', async (name, value) => {
  expect(await apply('odd', 1, { [name]: value })).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ['header', name] }] },
  });
});

it('a weak tag is accepted, because a proxy that compresses makes one', async () => {
  const first = await drafted('weak', 1);
  expect((await apply('weak', 2, { 'if-match': `W/${first}` })).status).toBe(200);
});
