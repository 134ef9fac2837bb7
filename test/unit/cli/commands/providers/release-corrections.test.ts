// `fairlead provider release-corrections`, and where held corrections are seen.
import { afterEach, expect, it } from 'vitest';
import { type Answering, startAnswering } from '../../../../support/clients/answering.ts';

let server: Answering;
afterEach(() => server.stop());

const message = '14 of 40 objects are gone';
const held = { since: '2026-01-31T12:00:00.000Z', message };
const crates = {
  ...{ provider: 'crates', hosted: true, status: 'available', version: '1', message: '' },
  ...{ replicas: 1, ready_replicas: 1, available_replicas: 1, updated_replicas: 1 },
  ...{ previous_version: null, updated_at: '2026-01-31T12:00:00.000Z' },
};

async function serve(corrections: object | null) {
  const body = { ...crates, corrections_held: corrections };
  server = await startAnswering(({ method }) => ({ body: method === 'GET' ? [body] : crates }));
}

const posts = () => server.asked.filter(({ method }) => method === 'POST').map(({ path }) => path);

it.each([
  ['after a yes', held, ' --yes', 0, ['/providers/crates/corrections/release']],
  ['without an answer', held, '', 2, []],
  ['with --dry-run', held, ' --dry-run', 0, []],
  ['where none are held', null, ' --yes', 0, []],
])('releases %s', async (_, corrections, flags, code, expected) => {
  await serve(corrections);
  const result = await server.client(`provider release-corrections crates${flags}`);
  expect([result.code, posts()]).toEqual([code, expected]);
  expect(result.stderr.includes(message)).toBe(corrections !== null);
});

it('shows in a list and for one provider what is held', async () => {
  await serve(held);
  expect((await server.client('provider list')).stdout).toMatch(/CORRECTIONS\n.* held\n$/);
  expect((await server.client('provider get crates')).stdout).toMatch(
    new RegExp(`corrections held +${message}`),
  );
  server.stop();
  await serve(null);
  expect((await server.client('provider list')).stdout).not.toContain('CORRECTIONS');
});
