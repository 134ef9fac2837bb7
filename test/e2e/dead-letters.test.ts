// Work of an operator: finds the causes of failures, resolves one, and retries all dead letters.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Crates, crate, startCrates } from '../support/fixtures/crates.ts';
import { answer, type RecordingProvider } from '../support/fixtures/receipts.ts';
import { eventually } from '../support/runner/eventually.ts';
import { sharedFairlead } from '../support/servers/lent/shared-fairlead.ts';

let crates: Crates;
let provider: RecordingProvider;

interface DeadLetter {
  readonly event_id: string;
  readonly resource_name: string;
  readonly error_message: string;
  readonly superseded: boolean;
  readonly attempt_count: number;
}

beforeAll(async () => {
  crates = await startCrates(await sharedFairlead('impatient'), 'dead-letters');
  ({ provider } = crates);
  refuse('disk', 'quota');
});

afterAll(async () => {
  await crates?.close();
});

/** Names that begin with one of these fail, each for a reason of its own. */
function refuse(...prefixes: readonly string[]): void {
  provider.respond(({ body }, response) => {
    const prefix = prefixes.find((each) => body.name.startsWith(each));
    const error = { code: 'UNAVAILABLE', message: `The ${prefix} of ${body.name} is gone` };
    if (prefix === undefined) answer(response, 200, { outputs: { made: body.name } });
    else answer(response, 500, { error, log: [`looks for ${prefix}`, 'password=hunter22'] });
  });
}

async function deadLetters(): Promise<readonly DeadLetter[]> {
  const { status, body } = await crates.acme.get('/ops/dead-letter');
  expect(status).toBe(200);
  return body as DeadLetter[];
}

const disks = Array.from({ length: 20 }, (_, index) => `disk-${index}`);
const quotas = Array.from({ length: 20 }, (_, index) => `quota-${index}`);
const deliveries = (name: string) => provider.receipts.filter(({ body }) => body.name === name);

it('creates a dead letter for each of forty failures, and groups them by two causes', async () => {
  await Promise.all(
    [...disks, ...quotas].map((name) => crates.acme.post('/resources/apply', crate(name))),
  );
  await eventually(async () => expect(await deadLetters()).toHaveLength(40), 60_000);
  const { body } = await crates.acme.get('/ops/dead-letter?group_by=error');
  const groups = body as { count: number; error_message: string; examples: string[] }[];
  expect(groups.map(({ count }) => count)).toEqual([20, 20]);
  expect(groups.map(({ error_message }) => error_message).sort()).toMatchObject([
    expect.stringContaining('disk'),
    expect.stringContaining('quota'),
  ]);
  for (const name of disks) await crates.reaches(name, 'failed');
});

it('shows what the provider logged, with credentials masked, for one event only', async () => {
  const [any] = await deadLetters();
  expect(any).not.toHaveProperty('log_excerpt');
  const { body } = await crates.acme.get(`/ops/dead-letter/${any?.event_id}`);
  const first = expect.stringMatching(/^looks for (disk|quota)$/);
  expect(body).toMatchObject({ log_excerpt: [first, 'password=[masked]'] });
});

it('retries one event under its own id and removes its dead letter', async () => {
  const deadLetter = (await deadLetters()).find(({ resource_name }) => resource_name === 'disk-0');
  const path = `/ops/dead-letter/${deadLetter?.event_id}/retry`;
  refuse('quota', 'disk-1');
  const [first, second] = await Promise.all([
    crates.acme.post(path, undefined),
    crates.acme.post(path, undefined),
  ]);
  expect([first?.status, second?.status].sort()).toEqual([200, 404]);
  await crates.reaches('disk-0', 'ready');
  const ids = deliveries('disk-0').map(({ body }) => [body.event_id, body.attempt]);
  expect(ids).toEqual([
    [deadLetter?.event_id, 1],
    [deadLetter?.event_id, 2],
    [deadLetter?.event_id, 1],
  ]);
  expect(await deadLetters()).toHaveLength(39);
});

it('creates a new dead letter when the retried event fails again', async () => {
  const before = (await deadLetters()).find(({ resource_name }) => resource_name === 'quota-0');
  await crates.acme.post(`/ops/dead-letter/${before?.event_id}/retry`, undefined);
  await eventually(async () => {
    const { status, body } = await crates.acme.get(`/ops/dead-letter/${before?.event_id}`);
    expect(status).toBe(200);
    expect(body).not.toMatchObject({
      failed_at: (before as object as { failed_at: string }).failed_at,
    });
  });
  // The letter comes first, and the state after it.
  await eventually(async () => {
    expect((await crates.fetched('quota-0')).lifecycle_state).toBe('failed');
  });
});

it('marks a dead letter as superseded after a newer success, and rejects its retry', async () => {
  refuse('disk', 'quota');
  const before = (await deadLetters()).find(({ resource_name }) => resource_name === 'disk-5');
  refuse('quota');
  await crates.acme.post('/resources/apply', crate('disk-5', { size: 5 }));
  await crates.reaches('disk-5', 'ready');
  const after = await crates.acme.get(`/ops/dead-letter/${before?.event_id}`);
  expect(after.body).toMatchObject({ superseded: true });
  const retried = await crates.acme.post(`/ops/dead-letter/${before?.event_id}/retry`, undefined);
  expect(retried).toMatchObject({ status: 409, body: { code: 'dead_letter_superseded' } });
  const marked = [
    'get',
    'configmaps',
    '-n',
    crates.namespace,
    '-l',
    'fairlead.dev/superseded=true',
  ];
  await eventually(async () => {
    expect(await crates.fairlead.kubectl(...marked, '-o', 'name')).toContain(before?.event_id);
  });
});

it('retries all dead letters of a repaired cause, and only one of the other', async () => {
  refuse('quota');
  const before = quotas.reduce((sum, name) => sum + deliveries(name).length, 0);
  const { status, body } = await crates.acme.post('/ops/dead-letter/retry-all', undefined);
  expect(status).toBe(200);
  expect(body).toEqual({ retried: 38, retried_count: 38 });
  for (const name of disks) await crates.reaches(name, 'ready');
  await eventually(async () => {
    const left = await deadLetters();
    expect(left.map(({ resource_name }) => resource_name).sort()).toEqual([...quotas].sort());
    const redrives = [
      'get',
      'configmaps',
      '-n',
      crates.namespace,
      '-l',
      'fairlead.dev/redrive=true',
    ];
    expect(await crates.fairlead.kubectl(...redrives, '-o', 'name')).toBe('');
  }, 60_000);
  const after = quotas.reduce((sum, name) => sum + deliveries(name).length, 0);
  expect(after - before, 'Two attempts at the first letter of the cause').toBe(2);
});

it('retries the rest after the second cause is repaired', async () => {
  refuse();
  await crates.acme.post('/ops/dead-letter/retry-all', undefined);
  for (const name of quotas) await crates.reaches(name, 'ready');
  await eventually(async () => expect(await deadLetters()).toEqual([]));
});

it('requires a filter to delete dead letters', async () => {
  refuse('disk');
  await crates.acme.post('/resources/apply', crate('disk-0', { size: 9 }));
  await crates.reaches('disk-0', 'failed');
  for (const query of ['', '?all=false', '?all=yes']) {
    const { status } = await crates.acme.delete(`/ops/dead-letter${query}`);
    expect(status, query).toBe(422);
  }
  const other = await crates.acme.delete('/ops/dead-letter?all=true&provider=other');
  expect(other.body).toEqual({ deleted: 0, deleted_count: 0 });
  const mine = await crates.acme.delete('/ops/dead-letter?provider=box');
  expect(mine.body).toEqual({ deleted: 1, deleted_count: 1 });
});
