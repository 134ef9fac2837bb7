// A provider that is absent, slow, hostile or broken: what is tried, how often, and what is kept.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Crates, crate, startCrates } from '../support/fixtures/crates.ts';
import {
  answer,
  done,
  type RecordingProvider,
  recordingProvider,
} from '../support/fixtures/receipts.ts';
import { eventually } from '../support/runner/eventually.ts';
import type { Caller, Fairlead } from '../support/servers/fairlead.ts';
import { sharedFairlead } from '../support/servers/lent/shared-fairlead.ts';

let crates: Crates;
let fairlead: Fairlead;
let acme: Caller;
let namespace: string;
let provider: RecordingProvider;
let reaches: Crates['reaches'];
let pointAt: Crates['pointAt'];

beforeAll(async () => {
  crates = await startCrates(await sharedFairlead('standard'), 'provider-trouble');
  ({ fairlead, acme, namespace, provider, reaches, pointAt } = crates);
  const type = { provider: 'box', resource: 'crate', description: '', retry: { attempts: 3 } };
  expect((await acme.post('/resources/register', type)).status).toBe(200);
});

afterAll(async () => {
  await crates?.close();
});

it('waits for a provider without spending attempts, and goes on when it appears', async () => {
  await acme.post('/resources/register', { provider: 'late', resource: 'thing', description: '' });
  const thing = {
    provider: 'late',
    resource: 'thing',
    name: 't',
    config: {},
    lifecycle_state: 'pending',
  };
  await acme.post('/resources/apply', thing);
  await eventually(async () => {
    const { body } = await acme.get('/resources/late:thing:t');
    expect(body).toMatchObject({ lifecycle_state: 'pending', reason: 'WaitingForProvider' });
  });
  await pointAt('late', provider.url);
  await eventually(async () => {
    const { body } = await acme.get('/resources/resource:late_thing_t');
    expect(body).toMatchObject({ lifecycle_state: 'ready' });
  });
  const [receipt] = provider.receipts.filter(({ body }) => body.provider === 'late');
  expect(receipt?.body.attempt).toBe(1);
});

/** @returns type, reason and note of the Events of an object, the oldest first */
async function newsOf(kind: string, id: string): Promise<readonly string[]> {
  const resources = await fairlead.kubectl('get', 'resources', '-n', namespace, '-o', 'json');
  const { items } = JSON.parse(resources) as {
    items: { metadata: { name: string }; spec: Record<string, string> }[];
  };
  const found = items.find(
    ({ spec }) => `${spec['provider']}/${spec['resource']}/${spec['name']}` === id,
  );
  const about = `involvedObject.kind=${kind},involvedObject.name=${found?.metadata.name ?? id}`;
  const text = await fairlead.kubectl(
    ...['get', 'events', '-n', namespace, '--field-selector', about],
    ...['--sort-by', '{.eventTime}', '-o', 'json'],
  );
  const events = JSON.parse(text) as { items: Record<'type' | 'reason' | 'message', string>[] };
  return events.items.map(({ type, reason, message }) => `${type} ${reason} ${message}`);
}

interface Explained {
  readonly event: { readonly errors: readonly { attempt: number; error: string }[] };
}

const hostile = {
  'answers 500': (_receipt: unknown, response: Parameters<typeof answer>[0]) =>
    answer(response, 500, { error: { code: 'BROKEN', message: 'no' } }),
  'answers rubbish': (_receipt: unknown, response: Parameters<typeof answer>[0]) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('<html>');
  },
  'answers 10 MB': (_receipt: unknown, response: Parameters<typeof answer>[0]) => {
    response.writeHead(200).end(Buffer.alloc(10 * 1024 * 1024, 0x20));
  },
  redirects: (_receipt: unknown, response: Parameters<typeof answer>[0]) => {
    response.writeHead(307, { location: 'http://169.254.169.254/' }).end();
  },
  'hangs up': (_receipt: unknown, response: Parameters<typeof answer>[0]) => {
    response.destroy();
  },
};

it.each(Object.entries(hostile))(
  'tries as often as the type declares, under one event id, when the provider %s, then keeps a letter',
  async (how, respond) => {
    const name = `h-${how.replaceAll(' ', '-').toLowerCase()}`;
    provider.respond(respond);
    await acme.post('/resources/apply', crate(name));
    const record = await reaches(name, 'failed');
    provider.respond(done());
    expect(record.error).toEqual(expect.any(String));
    expect(record.reason).toBe('AttemptsExhausted');
    const news = await newsOf('Resource', `box/crate/${name}`);
    expect(news).toContainEqual(
      expect.stringMatching(/^Warning RetryScheduled Attempt 1 failed; retrying at \S+Z: [A-Z]/),
    );
    const { body } = await acme.get(`/resources/box/crate/${name}/explanation`);
    const { errors } = (body as Explained).event;
    expect(record.error).toContain(errors.at(-1)?.error.replace(/…$/, ''));
    const events = provider.receipts
      .filter(({ body }) => body.name === name)
      .map(({ body }) => body);
    expect(events.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(errors.map(({ attempt }) => attempt)).toEqual(events.map(({ attempt }) => attempt));
    const [id] = new Set(events.map(({ event_id }) => event_id));
    const deadLetter = JSON.parse(
      await fairlead.kubectl('get', 'configmap', String(id), '-n', namespace, '-o', 'json'),
    );
    expect(deadLetter.data).toMatchObject({
      event_id: id,
      attempt_count: '3',
      resource_name: name,
      event_type: 'CREATE',
    });
  },
);

it('fails at once on a terminal answer, and tries again when the same config is applied', async () => {
  provider.respond((_receipt, response) =>
    answer(response, 422, { error: { code: 'QUOTA', message: 'full' } }),
  );
  await acme.post('/resources/apply', crate('quota'));
  expect(await reaches('quota', 'failed')).toMatchObject({
    error: 'QUOTA: full',
    reason: 'ProviderFailed',
  });
  provider.respond(done());
  const again = await acme.post('/resources/apply', crate('quota'));
  expect(again.body).toMatchObject({ lifecycle_state: 'pending' });
  expect(await reaches('quota', 'ready')).toMatchObject({ error: null });
  await eventually(async () => {
    const last = await newsOf('Resource', 'box/crate/quota');
    expect(last.at(-1)).toBe('Normal Processed Recovered: CREATE succeeded');
    expect(last).toContain('Warning ProviderFailed QUOTA: full');
  });
  const ids = provider.receipts
    .filter(({ body }) => body.name === 'quota')
    .map(({ body }) => body.event_id);
  expect(new Set(ids).size).toBe(2);
});

it('can be waited for with kubectl beside drafts and failures', async () => {
  await acme.post('/resources/apply', crate('plan', { size: 1 }, { lifecycle_state: 'draft' }));
  await acme.post('/resources/apply', crate('quick'));
  const output = await fairlead.kubectl(
    ...['wait', '--for=jsonpath={.status.state}=ready', 'resources', '--all', '-n', namespace],
    ...['--field-selector', 'status.state!=draft,status.state!=failed', '--timeout=30s'],
  );
  expect(output).toMatch(/box\.crate\.quick condition met/);
  expect(output).not.toMatch(/plan|h-answers/);
});

it('asks again with the context of an operation that is not finished', async () => {
  const contexts: unknown[] = [];
  provider.respond(({ body }, response) => {
    contexts.push(body.context);
    if (contexts.length < 3)
      answer(response, 202, { retry_after: 1, context: { step: contexts.length } });
    else answer(response, 200, { outputs: { steps: contexts.length } });
  });
  await acme.post('/resources/apply', crate('long'));
  expect(await reaches('long', 'ready')).toMatchObject({ outputs: { steps: 3 } });
  expect(contexts).toEqual([null, { step: 1 }, { step: 2 }]);
  const attempts = provider.receipts
    .filter(({ body }) => body.name === 'long')
    .map(({ body }) => body.attempt);
  expect(new Set(attempts)).toEqual(new Set([1]));
  provider.respond(done());
});

it('says of a provider that runs elsewhere whether it answers, and where it does not', async () => {
  const gone = await recordingProvider();
  await gone.close();
  const retry = { attempts: 5 };
  const type = { provider: 'notes', resource: 'note', description: '', retry };
  await acme.post('/resources/register', type);
  await pointAt('notes', `${gone.url}/hooks/t0ken`);
  const note = { provider: 'notes', resource: 'note', name: 'n', config: {} };
  await acme.post('/resources/apply', { ...note, lifecycle_state: 'pending' });
  const provider = async () => {
    const { body } = await acme.get('/providers/');
    return (body as { provider: string }[]).find((each) => each.provider === 'notes');
  };
  const why = `The connection to the provider at ${gone.url} failed: connection refused`;
  await eventually(async () => {
    expect(await provider()).toMatchObject({
      status: 'failed',
      message: expect.stringMatching(/^Unreachable since \S+Z: /),
    });
  });
  expect(await provider()).toMatchObject({ message: expect.stringContaining(why) });
  const columns = await fairlead.kubectl('get', 'providers', 'notes', '-n', namespace);
  expect(columns).toMatch(/False +Unreachable/);
  await eventually(async () => {
    expect(await newsOf('Provider', 'notes')).toContainEqual(
      expect.stringMatching(/^Warning Unreachable Unreachable since /),
    );
    const { body } = await acme.get('/resources/notes:note:n');
    expect(body).toMatchObject({ lifecycle_state: 'failed', error: `UNREACHABLE: ${why}` });
  });
  const { status, body } = await acme.get('/providers/notes/deployment');
  expect({ status, body }).toMatchObject({
    status: 404,
    body: {
      detail: `Provider notes runs elsewhere (${new URL(gone.url).host}) and is not deployed by Fairlead`,
    },
  });
  const back = await recordingProvider(done());
  try {
    await pointAt('notes', back.url);
    await acme.post('/resources/apply', { ...note, lifecycle_state: 'pending' });
    await eventually(async () => {
      expect(await provider()).toMatchObject({
        status: 'available',
        message: expect.stringMatching(`^${back.url} has been reachable since `),
      });
    });
  } finally {
    await back.close();
  }
});
