// Pushing code and asking after its builds, over HTTP against a real API server and a real folder. Nothing builds here.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tarOf } from '../../support/fixtures/code/archives.ts';
import {
  buildEnds,
  form,
  packageArchive,
  push,
  pushed,
  removeBuild,
} from '../../support/fixtures/code/provider-code.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { type ApiCaller, type ServedApi, serveApi } from '../../support/servers/served-api.ts';

let api: ServedApi;
let acme: ApiCaller;

beforeAll(async () => {
  api = await serveApi({ parallelBuilds: 2 });
  acme = await api.caller('builds');
});

afterAll(() => api?.close());

const staged = () => readdir(join(api.folder, 'staging'));

describe('a push', () => {
  it('stores the bytes unchanged and returns a queued build', async () => {
    const archive = packageArchive();
    const answer = await push(acme, 'box', archive);
    expect(answer.status, answer.text).toBe(200);
    const { version, job_name } = pushed(answer);
    expect(version).toMatch(/^\d{8}\.\d{6}$/);
    expect(answer.body).toStrictEqual({
      version,
      job_name: `box-${version.replace('.', '-')}`,
      status: 'pending',
      message: expect.any(String),
    });
    const digest = createHash('sha256').update(archive).digest('hex');
    const kept = join(api.folder, 'sha256', digest.slice(0, 2), digest);
    expect(await readFile(kept)).toEqual(archive);
    expect(await staged()).toEqual([]);
    const found = (await acme.get(`/providers/box/builds/${job_name}`)).body as object;
    // Its Job may be there by now; its pod never is.
    expect({ ...found, started_at: null }).toStrictEqual({
      job_name,
      status: expect.stringMatching(/^(pending|building)$/),
      error_message: null,
      version,
      image: null,
      provider_id: 'box',
      created_at: expect.any(String),
      started_at: null,
      finished_at: null,
    });
  });

  it('creates a distinct version for each, also within one second', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => push(acme, 'many')));
    const versions = answers.map((each) => pushed(each).version);
    expect(new Set(versions).size).toBe(5);
    const list = (await acme.get('/providers/many/builds')).body as readonly { version: string }[];
    expect(list.map(({ version }) => version)).toEqual([...versions].sort().reverse());
  });

  it.each<[string, () => ReturnType<typeof form>, number, object]>([
    ['something else than an archive', () => form(Buffer.from('hello')), 400, badArchive()],
    [
      'a path that leads out',
      () => form(tarOf({ path: '../package.json', body: '{}' })),
      400,
      badArchive(),
    ],
    [
      'another part',
      () => form(packageArchive(), 'file'),
      422,
      { detail: [{ loc: ['body', 'file'], type: 'extra_forbidden' }] },
    ],
    [
      'JSON',
      () => ({ headers: { 'content-type': 'application/json' }, body: Buffer.from('{}') }),
      415,
      { code: 'unsupported_media_type' },
    ],
    [
      'more than 50 MiB',
      () => form(Buffer.alloc(50 * 1_024 * 1_024 + 1)),
      413,
      { code: 'too_large' },
    ],
  ])('of %s is rejected, and stores nothing', async (_what, sent, status, body) => {
    expect(await acme.send('POST', '/providers/refused/push', sent())).toMatchObject({
      status,
      body,
    });
    expect((await acme.get('/providers/refused/builds')).body).toEqual([]);
    expect(await staged()).toEqual([]);
  });

  it('requires a valid name, and an admin without a project restriction', async () => {
    expect(await push(acme, 'Not-A-Name')).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['path', 'provider'] }] },
    });
    const editor = await api.caller('builds', { roles: ['editor'] });
    expect(await push(editor, 'box')).toMatchObject({
      status: 403,
      body: { code: 'insufficient_role' },
    });
    const confined = await api.caller('builds', { project_id: 'shop' });
    expect((await push(confined, 'box')).status).toBe(403);
    expect((await push(api.stranger, 'box')).status).toBe(401);
  });
});

function badArchive(): object {
  return { code: 'bad_archive', detail: expect.any(String) };
}

describe('a running build', () => {
  it('passes its slot to a queued one when it is removed or its provider is deleted', async () => {
    const turns = await api.caller('turns');
    const building = (provider: string, count: number) =>
      eventually(async () => {
        const found = (await turns.get(`/providers/${provider}/builds`)).body;
        const under = (found as readonly { status: string }[]).filter(
          ({ status }) => status === 'building',
        );
        expect(under).toHaveLength(count);
      });
    const first = pushed(await push(turns, 'first'));
    await push(turns, 'first');
    await building('first', 2);
    await push(turns, 'second');
    await push(turns, 'second');
    await removeBuild(api, { organization: 'turns', name: first.job_name });
    await building('second', 1);
    expect((await turns.delete('/providers/first')).status).toBe(200);
    await building('second', 2);
  });
});

describe('a build', () => {
  it('reports its result', async () => {
    const { job_name } = pushed(await push(acme, 'ended'));
    const path = `/providers/ended/builds/${job_name}`;
    const times = { startedAt: '2026-01-01T00:00:00Z', finishedAt: '2026-01-01T00:00:05Z' };
    const build = { organization: 'builds', name: job_name };
    await buildEnds(api, build, {
      phase: 'failed',
      error: 'index.ts: no default export',
      ...times,
    });
    expect((await acme.get(path)).body).toMatchObject({
      status: 'failed',
      error_message: 'index.ts: no default export',
      started_at: '2026-01-01T00:00:00.000Z',
      finished_at: '2026-01-01T00:00:05.000Z',
    });
  });

  it('is visible only to viewers of its organization, under its provider', async () => {
    const { job_name } = pushed(await push(acme, 'own'));
    const viewer = await api.caller('builds', { roles: ['viewer'] });
    expect((await viewer.get(`/providers/own/builds/${job_name}`)).status).toBe(200);
    const others = await api.caller('builds-of-others');
    const missing = { status: 404, body: { code: 'build_not_found' } };
    for (const [caller, path] of [
      [others, `/providers/own/builds/${job_name}`],
      [acme, `/providers/another/builds/${job_name}`],
      [acme, '/providers/own/builds/own-20260101-000000'],
      [acme, '/providers/own/builds/..%2F..%2Fsecrets%2Fx'],
      [acme, `/providers/own/builds/${'x'.repeat(3_000)}`],
      [acme, '/providers/own/builds/%00'],
    ] as const) {
      expect(await caller.get(path), path).toMatchObject(missing);
    }
    expect((await others.get('/providers/own/builds')).body).toEqual([]);
  });
});
