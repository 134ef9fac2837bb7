// `fairlead project update` and what the list shows of it.
import { beforeEach, expect, it } from 'vitest';
import { type Answering, startAnswering } from '../../../support/clients/answering.ts';

let server: Answering;

const projectOf = (name: string, require_plan: boolean) => ({
  ...{ project_id: name.toLowerCase(), organization_id: 'acme', name, managed_by: 'user' },
  ...{ require_plan, created_at: '2026-01-31T12:00:00Z', updated_at: '2026-01-31T12:00:00Z' },
});

beforeEach(async () => {
  server = await startAnswering(({ method, body }) => {
    if (method === 'GET') return { body: [projectOf('Shop', true), projectOf('Lab', false)] };
    return { body: projectOf('Shop', body['require_plan'] === true) };
  });
  return server.stop;
});

it.each([
  ['--require-plan', true, 'with an approved plan only'],
  ['--no-require-plan', false, 'without a plan'],
])('sends %s, and nothing else', async (flag, require_plan, what) => {
  const { code, stderr } = await server.client(`project update shop ${flag}`);
  expect([code, stderr]).toEqual([0, expect.stringContaining(what)]);
  expect(server.asked).toMatchObject([
    { method: 'PATCH', path: '/projects/shop', body: { require_plan } },
  ]);
});

it('asks for a flag', async () => {
  const { code, stderr } = await server.client('project update shop');
  expect([code, stderr]).toEqual([2, expect.stringContaining('--no-require-plan')]);
  expect(server.asked).toEqual([]);
});

it('marks in the list which projects require a plan', async () => {
  const { stdout } = await server.client('project');
  const rows = stdout.split('\n').map((line) => line.split(/ {2,}/).slice(0, 3));
  expect(rows.slice(0, 3)).toEqual([
    ['PROJECT', 'ID', 'PLAN'],
    ['Shop', 'shop', 'required'],
    ['Lab', 'lab', expect.any(String)],
  ]);
});
