// Single dead letters over HTTP against a real API server: shown, sent again, and by whom.
import { describe, expect, it } from 'vitest';
import { toConfigMap } from '../../../src/store/dead-letters/object.ts';
import { annotation, configMapKind, kinds, label } from '../../../src/store/kinds.ts';
import {
  minute as at,
  deadLetterTenants,
  eventIdFor as idOf,
  never,
} from '../../support/fixtures/dead-letters/dead-letter-tenants.ts';
import { aDeadLetter } from '../../support/fixtures/dead-letters/failed-resources.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { textOf } from '../../support/servers/served-api.ts';

const { api, client, tenant } = deadLetterTenants();

describe('a dead letter', () => {
  it('is returned completely', async () => {
    const { fail, admin, organization } = await tenant();
    const deadLetter = await fail('box', 'orders', { failedAt: at(1), exists: false });
    const { status, body } = await admin.get(`/ops/dead-letter/${deadLetter.eventId}`);
    expect(status).toBe(200);
    expect(body).toStrictEqual({
      event_id: deadLetter.eventId,
      id: deadLetter.eventId,
      provider: 'box',
      resource_type: 'crate',
      resource_name: 'orders',
      event_type: 'CREATE',
      error_code: 'REFUSED',
      error_message: 'REFUSED: connect to 10.0.0.1:5432',
      exists: false,
      attempt_count: 5,
      failed_at: '2026-01-01T00:01:00.000Z',
      payload: { event_id: expect.stringMatching(/^evt-/), config: { size: 1 } },
      organization_id: organization.id,
      project_id: deadLetter.projectId,
      project_name: 'default',
      superseded: false,
      cause: expect.stringMatching(/^[0-9a-f]{12}$/),
      log_excerpt: null,
    });
    const { log_excerpt: _, ...listed } = body as { log_excerpt: null };
    expect((await admin.get('/ops/dead-letter')).body).toStrictEqual([listed]);
  });

  it.each([
    ['GET', ''],
    ['POST', '/retry'],
  ])('that is missing is not found by %s', async (method, rest) => {
    const { admin } = await tenant();
    const { status, body } = await admin.send(method, `/ops/dead-letter/${never}${rest}`);
    expect(status).toBe(404);
    expect(body).toMatchObject({
      detail: `Dead letter not found: ${never}`,
      code: 'dead_letter_not_found',
    });
  });

  it('that is missing is deleted successfully', async () => {
    const { admin } = await tenant();
    expect((await admin.delete(`/ops/dead-letter/${never}`)).status).toBe(204);
  });

  it.each([
    ['evt-1'],
    ['kube-root-ca.crt'],
    ['..%2fsecrets%2fx'],
    [never.toUpperCase()],
    ['%00'],
    ['é'.repeat(300)],
  ])('with an impossible id is treated as missing: %s', async (id) => {
    const { admin } = await tenant();
    const path = `/ops/dead-letter/${encodeURI(id).replaceAll('%25', '%')}`;
    for (const answer of [await admin.get(path), await admin.post(`${path}/retry`, undefined)]) {
      expect(answer).toMatchObject({ status: 404, body: { code: 'dead_letter_not_found' } });
      expect(answer.text.length).toBeLessThan(300);
    }
    expect((await admin.delete(path)).status).toBe(204);
  });

  it('of another organization is treated as missing', async () => {
    const [mine, theirs] = [await tenant(), await tenant()];
    const { eventId } = await theirs.fail('box', 'orders');
    const { admin } = mine;
    const paths = ['', '/retry'] as const;
    for (const rest of paths) {
      const method = rest === '' ? 'GET' : 'POST';
      const foreign = await admin.send(method, `/ops/dead-letter/${eventId}${rest}`);
      const missing = await admin.send(method, `/ops/dead-letter/${never}${rest}`);
      expect(foreign.status).toBe(missing.status);
      expect(textOf(foreign)).toBe(textOf(missing).replaceAll(never, eventId));
    }
    expect((await admin.delete(`/ops/dead-letter/${eventId}`)).status).toBe(204);
    expect((await admin.delete('/ops/dead-letter?all=true')).body).toMatchObject({ deleted: 0 });
    expect((await theirs.listed()).length).toBe(1);
  });
});

describe('a retry', () => {
  it('starts the event again and removes the dead letter', async () => {
    const { fail, admin, listed, resourceOf } = await tenant();
    const deadLetter = await fail('box', 'orders');
    const { status, body } = await admin.post(
      `/ops/dead-letter/${deadLetter.eventId}/retry`,
      undefined,
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({ event_id: deadLetter.eventId, superseded: false });
    expect(await listed()).toEqual([]);
    const { metadata } = await resourceOf(deadLetter);
    expect(metadata.annotations?.[annotation.requeue]).toBe(`${deadLetter.eventId}/1`);
    const resource = await admin.get('/resources/box/crate/orders');
    expect(resource.body).not.toMatchObject({ lifecycle_state: 'failed' });
  });

  it('is applied once for two parallel requests', async () => {
    const { fail, admin } = await tenant();
    for (let round = 0; round < 10; round += 1) {
      const { eventId } = await fail('box', `orders-${round}`);
      const path = `/ops/dead-letter/${eventId}/retry`;
      const answers = await Promise.all([admin.post(path, undefined), admin.post(path, undefined)]);
      expect(answers.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([
        200, 404,
      ]);
    }
  });

  it('is rejected when the resource changed since', async () => {
    const { fail, admin, organization, listed, resourceOf } = await tenant();
    const deadLetter = await fail('box', 'orders');
    const { namespace, name } = deadLetter.resource;
    await client.patch(kinds.resource, { namespace, name }, { spec: { config: { size: 2 } } });
    const { status, body } = await admin.post(
      `/ops/dead-letter/${deadLetter.eventId}/retry`,
      undefined,
    );
    expect(status).toBe(409);
    expect(body).toMatchObject({ code: 'dead_letter_superseded' });
    await eventually(async () => {
      expect(await listed()).toMatchObject([{ event_id: deadLetter.eventId, superseded: true }]);
    });
    expect(await listed('?group_by=error')).toMatchObject([{ count: 1, superseded: 1 }]);
    expect((await resourceOf(deadLetter)).metadata.annotations).toBeUndefined();
    const lost = aDeadLetter(organization, idOf('lost'));
    await client.create(configMapKind, toConfigMap(lost));
    const answer = await admin.post(`/ops/dead-letter/${lost.eventId}/retry`, undefined);
    expect(answer.status).toBe(409);
  });

  it('is completed after a crash between the mark and the dead letter', async () => {
    const { fail, admin, listed } = await tenant();
    const deadLetter = await fail('box', 'orders');
    const { namespace, name } = deadLetter.resource;
    const annotations = { [annotation.requeue]: `${deadLetter.eventId}/1` };
    await client.patch(kinds.resource, { namespace, name }, { metadata: { annotations } });
    const { status } = await admin.post(`/ops/dead-letter/${deadLetter.eventId}/retry`, undefined);
    // The controller may or may not have applied the mark by now.
    expect([200, 409]).toContain(status);
    if (status === 200) expect(await listed()).toEqual([]);
  });
});

describe('retrying all', () => {
  it('counts the waiting dead letters, and is persisted', async () => {
    const { fail, admin, organization } = await tenant();
    await fail('box', 'one');
    await fail('box', 'two');
    await fail('bag', 'three');
    await client.create(configMapKind, toConfigMap(aDeadLetter(organization, never)));
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

  it('counts each once for parallel requests', async () => {
    const { fail, admin } = await tenant();
    for (const name of ['one', 'two', 'three', 'four']) await fail('box', name);
    const path = '/ops/dead-letter/retry-all';
    const asks = [path, path, path].map((each) => admin.post(each, undefined));
    const counts = (await Promise.all(asks)).map(
      ({ body }) => (body as { retried: number }).retried,
    );
    expect(counts.reduce((sum, each) => sum + each, 0)).toBe(4);
    expect((await admin.post(`${path}?provider=box`, undefined)).body).toMatchObject({
      retried: 0,
    });
  });

  it('of one cause leaves the others, and a dry run leaves all', async () => {
    const { fail, admin, listed } = await tenant();
    for (const name of ['one', 'two']) await fail('box', name);
    await fail('box', 'three', { errorCode: 'FULL', errorMessage: 'The disk is full' });
    const groups = (await admin.get('/ops/dead-letter?group_by=error')).body;
    const [{ cause }, { cause: other }] = groups as [{ cause: string }, { cause: string }];
    expect(await listed(`?cause=${cause}`)).toHaveLength(2);
    expect(await listed(`?cause=${cause}&limit=1`)).toHaveLength(1);
    // No such cause, and a text that no label can have.
    for (const unknown of ['never', 'in%20(a,b)']) {
      expect(await listed(`?cause=${unknown}`)).toEqual([]);
    }
    expect(await listed(`?group_by=error&cause=${other}`)).toMatchObject([{ cause: other }]);
    const path = `/ops/dead-letter/retry-all?cause=${cause}`;
    const dry = await admin.post(`${path}&dry_run=true`, undefined);
    expect(dry.body).toStrictEqual({ retried: 2, retried_count: 2 });
    expect(await listed()).toHaveLength(3);
    expect((await admin.get('/ops/dead-letter/redrive')).body).toStrictEqual({
      state: 'done',
      retried: 0,
      left: 0,
      held: 0,
      causes: [],
      ended_at: null,
    });
    expect((await admin.post(path, undefined)).body).toMatchObject({ retried: 2 });
    // Nobody deploys the provider, so the event of the canary stays under way.
    await eventually(async () =>
      expect((await admin.get('/ops/dead-letter/redrive')).body).toMatchObject({
        state: 'running',
        retried: 1,
        left: 1,
        causes: [{ provider: 'box', cause, state: 'trying', count: 1 }],
      }),
    );
    expect(await listed(`?cause=${other}`)).toHaveLength(1);
    const deletion = await admin.delete(`/ops/dead-letter?cause=${other}`);
    expect(deletion.body).toStrictEqual({ deleted: 1, deleted_count: 1 });
    expect(await listed(`?cause=${other}`)).toEqual([]);
    expect((await admin.delete('/ops/dead-letter?cause=')).status).toBe(422);
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

describe('authorization', () => {
  it.each([
    ['GET', '/ops/dead-letter', 200],
    ['GET', `/ops/dead-letter/${never}`, 404],
    ['POST', `/ops/dead-letter/${never}/retry`, 403],
    ['POST', '/ops/dead-letter/retry-all', 403],
    ['POST', '/ops/dead-letter/retry-all?dry_run=true', 403],
    ['GET', '/ops/dead-letter/redrive', 200],
    ['DELETE', `/ops/dead-letter/${never}`, 403],
    ['DELETE', '/ops/dead-letter?all=true', 403],
    ['GET', '/ops/orphan-receipts', 200],
    ['DELETE', '/ops/orphan-receipts/receipt-1', 403],
  ])('%s %s as a viewer is answered %i', async (method, path, expected) => {
    const viewer = await api().caller('letters-roles', { roles: ['viewer'] });
    expect((await viewer.send(method, path)).status).toBe(expected);
    const confined = await api().caller('letters-roles', { project_id: 'shop' });
    expect((await confined.send(method, path)).status).toBe(403);
    expect((await api().stranger.send(method, path)).status).toBe(401);
  });
});
