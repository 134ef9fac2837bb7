// Drift, observations and corrections over HTTP, against a real API server. The test writes what reconcilers would.
import { describe, expect, it } from 'vitest';
import type { Provider } from '../../../src/crds/provider.ts';
import { annotation, kinds } from '../../../src/store/kinds.ts';
import { changed } from '../../support/fixtures/explanation/explained-resources.ts';
import { observableTypes, pathOf } from '../../support/fixtures/observation/observable-types.ts';
import { eventually } from '../../support/runner/eventually.ts';

const on = observableTypes();
const specOf = async (name: string) => (await on().objects.get(`box/crate/${name}`)).spec;
const drifted = { reason: 'Drifted', drift: changed };

describe('drift', () => {
  it('is shown, listed and explained', async () => {
    await on().made('well');
    await on().made('off', drifted);
    const { body } = await on().admin.get(pathOf('off'));
    expect(body).toMatchObject({
      ...{ lifecycle_state: 'ready', reason: 'Drifted' },
      drift: {
        ...{ kind: 'changed', total: 2, compared: 7, unknown: 1 },
        changes: [{ path: '/size', declared: 10, actual: 20 }, { path: '/tags' }],
      },
    });
    const names = async (query: string) =>
      ((await on().admin.get(`/resources/${query}`)).body as { name: string }[]).map(
        ({ name }) => name,
      );
    expect(await names('?drift=true')).toEqual(['off']);
    expect(await names('?drift=false&limit=50')).toContain('well');
    expect(await names('?drift=false')).not.toContain('off');
    expect((await on().admin.get('/resources/?drift=yes')).status).toBe(422);
    await eventually(async () => {
      expect((await on().admin.get('/resources/explanations?provider=box')).body).toMatchObject([
        { count: 1, resources: ['box/crate/off'], cause: { reason: 'Drifted' } },
      ]);
    });
    const why = (await on().admin.get(`${pathOf('off')}/explanation`)).body;
    expect(why).toMatchObject({
      summary: 'box/crate/off has drifted: /size, /tags differ, 2 of 7 compared values.',
      next: [{ do: 'correct' }, { do: 'apply_actual' }, { do: 'edit' }],
    });
  });
});

describe('a correction', () => {
  const correct = (name: string, headers: Record<string, string> = {}, type = 'crate') =>
    on().admin.send('POST', `${pathOf(name, type)}/correct`, { headers });

  it('of a ready resource that has drifted sends an event, once', async () => {
    await on().made('again', drifted);
    const { headers } = await on().admin.get(pathOf('again'));
    expect(await correct('again', { 'if-match': '"old"' })).toMatchObject({ status: 412 });
    const begun = await correct('again', { 'if-match': String(headers.etag) });
    expect(begun).toMatchObject({ status: 200, body: { lifecycle_state: 'pending' } });
    expect(await specOf('again')).toMatchObject({ retry: 1, config: { size: 10 } });
    const repeated = await correct('again', { 'if-match': String(headers.etag) });
    expect(repeated, 'its answer may have been lost').toMatchObject({ status: 200 });
    expect(await specOf('again')).toMatchObject({ retry: 1 });
  });

  it('waits until the resource is ready again', async () => {
    await on().made('slow', drifted);
    const answered = correct('slow', { prefer: 'wait=30' });
    await eventually(async () => expect((await specOf('slow')).retry).toBe(1));
    await on().settle('slow', { drift: undefined });
    expect(await answered).toMatchObject({
      status: 200,
      headers: { 'preference-applied': 'wait=30' },
      body: { lifecycle_state: 'ready', drift: null },
    });
  });

  it('without drift changes nothing, and refuses what it cannot correct', async () => {
    await on().made('same');
    expect(await correct('same')).toMatchObject({ status: 200, body: { drift: null } });
    expect(await specOf('same')).not.toHaveProperty('retry');
    await on().made('unseen', {}, { resource: 'blind' });
    expect(await correct('unseen', {}, 'blind')).toMatchObject({
      status: 409,
      body: { code: 'not_observable', detail: expect.stringContaining('does not observe') },
    });
    await on().made('read', drifted, { management: 'observed' });
    expect(await correct('read')).toMatchObject({ status: 409, body: { code: 'conflict' } });
    await on().apply('plan', { lifecycle_state: 'draft' });
    expect(await correct('plan')).toMatchObject({ status: 409, body: { code: 'not_observable' } });
    expect(await correct('nobody')).toMatchObject({ status: 404 });
  });
});

describe('an observation on request', () => {
  const observe = (name: string, headers: Record<string, string> = {}, type = 'crate') =>
    on().admin.send('POST', `${pathOf(name, type)}/observe`, { headers });
  const requestOf = async (name: string) =>
    (await on().objects.get(`box/crate/${name}`)).metadata.annotations?.[annotation.observe];

  it('is requested with another text each time, by name and by id', async () => {
    await on().made('seen');
    expect(await observe('seen')).toMatchObject({ status: 200, body: { name: 'seen' } });
    const first = await requestOf('seen');
    expect(first).toMatch(/^.{1,64}$/);
    const byId = await on().admin.send('POST', '/resources/resource:box_crate_seen/observe');
    expect(byId.status).toBe(200);
    expect(await requestOf('seen')).not.toBe(first);
    expect(await specOf('seen'), 'no event follows').not.toHaveProperty('retry');
  });

  it('waits for its own observation, and not for an earlier one', async () => {
    await on().made('slower');
    await observe('slower');
    const at = '2026-01-01T00:00:00.000Z';
    const result = { at, exists: true, compared: 3, unknown: 1 };
    const before = (await requestOf('slower')) ?? '';
    await on().objects.says('box/crate/slower', { observation: { ...result, request: before } });
    const answered = observe('slower', { prefer: 'wait=30' });
    await eventually(async () => expect(await requestOf('slower')).not.toBe(before));
    const request = (await requestOf('slower')) ?? '';
    const none = { at, request, compared: 0, unknown: 0, error: 'TIMEOUT: no answer' };
    await on().objects.says('box/crate/slower', { observation: none });
    expect(await answered).toMatchObject({
      headers: { 'preference-applied': 'wait=30' },
      body: { observation: { exists: null, error: expect.any(String) } },
    });
  });

  it('refuses what has no object, and who may not', async () => {
    await on().made('hidden', {}, { resource: 'blind' });
    expect(await observe('hidden', {}, 'blind')).toMatchObject({
      status: 409,
      body: { code: 'not_observable' },
    });
    await on().apply('coming');
    expect(await observe('coming')).toMatchObject({
      status: 409,
      body: { code: 'not_observable', detail: expect.stringContaining('never succeeded') },
    });
    await on().apply('sought', { management: 'observed' });
    expect(await observe('sought'), 'it may exist by now').toMatchObject({ status: 200 });
    expect(await observe('nobody')).toMatchObject({ status: 404 });
    expect((await on().viewer.send('POST', `${pathOf('sought')}/observe`)).status).toBe(403);
  });
});

it('releases the corrections of a provider that are held', async () => {
  const release = () => on().admin.send('POST', '/providers/disks/corrections/release');
  const stored = () =>
    on().client.get<Provider>(kinds.provider, { namespace: on().namespace, name: 'disks' });
  expect(await release()).toMatchObject({ status: 200, body: { corrections_held: null } });
  expect((await stored()).spec, 'nothing was held').not.toHaveProperty('correctionsReleased');
  const since = '2026-01-01T00:00:00.000Z';
  const message = '12 of 40 objects differ';
  const held = {
    ...{ type: 'CorrectionsHeld', status: 'True', reason: 'CorrectionsHeld', message },
    ...{ lastTransitionTime: since, observedGeneration: 1 },
  };
  // The controller writes, too.
  await eventually(async () => {
    const found = await stored();
    const conditions = [...(found.status?.conditions ?? []), held];
    await on().client.replaceStatus(kinds.provider, {
      ...found,
      status: { ...found.status, conditions } as never,
    });
    expect((await on().admin.get('/providers/')).body).toMatchObject([
      { provider: 'disks', corrections_held: { since, message } },
    ]);
  });
  expect(await release()).toMatchObject({ status: 200, body: { corrections_held: null } });
  expect((await stored()).spec.correctionsReleased, 'it names what it releases').toBe(since);
  const nobody = await on().admin.send('POST', '/providers/nobody/corrections/release');
  expect(nobody).toMatchObject({ status: 404, body: { code: 'not_deployed' } });
});
