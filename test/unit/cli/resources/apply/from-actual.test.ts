// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references look like the placeholders of templates.
// `fairlead apply --from-actual`: what it declares, and what it refuses.
import { afterEach, expect, it } from 'vitest';
import type { ResourceRecord } from '../../../../../src/api/shapes.ts';
import {
  type Answering,
  type AskedRequest,
  driftOf,
  startAnswering,
} from '../../../../support/clients/answering.ts';
import { answeredBatch } from '../../../../support/clients/batches.ts';
import { resourceRecord } from '../../../../support/clients/client-records.ts';

let server: Answering;
afterEach(() => server.stop());

const config = {
  size: 20,
  'a/b': { list: [1, { deep: 'x' }] },
  url: '${a/b/c.outputs.url}',
  note: 'old',
};

const type = {
  ...{ provider: 'postgres', resource: 'database', type_version: 2 },
  ...{ schema: { type: 'object' }, outputs_schema: null, earlier_versions: [] },
};

async function serve(more: Partial<ResourceRecord>, refusal?: object) {
  const record = resourceRecord('shop', { config, drift: driftOf(), type_version: 2, ...more });
  server = await startAnswering(({ method, path, url, body }) => {
    if (path.startsWith('/resources/types')) return { body: [type] };
    if (method === 'GET') return { headers: { etag: '"7"' }, body: record };
    if (refusal !== undefined) return { status: 422, body: refusal };
    return answeredBatch({ url, body } as AskedRequest, () => ({
      ...{ change: 'update', differences: [{ path: 'config.size', before: 20, after: null }] },
      record: { ...record, drift: null },
    }));
  });
}

const applies = () => server.asked.filter(({ path }) => path.startsWith('/resources/batch'));
const apply = (flags = ' --yes') =>
  server.client(`apply postgres/database/shop --from-actual${flags}`);

it('declares each value that differs, of the version that was read', async () => {
  const changes = [
    { path: '/size', declared: 20, actual: null },
    { path: '/a~1b/list/1/deep', declared: 'x', actual: ['y'] },
    { path: '/note', declared: 'old', actual: 'see ${a/b/c.outputs.url}' },
  ];
  await serve({ drift: driftOf({ changes, total: 3 }) });
  const { code, stderr } = await apply();
  expect(code).toBe(0);
  expect(stderr).toContain('~ config.size: 20 → null');
  const [check, sent] = applies();
  expect(check?.path).toContain('dry_run=true');
  expect(sent?.headers['if-match']).toBe('"7"');
  expect(sent?.body).toEqual({
    plan: 'digest',
    resources: [
      {
        ...{ provider: 'postgres', resource: 'database', name: 'shop', project_id: 'default' },
        ...{ lifecycle_state: 'pending', type_version: 2 },
        config: {
          size: null,
          'a/b': { list: [1, { deep: ['y'] }] },
          url: '${a/b/c.outputs.url}',
          note: 'see $${a/b/c.outputs.url}',
        },
      },
    ],
  });
});

const change = (path: string, more = {}) => ({
  drift: driftOf({ changes: [{ path, declared: 20, actual: 2, ...more }] }),
});

it.each<[string, Partial<ResourceRecord>, string]>([
  [
    'gone',
    { drift: driftOf({ kind: 'gone', changes: [], total: 0 }) },
    'fairlead correct postgres/database/shop',
  ],
  ['a secret', change('/size', { omitted: true }), 'a secret, or are too long to be recorded.'],
  ['more than is recorded', { drift: driftOf({ total: 60 }) }, '60 values, of which only 1'],
  ['a reference', change('/url'), 'values that references declare'],
  ['what contains a reference', change(''), 'values that references declare'],
  ['a value that the config lacks', change('/more'), 'fairlead observe postgres/database/shop'],
  ['a change under way', { lifecycle_state: 'processing' }, 'fairlead wait postgres/database/shop'],
  ['a deletion', { deletion_requested_at: '2026-01-31T12:00:00.000Z' }, 'being deleted'],
])('refuses %s, and applies nothing', async (_, more, text) => {
  await serve(more);
  const { code, stderr } = await apply();
  expect([code, applies()]).toEqual([6, []]);
  expect(stderr).toContain(text);
});

it('refuses to replace what is there', async () => {
  const violation = {
    loc: ['body', 'resources', 0, 'config', 'size'],
    msg: 'no',
    type: 'immutable',
  };
  await serve({}, { detail: [violation] });
  const { stderr } = await apply();
  expect(stderr).toContain('fields that cannot change');
  expect(stderr).not.toContain('--replace');
  expect(applies()).toHaveLength(1);
});

it.each([
  ['', ''],
  [' -o json', '[]\n'],
])('has no difference of a resource that has not drifted%s', async (flags, stdout) => {
  await serve({ drift: null });
  const result = await server.client(
    `diff postgres/database/shop --from-actual --exit-code${flags}`,
  );
  const stderr = 'postgres/database/shop has not drifted: its config declares what is there.\n';
  expect([result, applies()]).toEqual([{ code: 0, stdout, stderr }, []]);
});

it.each([
  ['of a resource that has not drifted', { drift: null }, ' --yes', 0],
  ['without an answer', {}, '', 2],
  ['with --dry-run', {}, ' --dry-run', 0],
  ['with --replace', {}, ' --replace', 2],
  ['with a revision', {}, ' --revision 3', 2],
])('writes nothing %s', async (_, more, flags, expected) => {
  await serve(more);
  const { code } = await apply(flags);
  const written = applies().filter(({ path }) => !path.includes('dry_run=true'));
  expect([code, written]).toEqual([expected, []]);
});
