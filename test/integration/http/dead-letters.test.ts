// Dead letters over HTTP against a real API server: what is listed, sent again and deleted, and what never is.
import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Resource } from '../../../src/crds/resource.ts';
import { type Organization, organizationOf } from '../../../src/domain/identity.ts';
import type { KubeClient } from '../../../src/kube/api.ts';
import { createKubeClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import {
  type DeadLetter,
  type LetterObject,
  toConfigMap,
} from '../../../src/store/dead-letter-object.ts';
import { annotation, configMapKind, kinds, label } from '../../../src/store/kinds.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { eventually } from '../../support/eventually.ts';
import { aLetter, failedResource } from '../../support/failed-resources.ts';
import { type Answer, type ApiCaller, type ServedApi, serveApi } from '../../support/served-api.ts';

let api: ServedApi;
let client: KubeClient;

beforeAll(async () => {
  api = await serveApi();
  client = createKubeClient(loadCluster(sharedControlPlane()));
});

afterAll(async () => {
  await api?.close();
  await client?.close();
});

interface Tenant {
  readonly organization: Organization;
  readonly admin: ApiCaller;
  fail(provider: string, name: string, changes?: Partial<DeadLetter>): Promise<DeadLetter>;
  /** Events in the list, when the caches of the service have seen what was written. */
  listed(search?: string): Promise<readonly Listed[]>;
}

interface Listed {
  readonly event_id: string;
  readonly superseded: boolean;
}

async function tenant(): Promise<Tenant> {
  const id = `letters-${randomUUID().slice(0, 8)}`;
  const organization = organizationOf(api.issuer.url, id);
  const admin = await api.caller(id);
  await admin.get('/ops/dead-letter');
  const listed = async (search = '') => {
    const { status, body, text } = await admin.get(`/ops/dead-letter${search}`);
    expect(status, text).toBe(200);
    return body as readonly Listed[];
  };
  return {
    organization,
    admin,
    listed,
    async fail(provider, resourceName, changes = {}) {
      const letter = await failedResource(client, organization, {
        provider,
        resourceName,
        ...changes,
      });
      await eventually(async () => {
        const found = (await listed()).find((each) => each.event_id === letter.eventId);
        expect(found?.superseded).toBe(false);
      });
      return letter;
    },
  };
}

function idOf(text: string): string {
  return `evt-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}

const idsIn = ({ body }: Answer) => (body as readonly Listed[]).map((each) => each.event_id);
const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1, 0, minutes));
const never = idOf('never');

async function resourceOf({ resource }: DeadLetter): Promise<Resource> {
  return await client.get<Resource>(kinds.resource, resource);
}

describe('a dead letter', () => {
  it('is shown whole', async () => {
    const { fail, admin, organization } = await tenant();
    const letter = await fail('box', 'orders', { failedAt: at(1) });
    const { status, body } = await admin.get(`/ops/dead-letter/${letter.eventId}`);
    expect(status).toBe(200);
    expect(body).toStrictEqual({
      event_id: letter.eventId,
      id: letter.eventId,
      provider: 'box',
      resource_type: 'crate',
      resource_name: 'orders',
      event_type: 'CREATE',
      error_code: 'REFUSED',
      error_message: 'REFUSED: connect to 10.0.0.1:5432',
      attempt_count: 5,
      failed_at: '2026-01-01T00:01:00.000Z',
      payload: { event_id: expect.stringMatching(/^evt-/), config: { size: 1 } },
      organization_id: organization.id,
      project_id: letter.projectId,
      superseded: false,
      cause: expect.stringMatching(/^[0-9a-f]{12}$/),
    });
    expect((await admin.get('/ops/dead-letter')).body).toEqual([body]);
  });

  it.each([
    ['GET', ''],
    ['POST', '/retry'],
  ])('that is not there is not found by %s', async (method, rest) => {
    const { admin } = await tenant();
    const { status, body } = await admin.send(method, `/ops/dead-letter/${never}${rest}`);
    expect(status).toBe(404);
    expect(body).toEqual({
      detail: `Dead letter not found: ${never}`,
      code: 'dead_letter_not_found',
    });
  });

  it('that is not there is deleted all the same', async () => {
    const { admin } = await tenant();
    expect((await admin.delete(`/ops/dead-letter/${never}`)).status).toBe(204);
  });

  it.each([
    ['GET', 'evt-1'],
    ['GET', 'kube-root-ca.crt'],
    ['DELETE', '..%2fsecrets%2fx'],
    ['DELETE', `${never.toUpperCase()}`],
  ])('is not asked for by %s of %s', async (method, id) => {
    const { admin } = await tenant();
    const { status, body } = await admin.send(method, `/ops/dead-letter/${id}`);
    expect(status).toBe(422);
    expect(body).toMatchObject({ detail: [{ loc: ['path', 'event_id'] }] });
  });

  it('of another organization is as if it were not there', async () => {
    const [mine, theirs] = [await tenant(), await tenant()];
    const { eventId } = await theirs.fail('box', 'orders');
    const { admin } = mine;
    const paths = ['', '/retry'] as const;
    for (const rest of paths) {
      const method = rest === '' ? 'GET' : 'POST';
      const foreign = await admin.send(method, `/ops/dead-letter/${eventId}${rest}`);
      const missing = await admin.send(method, `/ops/dead-letter/${never}${rest}`);
      expect(foreign.status).toBe(missing.status);
      expect(foreign.text).toBe(missing.text.replaceAll(never, eventId));
    }
    expect((await admin.delete(`/ops/dead-letter/${eventId}`)).status).toBe(204);
    expect((await admin.delete('/ops/dead-letter?all=true')).body).toMatchObject({ deleted: 0 });
    expect((await theirs.listed()).length).toBe(1);
  });
});

describe('a retry', () => {
  it('begins the event again and takes the letter away', async () => {
    const { fail, admin, listed } = await tenant();
    const letter = await fail('box', 'orders');
    const { status, body } = await admin.post(
      `/ops/dead-letter/${letter.eventId}/retry`,
      undefined,
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({ event_id: letter.eventId, superseded: false });
    expect(await listed()).toEqual([]);
    const { metadata } = await resourceOf(letter);
    expect(metadata.annotations?.[annotation.requeue]).toBe(`${letter.eventId}/1`);
    const resource = await admin.get('/resources/box/crate/orders');
    expect(resource.body).not.toMatchObject({ lifecycle_state: 'failed' });
  });

  it('of two at once happens once', async () => {
    const { fail, admin } = await tenant();
    for (let round = 0; round < 10; round += 1) {
      const { eventId } = await fail('box', `orders-${round}`);
      const path = `/ops/dead-letter/${eventId}/retry`;
      const answers = await Promise.all([admin.post(path, undefined), admin.post(path, undefined)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
    }
  });

  it('is refused when the resource went on without it', async () => {
    const { fail, admin, organization, listed } = await tenant();
    const letter = await fail('box', 'orders');
    const { namespace, name } = letter.resource;
    await client.patch(kinds.resource, { namespace, name }, { spec: { config: { size: 2 } } });
    const { status, body } = await admin.post(
      `/ops/dead-letter/${letter.eventId}/retry`,
      undefined,
    );
    expect(status).toBe(409);
    expect(body).toMatchObject({ code: 'dead_letter_superseded' });
    await eventually(async () => {
      expect(await listed()).toMatchObject([{ event_id: letter.eventId, superseded: true }]);
    });
    expect((await resourceOf(letter)).metadata.annotations).toBeUndefined();
    const lost = aLetter(organization, idOf('lost'));
    await client.create(configMapKind, toConfigMap(lost));
    const answer = await admin.post(`/ops/dead-letter/${lost.eventId}/retry`, undefined);
    expect(answer.status).toBe(409);
  });

  it('is made good when its process died between the mark and the letter', async () => {
    const { fail, admin, listed } = await tenant();
    const letter = await fail('box', 'orders');
    const { namespace, name } = letter.resource;
    const annotations = { [annotation.requeue]: `${letter.eventId}/1` };
    await client.patch(kinds.resource, { namespace, name }, { metadata: { annotations } });
    const { status } = await admin.post(`/ops/dead-letter/${letter.eventId}/retry`, undefined);
    // Whether the controller has followed the mark by then or not.
    expect([200, 409]).toContain(status);
    if (status === 200) expect(await listed()).toEqual([]);
  });
});

describe('a list of dead letters', () => {
  it('has the oldest failure first, in pages that follow each other', async () => {
    const { organization, admin } = await tenant();
    const minutes = [5, 2, 9, 2, 7, 1];
    const letters = minutes.map((minute, index) =>
      aLetter(organization, idOf(`${index}`), {
        failedAt: at(minute),
        provider: minute > 4 ? 'box' : 'bag',
      }),
    );
    for (const letter of letters) await client.create(configMapKind, toConfigMap(letter));
    const order = letters
      .map(({ eventId, failedAt }) => `${failedAt.toISOString()} ${eventId}`)
      .sort()
      .map((each) => each.split(' ')[1]);
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
    expect(boxes).toEqual([letters[0]?.eventId, letters[4]?.eventId]);
    expect(idsIn(await admin.get('/ops/dead-letter?provider=none'))).toEqual([]);
  });

  it.each([
    ['?provider=A', 'provider'],
    ['?limit=0', 'limit'],
    ['?limit=1001', 'limit'],
    ['?group_by=provider', 'group_by'],
    ['?cursor=nonsense', 'cursor'],
    [`?cursor=${Buffer.from('a\u0000b\u0000c').toString('base64url')}`, 'cursor'],
  ])('is refused for %s', async (search, name) => {
    const { admin } = await tenant();
    const { status, body } = await admin.get(`/ops/dead-letter${search}`);
    expect(status).toBe(422);
    expect(body).toMatchObject({ detail: [{ loc: ['query', name] }] });
  });

  it('shows the causes when it is grouped', async () => {
    const { organization, admin, fail } = await tenant();
    const live = await fail('box', 'orders', { failedAt: at(3) });
    for (const minute of [1, 2, 4]) {
      const errorMessage = `REFUSED: connect to 10.0.0.${minute}:5432`;
      const changes = { failedAt: at(minute), errorMessage };
      const letter = aLetter(organization, idOf(`cause ${minute}`), changes);
      await client.create(configMapKind, toConfigMap(letter));
    }
    const other = {
      errorCode: 'FULL',
      errorMessage: 'FULL: disk',
      failedAt: at(9),
      provider: 'bag',
    };
    await client.create(configMapKind, toConfigMap(aLetter(organization, never, other)));
    const { status, body } = await admin.get('/ops/dead-letter?group_by=error');
    expect(status).toBe(200);
    expect(body).toStrictEqual([
      {
        provider: 'box',
        cause: expect.stringMatching(/^[0-9a-f]{12}$/),
        error_code: 'REFUSED',
        error_message: 'refused: connect to <address>',
        count: 4,
        superseded: 3,
        oldest_failed_at: at(1).toISOString(),
        newest_failed_at: at(4).toISOString(),
        examples: [idOf('cause 1'), idOf('cause 2'), live.eventId],
      },
      expect.objectContaining({ error_code: 'FULL', count: 1, examples: [never] }),
    ]);
    const bags = await admin.get('/ops/dead-letter?group_by=error&provider=bag');
    expect(bags.body).toMatchObject([{ provider: 'bag' }]);
  });
});

describe('deleting', () => {
  it('one letter leaves its resource as it is', async () => {
    const { fail, admin, listed } = await tenant();
    const letter = await fail('box', 'orders');
    expect((await admin.delete(`/ops/dead-letter/${letter.eventId}`)).status).toBe(204);
    expect(await listed()).toEqual([]);
    expect((await resourceOf(letter)).status?.state).toBe('failed');
  });

  it.each(['', '?all=false', '?provider', '?all=maybe'])('with %j is refused', async (search) => {
    const { organization, admin, listed } = await tenant();
    await client.create(configMapKind, toConfigMap(aLetter(organization, never)));
    expect((await admin.delete(`/ops/dead-letter${search}`)).status).toBe(422);
    expect((await listed()).length).toBe(1);
  });

  it('with neither says what there is to choose', async () => {
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
      const letter = aLetter(organization, idOf(`${index}`), { provider });
      await client.create(configMapKind, toConfigMap(letter));
    }
    const { status, body } = await admin.delete(`/ops/dead-letter${search}`);
    const deleted = 3 - left.length;
    expect(status).toBe(200);
    expect(body).toStrictEqual({ deleted, deleted_count: deleted });
    const providers = (await listed()) as unknown as readonly { provider: string }[];
    expect(providers.map(({ provider }) => provider).sort()).toEqual(left);
  });
});

describe('sending all again', () => {
  it('counts what waits for it, and is written down', async () => {
    const { fail, admin, organization } = await tenant();
    await fail('box', 'one');
    await fail('box', 'two');
    await fail('bag', 'three');
    await client.create(configMapKind, toConfigMap(aLetter(organization, never)));
    const path = '/ops/dead-letter/retry-all';
    const { status, body } = await admin.post(`${path}?provider=bag`, undefined);
    expect(status).toBe(200);
    expect(body).toStrictEqual({ retried: 1, retried_count: 1 });
    expect((await admin.post(path, undefined)).status).toBe(200);
    // The superseded one goes with it.
    await eventually(async () => {
      expect((await admin.get(`/ops/dead-letter/${never}`)).status).toBe(404);
    });
  });

  it('of nothing writes nothing', async () => {
    const { admin, organization } = await tenant();
    const { body } = await admin.post('/ops/dead-letter/retry-all', undefined);
    expect(body).toStrictEqual({ retried: 0, retried_count: 0 });
    const options = {
      namespace: organization.namespace,
      labelSelector: `${label.redrive}=true`,
    };
    expect((await client.list(configMapKind, options)).items).toEqual([]);
  });
});

describe('ConfigMaps that look like letters', () => {
  const broken = idOf('broken');

  it.each<[string, (object: LetterObject) => LetterObject]>([
    [
      'without label',
      ({ metadata, ...rest }) => ({ ...rest, metadata: { ...metadata, labels: {} } }),
    ],
    ['without data', ({ data: _gone, ...rest }) => rest],
    [
      'with a payload that is no JSON',
      (object) => ({ ...object, data: { ...object.data, payload: '{' } }),
    ],
    [
      'with the data of another',
      (object) => ({ ...object, data: { ...object.data, event_id: never } }),
    ],
  ])('%s are no letters, and stay', async (_name, change) => {
    const { organization, admin, listed } = await tenant();
    await client.create(configMapKind, change(toConfigMap(aLetter(organization, broken))));
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

describe('who may', () => {
  it.each([
    ['GET', '/ops/dead-letter', 200],
    ['GET', `/ops/dead-letter/${never}`, 404],
    ['POST', `/ops/dead-letter/${never}/retry`, 403],
    ['POST', '/ops/dead-letter/retry-all', 403],
    ['DELETE', `/ops/dead-letter/${never}`, 403],
    ['DELETE', '/ops/dead-letter?all=true', 403],
    ['GET', '/ops/orphan-receipts', 200],
    ['DELETE', '/ops/orphan-receipts/receipt-1', 403],
  ])('%s %s as a viewer is answered %i', async (method, path, expected) => {
    const viewer = await api.caller('letters-roles', { roles: ['viewer'] });
    expect((await viewer.send(method, path)).status).toBe(expected);
    const confined = await api.caller('letters-roles', { project_id: 'shop' });
    expect((await confined.send(method, path)).status).toBe(403);
    expect((await api.stranger.send(method, path)).status).toBe(401);
  });
});
