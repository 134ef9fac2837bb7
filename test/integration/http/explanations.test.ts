// Explanations and Kubernetes Events of resources over HTTP, against a real API server.
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Provider } from '../../../src/crds/provider.ts';
import type { Resource } from '../../../src/crds/resource.ts';
import { keyOf, objectNameOf } from '../../../src/domain/identity.ts';
import { eventKind, type KubeObject } from '../../../src/kube/api.ts';
import { apiVersion, kinds } from '../../../src/store/kinds.ts';
import { deadLetterTenants } from '../../support/fixtures/dead-letters/dead-letter-tenants.ts';
import { eventually } from '../../support/runner/eventually.ts';

const { api, client, tenant } = deadLetterTenants();

const apply = (name: string, more: object = {}) => ({
  provider: 'box',
  resource: 'crate',
  name,
  config: {},
  lifecycle_state: 'pending',
  ...more,
});
const type = { provider: 'box', resource: 'crate', description: 'A crate' };

it('explains a failure with its dead letter, and groups what failed of one cause', async () => {
  const { admin, fail, organization } = await tenant();
  await admin.post('/resources/register', { ...type, retry: { attempts: 5 } });
  const lines = Array.from({ length: 12 }, (_each, at) => `line ${at}`);
  const letter = await fail('box', 'one', { log: lines });
  await fail('box', 'two');
  const { status, body } = await admin.get('/resources/box/crate/one/explanation');
  expect(status).toBe(200);
  const [group] = (await admin.get('/ops/dead-letter?group_by=error')).body as [{ cause: string }];
  const deadLetter = {
    event_id: letter.eventId,
    resource: 'box/crate/one',
    cause: group.cause,
    same_cause: 1,
  };
  expect(body).toMatchObject({
    resource: 'box/crate/one',
    state: 'failed',
    chain: [
      { kind: 'provider', ref: 'box', state: 'refused', reason: 'ProviderFailed' },
      { kind: 'resource', state: 'failed', message: null },
    ],
    event: {
      ...{ event_id: letter.eventId, attempt: 5, max_attempts: 5 },
      ...{ next_attempt_at: null, errors: [] },
    },
    dead_letter: deadLetter,
    log_excerpt: lines.slice(2),
    next: [
      { do: 'edit', resource: 'box/crate/one' },
      { do: 'push', provider: 'box' },
    ],
  });
  const viewer = await api().caller(organization.id, { roles: ['viewer'] });
  expect((await viewer.get('/resources/box/crate/one/explanation')).body).toMatchObject({
    next: [
      { do: 'ask_editor', resource: 'box/crate/one' },
      { do: 'ask_administrator', provider: 'box' },
    ],
  });
  const all = (await admin.get('/resources/explanations')).body;
  expect(all).toMatchObject([
    { count: 2, resources: ['box/crate/one', 'box/crate/two'], cause: { kind: 'provider' } },
  ]);
  const none = await admin.get('/resources/explanations?lifecycle_state=pending');
  expect(none.body).toEqual([]);
  const { resource } = await fail('box', 'three');
  await eventually(async () => {
    const found = await client.get<Resource>(kinds.resource, resource);
    await client.replace(kinds.resource, { ...found, spec: { ...found.spec, set: 'shop' } });
  });
  await eventually(async () => {
    const ofSet = await admin.get('/resources/explanations?set=shop');
    expect(ofSet.body).toMatchObject([{ count: 1, resources: ['box/crate/three'] }]);
  });
});

it('names a clock that differs, and since when, and whom to ask', async () => {
  const { admin, fail, organization } = await tenant();
  const { namespace } = organization;
  const at = { apiVersion, kind: kinds.provider.kind, metadata: { namespace, name: 'box' } };
  await client.create<Provider>(kinds.provider, {
    ...at,
    spec: { provider: 'box', endpoint: 'http://127.0.0.1:9' },
  });
  const since = '2026-01-31T12:00:00.000Z';
  const skew = { type: 'ClockSkew', status: 'True', reason: 'ClockSkew', message: 'It differs' };
  const condition = { ...skew, lastTransitionTime: since, observedGeneration: 1 };
  const { resource } = await fail('box', 'late');
  const error = 'clock_skew: The clock of the provider is 90 s ahead of that of Fairlead';
  // The controller writes, too.
  await eventually(async () => {
    const found = await client.get<Provider>(kinds.provider, { namespace, name: 'box' });
    const status = { ...found.status, conditions: [condition] };
    await client.replaceStatus(kinds.provider, { ...found, status });
  });
  await eventually(async () => {
    const found = await client.get<Resource>(kinds.resource, resource);
    const status = { ...found.status, reason: 'AttemptsExhausted', error };
    await client.replaceStatus(kinds.resource, { ...found, status });
  });
  const { body } = await admin.get('/resources/box/crate/late/explanation');
  expect(body).toMatchObject({
    chain: [{ kind: 'provider', state: 'failed', reason: 'ClockSkew', message: error, since }, {}],
    next: [{ do: 'ask_administrator', provider: 'box' }, { do: 'retry_dead_letters' }],
  });
});

it('explains what waits for a provider that was never deployed, by any spelling of the id', async () => {
  const admin = await api().caller(`why-${randomUUID().slice(0, 8)}`);
  await admin.post('/resources/register', type);
  await admin.post('/resources/apply', apply('shop'));
  const ids = ['resource:box_crate_shop', 'box:crate:shop', 'box%2Fcrate%2Fshop', 'box/crate/shop'];
  await eventually(async () => {
    for (const id of ids) {
      expect((await admin.get(`/resources/${id}/explanation`)).body).toMatchObject({
        summary: 'box/crate/shop is pending because provider box was never deployed.',
        chain: [
          { kind: 'provider', state: 'missing' },
          { kind: 'resource', state: 'pending' },
        ],
        dead_letter: null,
        next: [{ do: 'push', provider: 'box' }],
      });
    }
  });
  const missing = await admin.get('/resources/box/crate/none/explanation');
  expect(missing).toMatchObject({ status: 404, body: { code: 'resource_not_found' } });
});

it('[H17] shows nothing of other organizations, nor of other projects to a token of one', async () => {
  const { admin, fail, organization } = await tenant();
  await fail('box', 'canary', { log: ['a line of a log'] });
  const stranger = await api().caller(`why-${randomUUID().slice(0, 8)}`);
  expect((await stranger.get('/resources/explanations')).body).toEqual([]);
  await admin.post('/projects', { name: 'shop', project_id: 'shop' });
  const confined = await api().caller(organization.id, { project_id: 'shop' });
  for (const caller of [stranger, confined]) {
    for (const part of ['explanation', 'events']) {
      const answer = await caller.get(`/resources/box/crate/canary/${part}`);
      expect(answer).toMatchObject({ status: 404, body: { code: 'resource_not_found' } });
    }
  }
  await admin.post('/resources/register', type);
  const reference = '$' + '{box/crate/canary.outputs.url}';
  await confined.post('/resources/apply', apply('till', { config: { url: reference } }));
  await eventually(async () => {
    const groups = (await confined.get('/resources/explanations')).body as readonly unknown[];
    expect(groups).toMatchObject([{ count: 1, resources: ['box/crate/till'], dead_letter: null }]);
  });
  const others = await confined.get('/resources/explanations?project_id=other');
  expect(others.body).toEqual([]);
  // What it refers to is its own text; nothing else is known of it.
  const { text } = await confined.get('/resources/box/crate/till/explanation');
  expect(text).not.toContain('REFUSED');
  const { project_id: project } = (await admin.get('/resources/box/crate/canary')).body as {
    project_id: string;
  };
  const ofProject = await api().caller(organization.id, { project_id: project });
  const own = await ofProject.get('/resources/box/crate/canary/explanation');
  expect(own).toMatchObject({ status: 200, body: { dead_letter: null, log_excerpt: [] } });
  expect(own.text).not.toContain('a line of a log');
});

it('lists the Kubernetes Events of a resource alone', async () => {
  const { admin, fail, organization } = await tenant();
  await fail('box', 'one');
  await fail('box', 'two');
  const { namespace } = organization;
  const note = async (name: string, message: string) => {
    const found = await client.get<Resource>(kinds.resource, {
      namespace,
      name: objectNameOf(keyOf({ provider: 'box', resource: 'crate', name })),
    });
    await client.create(eventKind, {
      metadata: { namespace, name: `note-${randomUUID()}` },
      eventTime: '2026-01-31T12:00:00.000000Z',
      reportingController: 'example.com/test',
      reportingInstance: 'test',
      action: 'Noted',
      reason: 'Noted',
      type: 'Warning',
      note: message,
      regarding: { apiVersion: 'fairlead.dev/v1alpha1', kind: 'Resource', ...found.metadata },
    } as KubeObject);
  };
  await note('one', 'about one');
  await note('two', 'about two');
  const { status, body, text } = await admin.get('/resources/box/crate/one/events');
  expect(status, text).toBe(200);
  expect(body).toContainEqual({
    type: 'Warning',
    reason: 'Noted',
    message: 'about one',
    count: 1,
    first_at: '2026-01-31T12:00:00.000Z',
    last_at: '2026-01-31T12:00:00.000Z',
  });
  expect(text).not.toContain('about two');
});
