// Resources that a version would reject, over HTTP against a real API server. The test sets the results of builds; nothing runs.
import { describe, expect, it } from 'vitest';
import { crate, deployedCode, sized } from '../../support/fixtures/code/deployed-code.ts';
import { eventually } from '../../support/runner/eventually.ts';

const {
  admin: acme,
  built,
  deploy,
  serves,
  rollback,
  commit,
  typesOf,
} = deployedCode('incompatible');

describe('resources that a version would break', () => {
  it('are counted, and rejected in strict mode', async () => {
    const served = await built('strict');
    await deploy('strict');
    await serves('strict', served);
    await commit('strict', 'fits', { size: 1 });
    await commit('strict', 'empty');
    await commit('strict', 'colourful', { colour: 'red' });
    const draft = { provider: 'strict', resource: 'crate', name: 'draft', config: {} };
    await acme.post('/resources/apply', draft);
    const version = await built('strict', crate(sized('size')));

    const refused = await deploy('strict', { version }, '?strict=true');
    expect(refused).toMatchObject({ status: 409, body: { code: 'schemas_break' } });
    const ids = ['resource:strict_crate_colourful', 'resource:strict_crate_empty'];
    const named = ids.map((id) => `${id} (size: Field required)`).join(', ');
    expect(refused.body).toMatchObject({
      detail: `2 of 3 resources do not fit the types of version ${version}: ${named}`,
    });
    expect((await acme.get('/providers/strict/deployment')).body).not.toMatchObject({ version });
    expect(await typesOf('strict')).toMatchObject([{ schema: sized() }]);

    const warned = await deploy('strict', { version });
    const listed = { version, incompatible_count: 2, incompatible_resources: ids };
    expect(warned).toMatchObject({ status: 200, body: listed });
    expect(warned.text).toContain('2 of 3 resources do not fit');
    const shown = async () => (await acme.get('/providers/strict/deployment')).body;
    expect(await shown(), 'as long as it serves').toMatchObject(listed);
    await acme.delete('/resources/strict:crate:empty?force=true');
    await eventually(async () =>
      expect(await shown()).toMatchObject({
        incompatible_count: 1,
        incompatible_resources: ['resource:strict_crate_colourful'],
      }),
    );
    // It runs already: nothing is left to be refused.
    expect((await deploy('strict', { version }, '?strict=true')).status).toBe(200);
    expect(await rollback('strict')).toMatchObject({
      status: 200,
      body: { incompatible_count: 0, incompatible_resources: [] },
    });
  });

  it('are none that a version migrates, and those that no longer fit after it', async () => {
    const served = await built('grown', crate(sized('size')));
    await deploy('grown');
    await serves('grown', served);
    await commit('grown', 'old', { size: 1 });
    const [first] = crate(sized('size')).map(({ schema }) => ({ typeVersion: 1, schema }));
    const [second] = crate(sized('count')).map((type) => ({ ...type, typeVersion: 2 }));
    const types = (earlierVersions: object) => [{ ...second, ...earlierVersions }] as never;
    const migrating = await built('grown', types({ earlierVersions: [first] }));
    expect(await deploy('grown', { version: migrating }, '?strict=true')).toMatchObject({
      status: 200,
      body: { incompatible_count: 0 },
    });
    const without = await built('grown', types({}));
    expect(await deploy('grown', { version: without }, '?strict=true')).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('1 of 1 resources does not fit') },
    });
  });

  it('are listed up to twenty, named up to five, and checked anew by another deploy', async () => {
    const served = await built('many');
    await deploy('many');
    await serves('many', served);
    for (let index = 10; index < 72; index += 1) await commit('many', `n${index}`);
    const version = await built('many', crate(sized('size')));
    const refused = await deploy('many', { version }, '?strict=true');
    expect(refused.text).toMatch(/^\{"detail":"62 of 62 resources do not fit/);
    expect(
      refused.text.match(/resource:many_crate_n1[0-4] \(size: Field required\)/g),
    ).toHaveLength(5);
    const { body } = await deploy('many', { version });
    const first = Array.from({ length: 20 }, (_, index) => `resource:many_crate_n${10 + index}`);
    expect(body).toMatchObject({ incompatible_count: 62, incompatible_resources: first });
    for (let index = 10; index < 60; index += 1) {
      await acme.delete(`/resources/many:crate:n${index}?force=true`);
    }
    const shown = async () => (await acme.get('/providers/many/deployment')).body;
    await eventually(async () =>
      expect(await shown()).toMatchObject({ incompatible_count: 12, incompatible_resources: [] }),
    );
    await deploy('many', { version });
    const rest = Array.from({ length: 12 }, (_, index) => `resource:many_crate_n${60 + index}`);
    expect(await shown()).toMatchObject({ incompatible_count: 12, incompatible_resources: rest });
  });

  it('include resources of types that it no longer has', async () => {
    const served = await built('dropped');
    await deploy('dropped');
    await serves('dropped', served);
    await commit('dropped', 'left', { size: 1 });
    await built('dropped', [{ resource: 'barrel', description: '' }]);
    const refused = await deploy('dropped', {}, '?strict=true');
    expect(refused).toMatchObject({ status: 409 });
    expect(refused.text).toContain('1 of 1 resources does not fit');
    const warned = await deploy('dropped', { retire_types: true });
    expect(warned.text).toContain('1 of 1 resources does not fit');
  });
});
