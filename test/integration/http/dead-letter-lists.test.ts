// Many dead letters over HTTP against a real API server: lists, causes, deletion, and what only looks like a letter.
import { describe, expect, it } from 'vitest';
import { type DeadLetterObject, toConfigMap } from '../../../src/store/dead-letters/object.ts';
import { configMapKind } from '../../../src/store/kinds.ts';
import {
  minute as at,
  deadLetterTenants,
  eventIdFor as idOf,
  idsIn,
  never,
} from '../../support/fixtures/dead-letters/dead-letter-tenants.ts';
import { aDeadLetter } from '../../support/fixtures/dead-letters/failed-resources.ts';
import type { Answer } from '../../support/servers/served-api.ts';

const { client, tenant } = deadLetterTenants();

describe('a list of dead letters', () => {
  it('is in the order of event ids, in pages', async () => {
    const { organization, admin } = await tenant();
    const minutes = [5, 2, 9, 2, 7, 1];
    const deadLetters = minutes.map((minute, index) =>
      aDeadLetter(organization, idOf(`${index}`), {
        failedAt: at(minute),
        provider: minute > 4 ? 'box' : 'bag',
      }),
    );
    for (const deadLetter of deadLetters)
      await client.create(configMapKind, toConfigMap(deadLetter));
    const order = deadLetters.map(({ eventId }) => eventId).sort();
    expect(idsIn(await admin.get('/ops/dead-letter'))).toEqual(order);

    const pages: (readonly string[])[] = [];
    let next: string | undefined = '/ops/dead-letter?limit=4';
    while (next !== undefined) {
      const page: Answer = await admin.get(next);
      pages.push(idsIn(page));
      next = /^<([^>]+)>; rel="next"$/.exec(page.headers['link']?.toString() ?? '')?.[1];
    }
    expect(pages).toEqual([order.slice(0, 4), order.slice(4)]);

    const boxes = idsIn(await admin.get('/ops/dead-letter?provider=box&limit=2'));
    const ofBox = deadLetters.filter(({ provider }) => provider === 'box');
    expect(boxes).toEqual(
      ofBox
        .map(({ eventId }) => eventId)
        .sort()
        .slice(0, 2),
    );
    expect(idsIn(await admin.get('/ops/dead-letter?provider=none'))).toEqual([]);
  });

  it.each([
    ['?provider=A', 'provider'],
    ['?limit=0', 'limit'],
    ['?limit=1001', 'limit'],
    ['?group_by=provider', 'group_by'],
    ['?cursor=nonsense', 'cursor'],
    [`?cursor=${Buffer.from('a\u0000b\u0000c').toString('base64url')}`, 'cursor'],
  ])('is rejected for %s', async (search, name) => {
    const { admin } = await tenant();
    const { status, body } = await admin.get(`/ops/dead-letter${search}`);
    expect(status).toBe(422);
    expect(body).toMatchObject({ detail: [{ loc: ['query', name] }] });
  });

  it('can be grouped by cause', async () => {
    const { organization, admin, fail } = await tenant();
    const live = await fail('box', 'orders', { failedAt: at(3) });
    for (const minute of [1, 2, 4]) {
      const errorMessage = `REFUSED: connect to 10.0.0.${minute}:5432`;
      const changes = { failedAt: at(minute), errorMessage };
      const deadLetter = aDeadLetter(organization, idOf(`cause ${minute}`), changes);
      await client.create(configMapKind, toConfigMap(deadLetter));
    }
    const other = {
      errorCode: 'FULL',
      errorMessage: 'FULL: disk',
      failedAt: at(9),
      provider: 'bag',
    };
    await client.create(configMapKind, toConfigMap(aDeadLetter(organization, never, other)));
    const { status, body } = await admin.get('/ops/dead-letter?group_by=error');
    expect(status).toBe(200);
    expect(body).toStrictEqual([
      {
        provider: 'box',
        cause: expect.stringMatching(/^[0-9a-f]{12}$/),
        error_code: 'REFUSED',
        error_message: 'REFUSED: connect to <address>',
        example_message: 'REFUSED: connect to 10.0.0.1:5432',
        count: 4,
        superseded: 3,
        oldest_failed_at: at(1).toISOString(),
        newest_failed_at: at(4).toISOString(),
        examples: [idOf('cause 1'), idOf('cause 2'), live.eventId],
      },
      expect.objectContaining({ error_code: 'FULL', example_message: 'FULL: disk', count: 1 }),
    ]);
    const bags = await admin.get('/ops/dead-letter?group_by=error&provider=bag');
    expect(bags.body).toMatchObject([{ provider: 'bag' }]);
  });
});

describe('deleting', () => {
  it('one letter leaves its resource as it is', async () => {
    const { fail, admin, listed, resourceOf } = await tenant();
    const deadLetter = await fail('box', 'orders');
    expect((await admin.delete(`/ops/dead-letter/${deadLetter.eventId}`)).status).toBe(204);
    expect(await listed()).toEqual([]);
    expect((await resourceOf(deadLetter)).status?.state).toBe('failed');
  });

  it.each(['', '?all=false', '?provider', '?all=maybe'])('with %j is rejected', async (search) => {
    const { organization, admin, listed } = await tenant();
    await client.create(configMapKind, toConfigMap(aDeadLetter(organization, never)));
    expect((await admin.delete(`/ops/dead-letter${search}`)).status).toBe(422);
    expect((await listed()).length).toBe(1);
  });

  it('without a filter lists the possible filters', async () => {
    const { admin } = await tenant();
    for (const search of ['', '?all=false']) {
      const { body } = await admin.delete(`/ops/dead-letter${search}`);
      expect(body).toMatchObject({
        detail: [{ loc: ['query', 'all'] }, { loc: ['query', 'provider'] }],
      });
    }
  });

  it.each<[string, readonly string[]]>([
    ['?all=true', []],
    ['?provider=box', ['bag']],
    ['?all=true&provider=box', ['bag']],
    ['?all=false&provider=box', ['bag']],
    ['?provider=none', ['bag', 'box', 'box']],
  ])('with %s leaves %j', async (search, left) => {
    const { organization, admin, listed } = await tenant();
    for (const [index, provider] of ['box', 'box', 'bag'].entries()) {
      const deadLetter = aDeadLetter(organization, idOf(`${index}`), { provider });
      await client.create(configMapKind, toConfigMap(deadLetter));
    }
    const { status, body } = await admin.delete(`/ops/dead-letter${search}`);
    const deleted = 3 - left.length;
    expect(status).toBe(200);
    expect(body).toStrictEqual({ deleted, deleted_count: deleted });
    const providers = (await listed()) as unknown as readonly { provider: string }[];
    expect(providers.map(({ provider }) => provider).sort()).toEqual(left);
  });
});

describe('ConfigMaps that look like letters', () => {
  const broken = idOf('broken');

  it.each<[string, (object: DeadLetterObject) => DeadLetterObject]>([
    [
      'without label',
      ({ metadata, ...rest }) => ({ ...rest, metadata: { ...metadata, labels: {} } }),
    ],
    ['without data', ({ data: _gone, ...rest }) => rest],
    [
      'with a payload that is not JSON',
      (object) => ({ ...object, data: { ...object.data, payload: '{' } }),
    ],
    [
      'with the data of another',
      (object) => ({ ...object, data: { ...object.data, event_id: never } }),
    ],
  ])('%s are ignored, and kept', async (_name, change) => {
    const { organization, admin, listed } = await tenant();
    await client.create(configMapKind, change(toConfigMap(aDeadLetter(organization, broken))));
    expect(await listed()).toEqual([]);
    expect((await admin.get('/ops/dead-letter?group_by=error')).body).toEqual([]);
    expect((await admin.get(`/ops/dead-letter/${broken}`)).status).toBe(404);
    expect((await admin.post(`/ops/dead-letter/${broken}/retry`, undefined)).status).toBe(404);
    expect((await admin.delete(`/ops/dead-letter/${broken}`)).status).toBe(204);
    expect((await admin.delete('/ops/dead-letter?all=true')).body).toMatchObject({ deleted: 0 });
    const { namespace } = organization;
    await client.get(configMapKind, { namespace, name: broken });
  });
});
