// Names of projects over HTTP: where they stand for ids, and what they do not tell a token of one project.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/runner/eventually.ts';
import { type ApiCaller, type ServedApi, serveApi } from '../../support/servers/served-api.ts';

let api: ServedApi;
let admin: ApiCaller;

beforeAll(async () => {
  api = await serveApi();
  admin = await api.caller('project-names');
  await admin.get('/auth/me');
});

afterAll(() => api?.close());

const draft = (name: string, project_id: string) =>
  admin.post('/resources/apply', {
    ...{ provider: 'box', resource: 'crate', name, config: {} },
    project_id,
  });

describe('a name of a project', () => {
  it('stands for its id in applies, filters and paths, and is shown beside it', async () => {
    const { body: created } = await admin.post('/projects', { name: 'Web shop' });
    const { project_id } = created as { project_id: string };
    const shown = { project_id, project_name: 'Web shop' };
    expect((await draft('by-name', 'Web shop')).body).toMatchObject(shown);
    const again = await draft('by-name', project_id);
    expect(again.body).toMatchObject(shown);
    expect((await admin.post('/resources/apply', again.body as object)).status).toBe(200);
    expect((await draft('in-default', 'default')).body).toMatchObject({
      project_id: expect.stringMatching(/^default-[0-9a-f]{12}$/),
      project_name: 'default',
    });
    const query = 'project_id=Web%20shop';
    for (const path of [`/resources/?${query}`, `/resources/?${query}&limit=5`]) {
      expect((await admin.get(path)).body).toEqual([expect.objectContaining(shown)]);
    }
    expect((await admin.get(`/resources/explanations?${query}`)).status).toBe(200);
    expect((await admin.get('/projects/Web%20shop')).body).toMatchObject({ project_id });
    expect((await admin.send('DELETE', '/projects/default')).body).toMatchObject({
      detail: 'Project default is managed by the platform and cannot be changed',
    });
    const mine = await api.caller('project-names', { project_id });
    expect((await mine.get(`/resources/?${query}`)).body).toEqual([
      expect.objectContaining({ name: 'by-name' }),
    ]);
    expect((await mine.get('/resources/?project_id=default')).body).toEqual([]);
    expect((await mine.get('/projects/default')).status).toBe(403);
  });

  it('that several have is refused, with their ids', async () => {
    for (const id of ['twin-1', 'twin-2']) {
      await admin.post('/projects', { name: 'Twins', project_id: id });
    }
    // The cache has the second one a moment after the answer that created it.
    const answer = await eventually(async () => {
      const refused = await draft('twin', 'Twins');
      expect(refused).toMatchObject({ status: 422 });
      return refused;
    });
    expect(answer.text).toContain(
      '2 projects are called Twins: write the id, one of twin-1, twin-2',
    );
    expect((await draft('twin', 'twin-1')).body).toMatchObject({ project_name: 'twin-1' });
  });
});
