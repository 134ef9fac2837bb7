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
    const names = ['strict/crate/colourful', 'strict/crate/empty'];
    const named = names.map((name) => `${name} (size: Field required)`).join(', ');
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
    expect(refused.text.match(/many\/crate\/n1[0-4] \(size: Field required\)/g)).toHaveLength(5);
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

  it('are those of any provider that refer to an output which it lacks', async () => {
    const outputs = (...names: string[]) => ({
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
      additionalProperties: false,
    });
    const renamed = (...names: string[]) =>
      crate().map((type) => ({ ...type, outputsSchema: outputs(...names) })) as never;
    const before = await built('renamed', renamed('name', 'url'));
    await deploy('renamed');
    await serves('renamed', before);
    const reads = await built('reads');
    await deploy('reads');
    await serves('reads', reads);
    await commit('renamed', 'logs');
    const on = (output: string) => ({ colour: `\${renamed/crate/logs.outputs.${output}}` });
    for (const [name, output] of [
      ['a', 'name'],
      ['b', 'name'],
      ['c', 'url'],
    ] as const) {
      expect((await commit('reads', name, on(output))).status).toBe(200);
    }
    await commit('renamed', 'own', on('name'));
    const draft = { provider: 'reads', resource: 'crate', name: 'draft', config: on('name') };
    await acme.post('/resources/apply', draft);
    const version = await built('renamed', renamed('bucketName', 'url'));

    const refused = await deploy('renamed', { version }, '?strict=true');
    const why = 'config.colour: renamed/crate has no output "name"; it has bucketName, url';
    const named = ['reads/crate/a', 'reads/crate/b', 'renamed/crate/own'];
    expect(refused).toMatchObject({
      status: 409,
      body: {
        code: 'schemas_break',
        detail: `3 resources refer to outputs that are missing in the types of version ${version}: ${named.map((name) => `${name} (${why})`).join(', ')}`,
      },
    });
    const ids = ['resource:reads_crate_a', 'resource:reads_crate_b', 'resource:renamed_crate_own'];
    const listed = { incompatible_count: 3, incompatible_resources: ids };
    expect((await deploy('renamed', { version })).body).toMatchObject(listed);
    const shown = async () => (await acme.get('/providers/renamed/deployment')).body;
    expect(await shown()).toMatchObject(listed);
    await acme.delete('/resources/reads:crate:a?force=true');
    await eventually(async () =>
      expect(await shown()).toMatchObject({
        incompatible_count: 2,
        incompatible_resources: ids.slice(1),
      }),
    );
  });

  it('are not those whose content only a newer version knows, which a rollback counts', async () => {
    const of = (typeVersion: number) => crate().map((type) => ({ ...type, typeVersion })) as never;
    const first = await built('newer', of(1));
    await deploy('newer');
    await serves('newer', first);
    await commit('newer', 'old');
    const second = await built('newer', of(2));
    await deploy('newer');
    await serves('newer', second);
    await commit('newer', 'new');
    const preview = await acme.post('/providers/newer/rollback?dry_run=true', {});
    expect(preview).toMatchObject({
      status: 200,
      body: {
        version: first,
        incompatible_count: 0,
        message: `1 resource has content of a newer version of the type than version ${first} has: newer/crate/new. What does not fit is neither changed nor deleted until a version that knows it serves`,
      },
    });
    expect((await acme.post('/providers/newer/rollback?strict=true', {})).status).toBe(200);
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
