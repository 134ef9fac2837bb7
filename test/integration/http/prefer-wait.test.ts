// `Prefer: wait` on reads, applies and deletions, against a real API server. The test writes what reconcilers would.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ResourceStatus } from '../../../src/crds/resource.ts';
import { contentHashOf } from '../../../src/store/resources/content.ts';
import { resourceObjects } from '../../support/fixtures/resource-objects.ts';
import { eventually } from '../../support/runner/eventually.ts';
import {
  type Answer,
  type ApiCaller,
  type ServedApi,
  serveApi,
  textOf,
} from '../../support/servers/served-api.ts';

const organization = `wait-${randomUUID().slice(0, 8)}`;
let api: ServedApi;
let admin: ApiCaller;
let objects: ReturnType<typeof resourceObjects>;

beforeAll(async () => {
  api = await serveApi();
  admin = await api.caller(organization);
  await admin.post('/resources/register', { provider: 'box', resource: 'crate' });
  objects = resourceObjects(api, organization);
  await objects.create('project', 'shop');
});

afterAll(async () => {
  await objects?.close();
  await api?.close();
});

const pathOf = (name: string) => `/resources/box/crate/${name}`;
const body = (name: string, more: object = {}) => ({
  ...{ provider: 'box', resource: 'crate', name, config: {}, lifecycle_state: 'pending' },
  ...more,
});
const prefer = (value: string) => ({ headers: { prefer: value } });

function waiting(method: string, path: string, seconds: number, sent?: object): Promise<Answer> {
  const headers = { prefer: `wait=${seconds}` };
  return admin.send(method, path, { headers, ...(sent && { body: sent }) });
}

async function apply(name: string, more: object = {}): Promise<void> {
  const { status, text } = await admin.post('/resources/apply', body(name, more));
  expect(status, text).toBe(200);
}

/** As a reconciler does after an event; retried, because another one writes, too. */
async function settleAs(name: string, status: Partial<ResourceStatus>): Promise<void> {
  const of = `box/crate/${name}`;
  await objects.says(of, { ...status, content: contentHashOf((await objects.get(of)).spec) });
}

const ready = { state: 'ready', reason: 'Processed', outputs: { host: 'db1' } } as const;
const failed = { state: 'failed', reason: 'ProviderFailed', error: 'NO: never' } as const;

/** Answers only after `change`, and soon. */
async function answeredAfter(
  asked: Promise<Answer>,
  change: () => Promise<unknown>,
): Promise<Answer> {
  let isAnswered = false;
  void asked.then(() => {
    isAnswered = true;
  });
  // The service has received the request when it has answered a later one.
  await admin.get('/auth/me');
  expect(isAnswered).toBe(false);
  await change();
  return await asked;
}

describe('a read', () => {
  it.each([
    ['ready', ready, { lifecycle_state: 'ready', outputs: { host: 'db1' } }],
    ['failed', failed, { lifecycle_state: 'failed', error: 'NO: never' }],
  ])('waits until the resource is %s', async (name, status, expected) => {
    await apply(name);
    const asked = waiting('GET', pathOf(name), 60);
    const answer = await answeredAfter(asked, () => settleAs(name, status));
    expect(answer).toMatchObject({ status: 200, body: expected });
    expect(answer.headers['preference-applied']).toBe('wait=60');
  });

  it('does not wait for what is settled, or missing, or of another project', async () => {
    await apply('sketch', { lifecycle_state: 'draft' });
    expect(await waiting('GET', pathOf('sketch'), 60)).toMatchObject({ status: 200 });
    expect(await waiting('GET', pathOf('missing'), 60)).toMatchObject({ status: 404 });
    await apply('office');
    const shop = await api.caller(organization, { project_id: 'shop' });
    const hidden = await shop.send('GET', pathOf('office'), prefer('wait=60'));
    const missing = await admin.get(pathOf('missing'));
    expect(hidden.status).toBe(404);
    expect(textOf(hidden)).toBe(textOf(missing).replace('missing', 'office'));
  });

  it('answers with the present state when the time is up', async () => {
    await apply('late');
    const started = performance.now();
    const answer = await waiting('GET', pathOf('late'), 1);
    expect(performance.now() - started).toBeGreaterThan(950);
    expect(answer).toMatchObject({ status: 200, body: { lifecycle_state: 'pending' } });
    expect(answer.headers['preference-applied']).toBe('wait=1');
  });

  it('ends when the resource is deleted', async () => {
    await apply('leaves');
    const asked = waiting('GET', pathOf('leaves'), 60);
    const answer = await answeredAfter(asked, () => admin.delete(pathOf('leaves')));
    expect(answer).toMatchObject({ status: 404, body: { code: 'resource_not_found' } });
  });

  it.each(['wait', 'wait=soon', 'wait=-1', 'respond-async', ''])(
    'ignores what it does not understand: %j',
    async (value) => {
      await apply('ignored');
      const answer = await admin.send('GET', pathOf('ignored'), prefer(value));
      expect(answer.status).toBe(200);
      expect(answer.headers['preference-applied']).toBeUndefined();
    },
  );
});

describe('an apply', () => {
  it('waits for the result of its own content, not of an earlier one', async () => {
    await apply('twice');
    await settleAs('twice', ready);
    const asked = waiting('POST', '/resources/apply', 60, body('twice', { config: { size: 2 } }));
    const answer = await answeredAfter(asked, async () => {
      await eventually(async () =>
        expect((await objects.get('box/crate/twice')).spec.config).toEqual({ size: 2 }),
      );
      await settleAs('twice', { ...ready, outputs: { host: 'db2' } });
    });
    expect(answer).toMatchObject({
      status: 200,
      body: { lifecycle_state: 'ready', config: { size: 2 }, outputs: { host: 'db2' } },
    });
  });

  it('answers a draft, a refusal and a repetition at once', async () => {
    const send = (sent: object) => waiting('POST', '/resources/apply', 60, sent);
    expect((await send(body('draft', { lifecycle_state: 'draft' }))).status).toBe(200);
    expect((await send(body('draft', { provider: 'none' }))).status).toBe(422);
    await apply('done');
    await settleAs('done', ready);
    expect(await send(body('done'))).toMatchObject({ body: { lifecycle_state: 'ready' } });
  });

  it('is answered with a conflict when another request deletes the resource', async () => {
    const asked = waiting('POST', '/resources/apply', 60, body('contested'));
    const answer = await answeredAfter(asked, async () => {
      await objects.hold('box/crate/contested');
      await admin.delete(pathOf('contested'));
    });
    expect(answer).toMatchObject({ status: 409, body: { code: 'resource_deleting' } });
    await objects.release('box/crate/contested');
  });
});

describe('a deletion', () => {
  const event = {
    id: 'evt-wait',
    type: 'DELETE',
    generation: 1,
    content: 'content',
    declared: 'content',
    attempt: 5,
    sequence: 5,
    startedAt: '2026-01-01T00:00:00.000Z',
  } as const;

  it('waits until the resource is gone', async () => {
    await apply('goes');
    await objects.hold('box/crate/goes');
    const answer = await answeredAfter(waiting('DELETE', pathOf('goes'), 60), () =>
      objects.release('box/crate/goes'),
    );
    expect(answer.status).toBe(204);
    expect(answer.headers['preference-applied']).toBe('wait=60');
    expect((await admin.get(`${pathOf('goes')}?deleting=include`)).status).toBe(404);
    expect((await waiting('DELETE', pathOf('goes'), 60)).status).toBe(204);
  });

  it('is still under way when the time is up', async () => {
    await apply('stays');
    await objects.hold('box/crate/stays');
    const answer = await waiting('DELETE', '/resources/box:crate:stays', 1);
    expect(answer).toMatchObject({
      status: 202,
      body: {
        detail:
          'Resource box/crate/stays is still being deleted; repeat the request to wait longer',
        code: 'resource_deleting',
      },
    });
    await objects.release('box/crate/stays');
  });

  it('reports its failure, and a repeated one waits for the new try', async () => {
    await apply('stuck');
    await objects.hold('box/crate/stuck');
    const failure = { state: 'deleting', reason: 'DeleteFailed', error: 'X: no', event } as const;
    const answer = await answeredAfter(waiting('DELETE', pathOf('stuck'), 60), async () => {
      // The reconciler is done with it: otherwise it takes the failure for its own, and waits for a provider to try again.
      await eventually(async () => {
        const { metadata } = await objects.get('box/crate/stuck');
        expect(metadata.deletionTimestamp).toBeDefined();
        expect(metadata.finalizers).toHaveLength(1);
      });
      await objects.says('box/crate/stuck', failure);
    });
    expect(answer).toMatchObject({ status: 409, body: { code: 'deletion_failed' } });
    expect(answer.text).toContain('X: no');
    const again = await answeredAfter(waiting('DELETE', pathOf('stuck'), 60), () =>
      objects.release('box/crate/stuck'),
    );
    expect(again.status).toBe(204);
  });
});
