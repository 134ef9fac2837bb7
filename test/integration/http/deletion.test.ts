// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references look like the placeholders of templates.
// Deleting what others use, by force and again, over HTTP against a real API server. No provider answers.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { annotation } from '../../../src/store/kinds.ts';
import { resourceObjects } from '../../support/fixtures/resource-objects.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { type ApiCaller, type ServedApi, serveApi } from '../../support/servers/served-api.ts';

const organization = 'deletion';
let api: ServedApi;
let acme: ApiCaller;
let objects: ReturnType<typeof resourceObjects>;

beforeAll(async () => {
  api = await serveApi();
  acme = await api.caller(organization);
  for (const provider of ['box', 'van', 'bus']) {
    await acme.post('/resources/register', { provider, resource: 'any' });
  }
  objects = resourceObjects(api, organization);
  await objects.create('project', 'shop');
});

afterAll(async () => {
  await objects?.close();
  await api?.close();
});

const tuple = (name: string, provider = 'box') => ({ provider, resource: 'any', name });
const on = (...names: string[]) => ({ dependencies: names.map((each) => tuple(each)) });

async function apply(name: string, more: object = {}): Promise<void> {
  const body = { ...tuple(name), config: {}, lifecycle_state: 'pending', ...more };
  const { status, text } = await acme.post('/resources/apply', body);
  expect(status, text).toBe(200);
}

const remove = (name: string, query = '') => acme.delete(`/resources/box:any:${name}${query}`);
const statusOf = async (name: string) => (await acme.get(`/resources/box/any/${name}`)).status;
/** The event of a deletion after its last attempt. */
const failedDeletion = (id: string) =>
  ({
    id,
    type: 'DELETE',
    generation: 1,
    content: 'content',
    declared: 'content',
    attempt: 5,
    sequence: 5,
    startedAt: '2026-01-01T00:00:00.000Z',
  }) as const;
const annotationOf = async (name: string, key: string) =>
  (await objects.get(`box/any/${name}`)).metadata.annotations?.[key];

describe('a resource in use', () => {
  it('is kept, and its dependents are listed, until they are deleted', async () => {
    await apply('db');
    await apply('declares', on('db'));
    await apply('refers', { config: { url: ['x ${box/any/db.outputs.url}'] } });
    const refused = await remove('db');
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({
      detail: 'Resource box/any/db is used by 2 resources: box/any/declares, box/any/refers',
    });
    await remove('declares');
    expect((await acme.delete('/resources/box/any/db')).body).toMatchObject({
      detail: 'Resource box/any/db is used by 1 resource: box/any/refers',
    });
    await remove('refers');
    expect((await remove('db')).status).toBe(204);
    expect(await statusOf('db')).toBe(404);
  });

  it('lists twenty dependents, and counts the rest', async () => {
    await apply('loved');
    const names = Array.from({ length: 21 }, (_, at) => `fan${String(at).padStart(2, '0')}`);
    await Promise.all(names.map((name) => apply(name, on('loved'))));
    const { detail } = (await remove('loved')).body as { detail: string };
    const shown = names.slice(0, 20).map((name) => `box/any/${name}`);
    expect(detail).toBe(`Resource box/any/loved is used by 21 resources: ${shown.join(', ')}, …`);
  });

  it('is not kept for drafts, or for another project', async () => {
    await apply('lonely');
    await apply('sketch', { ...on('lonely'), lifecycle_state: 'draft' });
    await apply('stranger', { ...on('lonely'), project_id: 'shop' });
    expect((await remove('lonely')).status).toBe(204);
  });

  it('is deleted with force', async () => {
    await apply('forced');
    await apply('left', on('forced'));
    expect((await remove('forced', '?force=false')).status).toBe(409);
    expect((await remove('forced', '?force=true')).status).toBe(204);
    expect(await statusOf('forced')).toBe(404);
  });
});

describe('a forced deletion', () => {
  const forced = (name: string) => annotationOf(name, annotation.forceDeletion);

  it('is recorded on the object first', async () => {
    await apply('marked');
    await objects.hold('box/any/marked');
    expect((await remove('marked', '?force=true')).status).toBe(204);
    expect(await forced('marked')).toBe('true');
    expect((await objects.get('box/any/marked')).metadata.deletionTimestamp).toBeDefined();
  });

  it('applies to a deletion in progress, in every spelling', async () => {
    for (const path of ['box:any:going', 'box/any/going']) {
      const name = path.startsWith('box:') ? 'going' : 'gone-by-name';
      await apply(name);
      await objects.hold(`box/any/${name}`);
      await remove(name);
      expect(await statusOf(name)).toBe(404);
      expect(await forced(name)).toBeUndefined();
      const answer = await acme.delete(`/resources/${path.replace('going', name)}?force=true`);
      expect(answer.status).toBe(204);
      expect(await forced(name)).toBe('true');
    }
  });

  it('leaves no mark that forces a later deletion', async () => {
    await apply('crashed');
    await objects.hold('box/any/crashed');
    await objects.annotate('box/any/crashed', { [annotation.forceDeletion]: 'true' });
    expect((await remove('crashed')).status).toBe(204);
    expect(await forced('crashed')).toBeUndefined();
  });

  it('does not reach into another project', async () => {
    const shop = await api.caller(organization, { project_id: 'shop' });
    await apply('office');
    await objects.hold('box/any/office');
    await shop.delete('/resources/box:any:office?force=true');
    expect(await statusOf('office')).toBe(200);
    await remove('office');
    await shop.delete('/resources/box:any:office?force=true');
    expect(await forced('office')).toBeUndefined();
  });

  it('is rejected with other parameters', async () => {
    expect((await remove('any', '?force=very')).status).toBe(422);
  });
});

describe('a resource in deletion', () => {
  const path = '/resources/box:any:leaves';
  const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
  const leaving = { name: 'leaves', lifecycle_state: 'processing', deletion_requested_at: at };
  const names = async (query: string, caller = acme) =>
    ((await caller.get(`/resources/?${query}`)).body as { name: string }[]).map(({ name }) => name);

  it('is listed on request, and only then', async () => {
    const mark = { tags: ['view'], project_id: 'shop' };
    await apply('leaves', mark);
    await apply('stays', mark);
    await objects.hold('box/any/leaves');
    await remove('leaves');
    expect((await acme.get(path)).status).toBe(404);
    expect(await names('tags=view')).toEqual(['stays']);
    for (const each of [path, '/resources/box/any/leaves']) {
      expect(await acme.get(`${each}?deleting=include`)).toMatchObject({
        status: 200,
        body: leaving,
      });
    }
    expect(await names('tags=view&deleting=include')).toEqual(['leaves', 'stays']);
    expect(await names('tags=view&deleting=only')).toEqual(['leaves']);
    expect(await names('tags=view&deleting=only&lifecycle_state=processing')).toEqual(['leaves']);
    expect(await names('tags=view&deleting=only&lifecycle_state=ready')).toEqual([]);
    expect(await names('tags=view&deleting=only&provider=van')).toEqual([]);
    const page = await acme.get('/resources/?tags=view&deleting=include&limit=1');
    expect(page.headers['link']).toContain('deleting=include');
  });

  it('is visible to a token of its project only', async () => {
    const shop = await api.caller(organization, { project_id: 'shop' });
    expect(await names('deleting=only', shop)).toEqual(['leaves']);
    const other = await api.caller(organization, { project_id: 'elsewhere' });
    expect(await names('deleting=only', other)).toEqual([]);
    expect((await other.get(`${path}?deleting=include`)).status).toBe(404);
  });

  it('is failed after its teardown failed terminally', async () => {
    const event = failedDeletion('evt-leaves');
    const status = { state: 'deleting', reason: 'DeleteFailed', error: 'X: no', event } as const;
    await objects.says('box/any/leaves', status);
    await eventually(async () => {
      expect((await acme.get(`${path}?deleting=include`)).body).toMatchObject({
        lifecycle_state: 'failed',
        reason: 'DeleteFailed',
        error: 'X: no',
        attempt: null,
      });
    });
  });

  it('is explained without a parameter, to tokens of its project', async () => {
    const shop = await api.caller(organization, { project_id: 'shop' });
    const other = await api.caller(organization, { project_id: 'elsewhere' });
    for (const part of ['explanation', 'events', 'explanation?deleting=include']) {
      for (const each of [path, '/resources/box/any/leaves']) {
        expect((await acme.get(`${each}/${part}`)).status, `${each}/${part}`).toBe(200);
        expect((await shop.get(`${each}/${part}`)).status).toBe(200);
        expect((await other.get(`${each}/${part}`)).status).toBe(404);
      }
    }
    const { body } = await acme.get(`${path}/explanation`);
    expect(body).toMatchObject({ state: 'failed', reason: 'DeleteFailed' });
    const resources = async (query: string) =>
      ((await acme.get(`/resources/explanations${query}`)).body as { resources: string[] }[])
        .flatMap((group) => group.resources)
        .filter((each) => each === 'box/any/leaves');
    expect(await resources('')).toEqual([]);
    expect(await resources('?deleting=include')).toEqual(['box/any/leaves']);
  });

  it('is under way again once its deletion is forced', async () => {
    const before = await acme.get(`${path}?deleting=include`);
    expect(before.body).toMatchObject({ lifecycle_state: 'failed' });
    expect((await acme.delete(`${path}?force=true`)).status).toBe(204);
    const going = { lifecycle_state: 'processing', reason: 'Deleting', message: null, error: null };
    expect((await acme.get(`${path}?deleting=include`)).body).toMatchObject(going);
    expect((await acme.get(`${path}/explanation`)).body).toMatchObject({ reason: 'Deleting' });
    expect(await names('deleting=only&lifecycle_state=failed')).toEqual([]);
  });

  it('is requested with these parameters', async () => {
    for (const search of ['deleting=only', 'deleting=true', 'deleting=']) {
      expect((await acme.get(`${path}?${search}`)).status).toBe(422);
    }
    expect((await acme.get('/resources/?deleting=yes')).status).toBe(422);
  });
});

describe('a teardown that failed terminally', () => {
  const event = failedDeletion('evt-again');

  it('is retried when the deletion is requested again', async () => {
    await apply('stuck');
    await objects.hold('box/any/stuck');
    await remove('stuck');
    expect(await annotationOf('stuck', annotation.requeue)).toBeUndefined();
    const status = { state: 'deleting', reason: 'DeleteFailed', event } as const;
    await eventually(async () => {
      await objects.says('box/any/stuck', status);
      expect((await remove('stuck')).status).toBe(204);
      expect(await annotationOf('stuck', annotation.requeue)).toBe('evt-again/1');
    });
    expect((await remove('stuck')).status).toBe(204);
  });
});

describe('a provider that is deleted with its resources', () => {
  const inVan = (name: string, more: object = {}) =>
    apply(name, { ...tuple(name, 'van'), ...more });

  it('is kept, with its resources, while other providers depend on one', async () => {
    await objects.create('provider', 'van');
    expect((await acme.get('/providers/van/deployment')).body).toMatchObject({
      detail: 'Provider van runs elsewhere (127.0.0.1:9) and is not deployed by Fairlead',
      code: 'not_deployed',
    });
    const settings = '/providers/van/settings';
    for (const answer of [
      await acme.get(settings),
      await acme.send('PATCH', settings, { body: '{"values":{"pool":1}}' }),
    ]) {
      expect(answer, '[A22]').toMatchObject({
        status: 404,
        body: {
          code: 'not_deployed',
          detail: 'Provider van runs elsewhere (127.0.0.1:9): Fairlead sends it no settings',
          help: expect.stringContaining('serve(provider, { settings })'),
          context: { provider: 'van', hosted: false },
        },
      });
    }
    expect((await acme.get('/providers/van/logs')).body, '[A22]').toMatchObject({
      detail: 'Provider van runs elsewhere (127.0.0.1:9): Fairlead has no log of it',
      help: 'Read its log where it runs.',
    });
    await inVan('seat');
    await inVan('wheel');
    await apply('driver', { dependencies: [tuple('seat', 'van')] });
    const refused = await acme.delete('/providers/van?cascade=true');
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({
      detail: 'Resource van/any/seat is used by 1 resource: box/any/driver',
    });
    for (const name of ['seat', 'wheel']) {
      expect((await acme.get(`/resources/van:any:${name}`)).status).toBe(200);
    }
    expect((await acme.get('/providers/')).text).toContain('"van"');
    await remove('driver');
    expect((await acme.delete('/providers/van?cascade=true')).status).toBe(200);
  });

  it('is deleted even if its resources depend on each other', async () => {
    await objects.create('provider', 'bus');
    const inBus = (name: string) => tuple(name, 'bus');
    await apply('hub', inBus('hub'));
    await apply('tyre', { ...inBus('tyre'), dependencies: [inBus('hub')] });
    await apply('nut', { ...inBus('nut'), dependencies: [inBus('tyre'), inBus('hub')] });
    expect((await acme.delete('/providers/bus?cascade=true')).status).toBe(200);
    for (const name of ['hub', 'tyre', 'nut']) {
      expect((await acme.get(`/resources/bus:any:${name}`)).status).toBe(404);
    }
  });
});
