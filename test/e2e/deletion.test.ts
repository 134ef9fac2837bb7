// Deletion always ends: with its provider, with a dead letter, or by force with a receipt.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Crates, crate, startCrates } from '../support/fixtures/crates.ts';
import { answer, done, type RecordingProvider } from '../support/fixtures/receipts.ts';
import { eventually } from '../support/runner/eventually.ts';
import { sharedFairlead } from '../support/servers/lent/shared-fairlead.ts';

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

async function made(
  name: string,
  outputs: object = { url: `box://${name}` },
  more: object = {},
): Promise<void> {
  provider.respond(done(outputs));
  await crates.acme.post('/resources/apply', crate(name, { size: 1 }, more));
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

const receiptsOf = async (name: string) =>
  (await receipts()).filter(({ resource_name }) => resource_name === name);

const deletesOf = (name: string) =>
  provider.receipts.filter(({ body }) => body.name === name && body.event_type === 'DELETE');

async function waitsIn(name: string, reason: string): Promise<void> {
  await eventually(async () => {
    const { body } = await crates.acme.get(`${path(name)}?deleting=include`);
    expect(body).toMatchObject({ reason });
  });
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

it('deletes at its time what expires, once nothing uses it any more', async () => {
  const uses = { dependencies: [{ provider: 'box', resource: 'crate', name: 'used' }] };
  await made('used', {});
  await made('user', {}, uses);
  const expires_at = new Date(Date.now() + 3_000).toISOString();
  const applied = await crates.acme.post(
    '/resources/apply',
    crate('used', { size: 1 }, { expires_at }),
  );
  expect(applied.status).toBe(200);
  await waitsIn('used', 'InUse');
  expect(deletesOf('used')).toEqual([]);
  expect((await crates.acme.delete(path('user'))).status).toBe(204);
  await isGone('used');
  expect(deletesOf('used')).toHaveLength(1);
});

it('leaves what a request orphans, with a receipt of what identifies it', async () => {
  await made('left-there', { id: 'box-7' });
  expect((await crates.acme.delete(`${path('left-there')}?orphan=true`)).status).toBe(204);
  await isGone('left-there');
  expect(deletesOf('left-there')).toEqual([]);
  expect(await receiptsOf('left-there')).toMatchObject([
    { reason: 'OrphanPolicy', kind: 'Orphaned', protected: false, outputs: { id: 'box-7' } },
  ]);
});

it('keeps what is protected from HTTP and kubectl until that is lifted', async () => {
  await made('kept', {}, { protected: true });
  expect(await crates.acme.delete(`${path('kept')}?force=true`)).toMatchObject({
    status: 409,
    body: { code: 'resource_protected' },
  });
  const { fairlead, namespace } = crates;
  const name = 'resource/box.crate.kept';
  const remove = () => fairlead.kubectl('delete', name, '-n', namespace, '--wait=false');
  await expect(remove()).rejects.toThrow(/is protected and cannot be deleted; set spec\.protected/);
  const lift = ['--type=merge', '--patch={"spec":{"protected":false}}'];
  await fairlead.kubectl('patch', name, '-n', namespace, ...lift);
  expect(deletesOf('kept')).toEqual([]);
  await remove();
  await isGone('kept');
  expect(deletesOf('kept')).toHaveLength(1);
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
  await made('guarded', { url: 'box://guarded' }, { protected: true });
  const { fairlead, namespace } = crates;
  await fairlead.kubectl('delete', 'provider.fairlead.dev', 'box', '-n', namespace);
  await fairlead.kubectl('delete', 'namespace', namespace, '--timeout=60s');
  // Asked for again, the organization has a new namespace; what remained of the old one is still on record.
  const kept = await eventually(async () => {
    const found = [...(await receiptsOf('left')), ...(await receiptsOf('guarded'))];
    expect(found).toHaveLength(2);
    return found;
  }, 30_000);
  const why = { reason: 'NamespaceDeleted', kind: 'Abandoned' };
  expect(kept).toMatchObject([
    { ...why, protected: false, outputs: { url: 'box://left' } },
    { ...why, protected: true, outputs: { url: 'box://guarded' } },
  ]);
  expect(deletesOf('guarded')).toEqual([]);
});
