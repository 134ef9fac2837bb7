// Crashes and restarts of the whole process: nothing acknowledged is lost, and events keep their identity.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type Caller, Fairlead } from '../support/fairlead.ts';
import { answer, done, type RecordingProvider, recordingProvider } from '../support/receipts.ts';

const count = 100;

let fairlead: Fairlead;
let acme: Caller;
let provider: RecordingProvider;

interface Listed {
  readonly name: string;
  readonly lifecycle_state: string;
}

beforeAll(async () => {
  fairlead = await Fairlead.start({ env: { FAIRLEAD_RETRY_BASE_MS: '100' } });
  acme = await fairlead.caller('acme');
  const { body } = await acme.get('/auth/me');
  provider = await recordingProvider();
  await acme.post('/resources/register', { provider: 'box', resource: 'crate', description: '' });
  await fairlead.apply({
    apiVersion: 'fairlead.dev/v1alpha1',
    kind: 'Provider',
    metadata: { name: 'box', namespace: (body as { namespace: string }).namespace },
    spec: { provider: 'box', endpoint: provider.url },
  });
});

afterAll(async () => {
  await provider?.close();
  await fairlead?.destroy();
});

async function states(): Promise<readonly Listed[]> {
  const { body } = await acme.get('/resources/?provider=box');
  return body as Listed[];
}

function eventIds(name: string): readonly string[] {
  return provider.receipts
    .filter(({ body }) => body.name === name)
    .map(({ body }) => body.event_id);
}

it('ends a hundred resources in flight at a kill -9, each under the event id it had before', async () => {
  const release = Promise.withResolvers<void>();
  provider.respond(async (_receipt, response) => {
    await release.promise;
    if (!response.destroyed) answer(response, 200, { outputs: { made: true } });
  });
  const names = Array.from({ length: count }, (_, index) => `r-${index}`);
  const replies = await Promise.all(
    names.map((name) =>
      acme.post('/resources/apply', {
        provider: 'box',
        resource: 'crate',
        name,
        config: { name },
        lifecycle_state: 'pending',
      }),
    ),
  );
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  await eventually(() => expect(provider.receipts.length).toBeGreaterThan(10));

  await fairlead.kill();
  release.resolve();
  provider.respond(done());
  const before = new Map(names.map((name) => [name, eventIds(name)]));
  await fairlead.up();

  await eventually(async () => {
    const unfinished = (await states()).filter(
      ({ lifecycle_state }) => lifecycle_state !== 'ready',
    );
    expect(unfinished).toEqual([]);
  }, 60_000);
  expect(await states()).toHaveLength(count);
  for (const name of names) {
    expect(
      new Set(eventIds(name)).size,
      `${name} had ${before.get(name)?.length} deliveries before`,
    ).toBe(1);
  }
});

it('keeps everything through a stop and a start, and sends nothing again', async () => {
  const before = await states();
  const deliveries = provider.receipts.length;
  await fairlead.down();
  await fairlead.up();
  expect(await states()).toEqual(before);
  // The start-up sweep has looked at every resource once the newest one is done.
  await acme.post('/resources/apply', {
    provider: 'box',
    resource: 'crate',
    name: 'last',
    config: {},
    lifecycle_state: 'pending',
  });
  await eventually(async () => {
    const last = (await states()).find(({ name }) => name === 'last');
    expect(last?.lifecycle_state).toBe('ready');
  });
  expect(provider.receipts.length).toBe(deliveries + 1);
});

it('says in one sentence that it runs already, and does not disturb the first', async () => {
  const second = fairlead.attempt();
  await expect(second).rejects.toThrow(/already running/i);
  expect((await acme.get('/resources/')).status).toBe(200);
});

it('stays alive and recovers by itself when the API server is killed', async () => {
  await fairlead.killApiServer();
  const during = await acme.get('/resources/box%2Fcrate%2Flast');
  expect([200, 503]).toContain(during.status);
  await eventually(async () => {
    const reply = await acme.post('/resources/apply', {
      provider: 'box',
      resource: 'crate',
      name: 'after',
      config: {},
      lifecycle_state: 'pending',
    });
    expect(reply.status).toBe(200);
  }, 60_000);
  await eventually(async () => {
    const after = (await states()).find(({ name }) => name === 'after');
    expect(after?.lifecycle_state).toBe('ready');
  }, 60_000);
});
