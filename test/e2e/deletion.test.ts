// Deletion always ends: with its provider, with a dead letter, or by force with a receipt.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Crates, crate, startCrates } from '../support/fixtures/crates.ts';
import { answer, done, type RecordingProvider } from '../support/fixtures/receipts.ts';
import { eventually } from '../support/runner/eventually.ts';
import { sharedFairlead } from '../support/servers/shared-fairlead.ts';

let crates: Crates;
let provider: RecordingProvider;

beforeAll(async () => {
  crates = await startCrates(await sharedFairlead('impatient'), 'deletion');
  ({ provider } = crates);
});

afterAll(async () => {
  await crates?.close();
});

const path = (name: string) => `/resources/box%2Fcrate%2F${name}`;

async function made(name: string, outputs: object = { url: `box://${name}` }): Promise<void> {
  provider.respond(done(outputs));
  await crates.acme.post('/resources/apply', crate(name));
  await crates.reaches(name, 'ready');
}

function refuseDeletes(): void {
  provider.respond(({ body }, response) => {
    if (body.event_type !== 'DELETE') answer(response, 200, { outputs: {} });
    else answer(response, 409, { error: { code: 'IN_USE', message: 'Somebody still uses it' } });
  });
}

async function deadLetterOf(name: string) {
  return await eventually(async () => {
    const { body } = await crates.acme.get('/ops/dead-letter');
    const deadLetters = body as {
      resource_name: string;
      event_id: string;
      error_message: string;
    }[];
    const deadLetter = deadLetters.find((each) => each.resource_name === name);
    expect(deadLetter).toBeDefined();
    return deadLetter;
  });
}

async function isGone(name: string): Promise<void> {
  await eventually(async () => expect(await crates.stored()).not.toContain(name));
}

/** The dead letter is written before the status. */
async function hasFailedToGo(name: string): Promise<void> {
  const reasons = 'jsonpath={range .items[*]}{.spec.name}={.status.reason} {end}';
  const words = ['get', 'resources', '-n', crates.namespace, '-o', reasons];
  await eventually(async () =>
    expect(await crates.fairlead.kubectl(...words)).toContain(`${name}=DeleteFailed`),
  );
}

async function receipts() {
  const { status, body } = await crates.acme.get('/ops/orphan-receipts');
  expect(status).toBe(200);
  return body as { id: string; resource_name: string; reason: string; outputs: object }[];
}

it('keeps a dead letter of a failed teardown, and tears down when it is retried', async () => {
  await made('stuck');
  refuseDeletes();
  expect((await crates.acme.delete(path('stuck'))).status).toBe(204);
  const deadLetter = await deadLetterOf('stuck');
  expect(deadLetter).toMatchObject({
    event_type: 'DELETE',
    error_message: 'IN_USE: Somebody still uses it',
  });
  expect(await crates.stored()).toContain('stuck');
  const apply = await crates.acme.post('/resources/apply', crate('stuck', { size: 2 }));
  expect(apply).toMatchObject({ status: 409, body: { code: 'resource_deleting' } });
  provider.respond(done());
  const retried = await crates.acme.post(
    `/ops/dead-letter/${deadLetter?.event_id}/retry`,
    undefined,
  );
  expect(retried.status).toBe(200);
  await isGone('stuck');
});

it('retries when the deletion is requested again', async () => {
  await made('again');
  refuseDeletes();
  await crates.acme.delete(path('again'));
  await deadLetterOf('again');
  await hasFailedToGo('again');
  provider.respond(done());
  expect((await crates.acme.delete(path('again'))).status).toBe(204);
  await isGone('again');
});

it('force-deletes a resource whose teardown fails, with a receipt of its outputs', async () => {
  await made('forced', { url: 'box://forced' });
  refuseDeletes();
  await crates.acme.delete(path('forced'));
  await deadLetterOf('forced');
  expect((await crates.acme.delete(`${path('forced')}?force=true`)).status).toBe(204);
  await isGone('forced');
  const [receipt] = (await receipts()).filter(({ resource_name }) => resource_name === 'forced');
  expect(receipt).toMatchObject({ reason: 'Forced', outputs: { url: 'box://forced' } });
  expect((await crates.acme.delete(`/ops/orphan-receipts/${receipt?.id}`)).status).toBe(204);
  expect((await receipts()).map(({ resource_name }) => resource_name)).not.toContain('forced');
});

it('sends DELETE to the provider on a forced deletion too, and writes no receipt on success', async () => {
  await made('tidy');
  const before = provider.receipts.length;
  await crates.acme.delete(`${path('tidy')}?force=true`);
  await isGone('tidy');
  expect(provider.receipts.slice(before)).toMatchObject([{ body: { event_type: 'DELETE' } }]);
  expect((await receipts()).map(({ resource_name }) => resource_name)).not.toContain('tidy');
});

it('keeps a dead letter of a deletion that times out without a provider or type', async () => {
  await made('alone');
  await crates.acme.delete('/resources/unregister/box/crate');
  await crates.fairlead.kubectl('delete', 'provider.fairlead.dev', 'box', '-n', crates.namespace);
  await crates.acme.delete(path('alone'));
  const deadLetter = await deadLetterOf('alone');
  expect(deadLetter?.error_message).toMatch(/^PROVIDER_MISSING: /);
  await crates.pointAt('box', provider.url);
  await crates.acme.post(`/ops/dead-letter/${deadLetter?.event_id}/retry`, undefined);
  await isGone('alone');
  const type = { provider: 'box', resource: 'crate', description: 'A crate' };
  await crates.acme.post('/resources/register', type);
});

it('deletes a namespace whose providers are already gone, and keeps receipts elsewhere', async () => {
  await made('held');
  refuseDeletes();
  await crates.acme.delete(path('held'));
  await hasFailedToGo('held');
  await made('left', { url: 'box://left' });
  const { fairlead, namespace } = crates;
  await fairlead.kubectl('delete', 'provider.fairlead.dev', 'box', '-n', namespace);
  await fairlead.kubectl('delete', 'namespace', namespace, '--timeout=60s');
  // Asked for again, the organization has a new namespace; what remained of the old one is still on record.
  const kept = await eventually(async () => {
    const found = (await receipts()).filter(({ resource_name }) => resource_name === 'left');
    expect(found).toHaveLength(1);
    return found;
  }, 30_000);
  expect(kept).toMatchObject([{ reason: 'NamespaceDeleted', outputs: { url: 'box://left' } }]);
});
