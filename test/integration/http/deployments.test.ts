// Deploying versions over HTTP against a real API server. The test sets the results of builds; nothing runs.
import { describe, expect, it } from 'vitest';
import { crate, deployedCode, sized } from '../../support/fixtures/code/deployed-code.ts';
import { buildEnds, push, pushed } from '../../support/fixtures/code/provider-code.ts';
import { resourceObjects } from '../../support/fixtures/resource-objects.ts';

const organization = 'deployments';
const {
  api,
  admin: acme,
  built,
  deploy,
  serves,
  rollback,
  commit,
  typesOf,
} = deployedCode(organization);

describe('a deploy', () => {
  it('takes the newest successful version, whose types are in force once it serves', async () => {
    await built('newest');
    const version = await built('newest', crate(sized('size')));
    const later = pushed(await push(acme, 'newest'));
    const failed = { phase: 'failed', error: 'no' } as const;
    await buildEnds(api(), { organization, name: later.job_name }, failed);
    const answer = await deploy('newest');
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).toStrictEqual({
      deployment_name: 'provider-newest',
      status: expect.stringMatching(/^(pending|progressing)$/),
      available_replicas: 0,
      ready_replicas: 0,
      replicas: 1,
      serving_version: null,
      resources: {},
      version,
      updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      message: expect.any(String),
      incompatible_count: 0,
      incompatible_resources: [],
    });
    expect((await acme.get('/providers/newest/deployment')).body).toMatchObject({ version });
    expect(await typesOf('newest')).toEqual([]);
    expect((await commit('newest', 'early', { size: 1 })).text).toContain('is not registered');
    await serves('newest', version);
    expect((await acme.get('/providers/newest/deployment')).body).toMatchObject({
      serving_version: version,
    });
    expect(await typesOf('newest')).toMatchObject([
      { resource: 'crate', description: 'A crate', schema: sized('size'), retired: false },
    ]);
    expect((await commit('newest', 'first', { size: 1 })).status).toBe(200);
  });

  it('is accepted without a body, with null, and repeated', async () => {
    const version = await built('again');
    const path = '/providers/again/deploy';
    for (const sent of [{}, { body: { version: null } }, { body: { version } }]) {
      expect(await acme.send('POST', path, sent)).toMatchObject({ status: 200, body: { version } });
    }
    const found = (await acme.get('/providers/')).body as readonly { provider: string }[];
    expect(found.find(({ provider }) => provider === 'again')).toMatchObject({
      version,
      previous_version: null,
    });
  });

  it('sets the number and the size of pods, and keeps them', async () => {
    const version = await built('sized');
    const resources = { requests: { cpu: '0.5' }, limits: { memory: '1Gi' } };
    const size = { replicas: 3, resources };
    const preview = await deploy('sized', size, '?dry_run=true');
    expect(preview).toMatchObject({ status: 200, body: { ...size, version } });
    expect(await deploy('sized', size)).toMatchObject({ status: 200, body: size });
    for (const kept of [{}, { version }, { replicas: null, resources: null }]) {
      expect((await deploy('sized', kept)).body).toMatchObject(size);
    }
    const more = await deploy('sized', { replicas: 4 }, '?dry_run=true');
    expect(more.body).toMatchObject({ replicas: 4, resources });
    expect(more.headers['fairlead-plan']).toBe('update');
    expect((await deploy('sized', { resources: {} })).body).toMatchObject({ resources: {} });
    const { body } = await acme.get('/providers/sized/deployment');
    expect(body).toMatchObject({ replicas: 3, resources: {} });
  });

  it('rejects sizes beyond what the administrator allows, by field', async () => {
    await built('large');
    const limits = (amounts: object) => ({ resources: { limits: amounts } });
    for (const [body, field, says] of [
      [{ replicas: 0 }, ['replicas'], 'greater than or equal to 1'],
      [{ replicas: 11 }, ['replicas'], 'less than or equal to 10'],
      [limits({ cpu: '1e3' }), ['resources', 'limits', 'cpu'], 'Input should be a number of CPUs'],
      [limits({ disk: '1Gi' }), ['resources', 'limits', 'disk'], ''],
      [limits({ memory: '17Gi' }), ['resources', 'limits', 'memory'], 'must be at most 16Gi;'],
      [
        { resources: { requests: { memory: '2Gi' } } },
        ['resources', 'requests', 'memory'],
        'must be at most the limit, 512Mi; lower it, or set resources.limits.memory',
      ],
    ] as const) {
      const answer = await deploy('large', body);
      expect(answer, answer.text).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ['body', ...field], msg: expect.stringContaining(says) }] },
      });
    }
  });

  it('of the version that serves registers its types again', async () => {
    const version = await built('again-2');
    await deploy('again-2', { version });
    await serves('again-2', version);
    await acme.delete('/resources/unregister/again-2/crate');
    expect(await typesOf('again-2')).toEqual([]);
    expect((await deploy('again-2', { version })).status).toBe(200);
    expect(await typesOf('again-2')).toHaveLength(1);
    expect((await commit('again-2', 'first')).status).toBe(200);
  });

  it('of several versions at once keeps the types of the final one', async () => {
    const versions = [];
    for (const field of ['a', 'b', 'c']) versions.push(await built('race', crate(sized(field))));
    const answers = await Promise.all(versions.map((version) => deploy('race', { version })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const { version } = (await acme.get('/providers/race/deployment')).body as { version: string };
    const field = 'abc'[versions.indexOf(version)] ?? '';
    await serves('race', version);
    expect(await typesOf('race')).toMatchObject([{ schema: sized(field) }]);
  });

  it('rejects versions that cannot run', async () => {
    const waiting = pushed(await push(acme, 'refused'));
    const example = 'Input should be the "version" of a build, such as 20261121.224618';
    for (const [body, status, expected] of [
      [{ version: '2.0.0' }, 422, { detail: [{ loc: ['body', 'version'], msg: example }] }],
      [{ version: 7 }, 422, { detail: [{ loc: ['body', 'version'] }] }],
      [{ other: 1 }, 422, { detail: [{ loc: ['body', 'other'] }] }],
      [{ version: '20200101.000000' }, 404, { code: 'build_not_found' }],
      [{}, 404, { code: 'build_not_found' }],
      [{ version: waiting.version }, 400, { code: 'build_not_successful' }],
    ] as const) {
      const answer = await deploy('refused', body);
      expect(answer, answer.text).toMatchObject({ status, body: expected });
    }
    const failed = { phase: 'failed', error: 'no' } as const;
    await buildEnds(api(), { organization, name: waiting.job_name }, failed);
    expect(await deploy('refused', { version: waiting.version })).toMatchObject({ status: 400 });
    expect((await acme.get('/providers/refused/deployment')).body).toMatchObject({
      code: 'not_deployed',
    });
    expect(await deploy('Refused')).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['path', 'provider'] }] },
    });
  });

  it('rejects a schema that registration would reject', async () => {
    await built('hostile', crate({ $ref: 'https://example.com/schema' }));
    expect(await deploy('hostile')).toMatchObject({
      status: 400,
      body: { code: 'build_not_successful' },
    });
    expect(await typesOf('hostile')).toEqual([]);
  });

  it('requires an admin and a version of the own organization', async () => {
    const version = await built('tenant');
    const others = await api().caller('deployments-of-others');
    expect((await others.post('/providers/tenant/deploy', { version })).status).toBe(404);
    const editor = await api().caller(organization, { roles: ['editor'] });
    for (const path of ['deploy', 'rollback']) {
      expect((await editor.post(`/providers/tenant/${path}`, {})).status).toBe(403);
    }
    await deploy('tenant');
    const viewer = await api().caller(organization, { roles: ['viewer'] });
    expect((await viewer.get('/providers/tenant/deployment')).status).toBe(200);
    expect((await others.get('/providers/tenant/deployment')).status).toBe(404);
    expect((await others.get('/providers/')).body).toEqual([]);
  });
});

describe('a provider that is being deleted', () => {
  it('accepts only drafts until it is deleted', async () => {
    const version = await built('leaving');
    await deploy('leaving');
    await serves('leaving', version);
    const objects = resourceObjects(api(), organization);
    expect((await commit('leaving', 'first')).status).toBe(200);
    await objects.hold('leaving/crate/first');
    expect((await acme.delete('/providers/leaving?cascade=true')).status).toBe(200);
    const refused = {
      status: 409,
      body: {
        detail:
          'Provider leaving is being deleted and accepts no changes; try again after its deletion',
        code: 'provider_deleting',
      },
    };
    const draft = { provider: 'leaving', resource: 'crate', name: 'sketch', config: {} };
    expect((await acme.post('/resources/apply', draft)).status).toBe(200);
    expect(await commit('leaving', 'sketch')).toMatchObject(refused);
    expect(await commit('leaving', 'second')).toMatchObject(refused);
    expect((await acme.get('/resources/leaving/crate/second')).status).toBe(404);
    const type = { provider: 'leaving', resource: 'box', description: '' };
    expect(await acme.post('/resources/register', type)).toMatchObject(refused);
    expect(await deploy('leaving')).toMatchObject(refused);
    expect(await push(acme, 'leaving')).toMatchObject(refused);
    await acme.delete('/resources/leaving/crate/sketch');
    await objects.close();
  });
});

describe('a rollback', () => {
  it('restores the previous version, with its types', async () => {
    const first = await built('back', crate(sized('size')));
    await deploy('back');
    await serves('back', first);
    const second = await built('back', crate(sized('colour')));
    await deploy('back');
    await serves('back', second);
    expect(await typesOf('back')).toMatchObject([{ schema: sized('colour') }]);
    expect(await rollback('back')).toMatchObject({ status: 200, body: { version: first } });
    expect(await typesOf('back'), 'until the pods of the first are back').toMatchObject([
      { schema: sized('colour') },
    ]);
    await serves('back', first);
    expect(await typesOf('back')).toMatchObject([{ schema: sized('size') }]);
    expect(await rollback('back')).toMatchObject({ status: 200, body: { version: second } });
  });

  it('goes to the last version that served, past one that never did', async () => {
    const first = await built('past');
    await deploy('past');
    await serves('past', first);
    const broken = await built('past');
    await deploy('past');
    const found = async () => {
      const { body } = await acme.get('/providers/');
      return (body as { provider: string }[]).find(({ provider }) => provider === 'past');
    };
    expect(await found()).toMatchObject({ version: broken, previous_version: first });
    const third = await built('past');
    await deploy('past');
    await serves('past', third);
    expect(await found()).toMatchObject({ version: third, previous_version: first });
    expect(await rollback('past')).toMatchObject({ status: 200, body: { version: first } });
    expect(await found(), 'before it serves').toMatchObject({ previous_version: third });
    await serves('past', first);
    expect(await found()).toMatchObject({ version: first, previous_version: third });
  });

  it('uses the requested version', async () => {
    const oldest = await built('asked');
    await deploy('asked');
    await built('asked');
    await deploy('asked');
    await built('asked');
    await deploy('asked');
    const back = await acme.post('/providers/asked/rollback', { version: oldest });
    expect(back).toMatchObject({ status: 200, body: { version: oldest } });
    const unknown = await acme.post('/providers/asked/rollback', { version: '20200101.000000' });
    expect(unknown).toMatchObject({ status: 404, body: { code: 'build_not_found' } });
  });

  it('returns 404 without a previous version', async () => {
    const missing = { status: 404, body: { code: 'not_deployed' } };
    expect(await rollback('first')).toMatchObject(missing);
    await built('first');
    await deploy('first');
    expect(await rollback('first')).toMatchObject(missing);
    const second = await built('first');
    await deploy('first');
    expect(await rollback('first'), 'No version has served').toMatchObject(missing);
    await serves('first', second);
    expect(await rollback('first'), 'Only one version has served').toMatchObject(missing);
  });
});

describe('a provider that is deleted', () => {
  it('must have no resources, or delete them with cascade', async () => {
    const version = await built('gone');
    await deploy('gone');
    await serves('gone', version);
    for (const name of ['a', 'b']) await commit('gone', name);
    const underWay = pushed(await push(acme, 'gone'));
    const refused = await acme.delete('/providers/gone');
    expect(refused).toMatchObject({ status: 409, body: { code: 'provider_in_use' } });
    expect(refused.text).toContain('Provider gone has 2 resources');
    expect((await acme.delete('/providers/gone?cascade=perhaps')).status).toBe(422);
    const editor = await api().caller(organization, { roles: ['editor'] });
    expect((await editor.delete('/providers/gone?cascade=true')).status).toBe(403);
    expect((await acme.get('/providers/gone/deployment')).status).toBe(200);
    expect((await acme.get(`/providers/gone/builds/${underWay.job_name}`)).status).toBe(200);

    expect(await acme.delete('/providers/gone?cascade=true')).toMatchObject({
      status: 200,
      body: {
        provider_id: 'gone',
        deployment_deleted: true,
        builds_cancelled: 1,
        resources_deleted: 2,
        resource_definitions_deleted: 1,
        dead_letter_events_deleted: 0,
      },
    });
    expect((await acme.get('/resources/types')).text).not.toContain('"gone"');
    expect((await acme.get('/resources/?provider=gone')).body).toEqual([]);
    expect((await acme.get('/providers/gone/deployment')).status).toBe(404);
  });

  it('deletes builds in progress, and keeps finished ones', async () => {
    const version = await built('cancelled');
    await push(acme, 'cancelled');
    expect(await acme.get('/providers/')).toMatchObject({
      body: expect.arrayContaining([
        expect.objectContaining({
          provider_id: 'cancelled',
          current_version: null,
          deployment_status: null,
        }),
      ]),
    });
    expect(await acme.delete('/providers/cancelled')).toMatchObject({
      status: 200,
      body: { deployment_deleted: false, builds_cancelled: 1 },
    });
    expect((await acme.get('/providers/cancelled/builds')).body).toMatchObject([{ version }]);
  });

  it('may be missing', async () => {
    expect(await acme.delete('/providers/nowhere')).toMatchObject({
      status: 200,
      body: { provider_id: 'nowhere', deployment_deleted: false, resources_deleted: 0 },
    });
  });
});
