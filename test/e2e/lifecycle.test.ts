// A resource goes from an HTTP request to `ready`, on a real control plane, with a real provider process.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type Caller, Fairlead } from '../support/fairlead.ts';
import { answer, done, type RecordingProvider, recordingProvider } from '../support/receipts.ts';

let fairlead: Fairlead;
let acme: Caller;
let namespace: string;
let provider: RecordingProvider;

interface Record {
  lifecycle_state: string;
  reason: string;
  error: string | null;
  outputs: object;
  config: object;
  tags: string[] | null;
}

const schema = {
  type: 'object',
  properties: { size: { type: 'integer', minimum: 1 }, owner: { type: 'string' } },
  required: ['size'],
  additionalProperties: false,
};

beforeAll(async () => {
  fairlead = await Fairlead.start({
    env: { FAIRLEAD_RETRY_BASE_MS: '100', FAIRLEAD_EVENT_TIMEOUT_MS: '2000' },
  });
  acme = await fairlead.caller('acme');
  const me = await acme.get('/auth/me');
  namespace = (me.body as { namespace: string }).namespace;
  provider = await recordingProvider();
  await acme.post('/resources/register', {
    provider: 'box',
    resource: 'crate',
    description: 'A crate',
    schema,
  });
  await pointAt('box', provider.url);
});

afterAll(async () => {
  await provider?.close();
  await fairlead?.destroy();
});

function pointAt(name: string, endpoint: string): Promise<string> {
  return fairlead.apply({
    apiVersion: 'fairlead.dev/v1alpha1',
    kind: 'Provider',
    metadata: { name, namespace },
    spec: { provider: name, endpoint },
  });
}

function crate(name: string, config: object = { size: 1 }, more: object = {}) {
  return { provider: 'box', resource: 'crate', name, config, lifecycle_state: 'pending', ...more };
}

async function fetched(name: string): Promise<Record> {
  const { status, body } = await acme.get(`/resources/box%2Fcrate%2F${name}`);
  expect(status).toBe(200);
  return body as Record;
}

async function reaches(name: string, state: string): Promise<Record> {
  return await eventually(async () => {
    const record = await fetched(name);
    expect(record.lifecycle_state).toBe(state);
    return record;
  });
}

it('moves a draft through pending to ready with the outputs of the provider', async () => {
  provider.respond(done({ url: 'box://a' }));
  const draft = await acme.post(
    '/resources/apply',
    crate('a', { size: 1 }, { lifecycle_state: 'draft' }),
  );
  expect(draft.body).toMatchObject({ lifecycle_state: 'draft', outputs: {}, error: null });
  const committed = await acme.post('/resources/apply', crate('a'));
  expect(committed.body).toMatchObject({ lifecycle_state: 'pending' });
  const record = await reaches('a', 'ready');
  expect(record).toMatchObject({ outputs: { url: 'box://a' }, error: null });
  const [receipt] = provider.receipts.filter(({ body }) => body.name === 'a');
  expect(receipt?.body).toMatchObject({
    event_type: 'CREATE',
    organization_id: 'acme',
    attempt: 1,
    previous_config: null,
    config: { size: 1 },
  });
});

it('shows the same to kubectl, which can wait for it', async () => {
  const words = [
    'wait',
    '--for=condition=Ready',
    'resources',
    '-n',
    namespace,
    '--all',
    '--timeout=20s',
  ];
  expect(await fairlead.kubectl(...words)).toContain('condition met');
  const table = await fairlead.kubectl('get', 'resources', '-A', '-o', 'wide');
  expect(table).toMatch(/box\s+crate\s+a\s+ready\s+True\s+Processed/);
});

it('sends an UPDATE with the previous config when the config changes, and nothing when it does not', async () => {
  const before = provider.receipts.length;
  await acme.post('/resources/apply', crate('a', { size: 1 }));
  await acme.post('/resources/apply', crate('a', { size: 2 }));
  await reaches('a', 'ready');
  const events = provider.receipts.slice(before).map(({ body }) => body);
  expect(events).toMatchObject([
    {
      event_type: 'UPDATE',
      previous_config: { size: 1 },
      config: { size: 2 },
      outputs: { url: 'box://a' },
    },
  ]);
});

it('stores tags at once without an event, and filters by them', async () => {
  const before = provider.receipts.length;
  const tagged = await acme.post(
    '/resources/apply',
    crate('a', { size: 2 }, { tags: ['blue', 'big'] }),
  );
  expect(tagged.body).toMatchObject({ lifecycle_state: 'ready', tags: ['blue', 'big'] });
  const found = await acme.get('/resources/?tags=blue&tags=big');
  expect(found.body).toMatchObject([{ name: 'a' }]);
  expect((await acme.get('/resources/?tags=blue&tags=red')).body).toEqual([]);
  expect(provider.receipts.length).toBe(before);
});

it('tells which config breaks the schema, and stores nothing', async () => {
  const refused = await acme.post('/resources/apply', crate('bad', { size: 'big' }));
  expect(refused.status).toBe(422);
  expect(refused.body).toMatchObject({
    detail: [{ loc: ['body', 'config', 'size'], type: 'int_type' }],
  });
  expect((await acme.get('/resources/box%2Fcrate%2Fbad')).status).toBe(404);
});

it('refuses other content while a resource is being processed, and keeps the same content harmless', async () => {
  let finish = () => {};
  const hold = new Promise<void>((resume) => {
    finish = resume;
  });
  provider.respond(async (_receipt, response) => {
    await hold;
    answer(response, 200, { outputs: {} });
  });
  await acme.post('/resources/apply', crate('slow'));
  await reaches('slow', 'processing');
  const same = await acme.post('/resources/apply', crate('slow'));
  expect(same).toMatchObject({ status: 200, body: { lifecycle_state: 'processing' } });
  const other = await acme.post('/resources/apply', crate('slow', { size: 9 }));
  expect(other).toMatchObject({ status: 409, body: { code: 'resource_busy' } });
  finish();
  await reaches('slow', 'ready');
  provider.respond(done());
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
  'tries five times under one event id when the provider %s, then keeps a letter',
  async (how, respond) => {
    const name = `h-${how.replaceAll(' ', '-').toLowerCase()}`;
    provider.respond(respond);
    await acme.post('/resources/apply', crate(name));
    const record = await reaches(name, 'failed');
    provider.respond(done());
    expect(record.error).toEqual(expect.any(String));
    expect(record.reason).toBe('AttemptsExhausted');
    const events = provider.receipts
      .filter(({ body }) => body.name === name)
      .map(({ body }) => body);
    expect(events.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5]);
    const [id] = new Set(events.map(({ event_id }) => event_id));
    const letter = JSON.parse(
      await fairlead.kubectl('get', 'configmap', String(id), '-n', namespace, '-o', 'json'),
    );
    expect(letter.data).toMatchObject({
      event_id: id,
      attempt_count: '5',
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
  const ids = provider.receipts
    .filter(({ body }) => body.name === 'quota')
    .map(({ body }) => body.event_id);
  expect(new Set(ids).size).toBe(2);
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

it('deletes with the recorded outputs, answers 404 meanwhile, and lets kubectl see it go', async () => {
  provider.respond(done({ url: 'box://gone' }));
  await acme.post('/resources/apply', crate('gone'));
  await reaches('gone', 'ready');
  expect((await acme.delete('/resources/box%2Fcrate%2Fgone')).status).toBe(204);
  expect((await acme.get('/resources/box%2Fcrate%2Fgone')).status).toBe(404);
  await eventually(async () => {
    const names = await fairlead.kubectl(
      'get',
      'resources',
      '-n',
      namespace,
      '-o',
      'jsonpath={.items[*].spec.name}',
    );
    expect(names.split(' ')).not.toContain('gone');
  });
  const deletes = provider.receipts.filter(({ body }) => body.event_type === 'DELETE');
  expect(deletes.map(({ body }) => body)).toMatchObject([
    { name: 'gone', outputs: { url: 'box://gone' } },
  ]);
  expect((await acme.delete('/resources/box%2Fcrate%2Fgone')).status).toBe(204);
});

it('deletes a draft at once without telling anybody', async () => {
  const before = provider.receipts.length;
  await acme.post('/resources/apply', crate('idea', { size: 1 }, { lifecycle_state: 'draft' }));
  await acme.delete('/resources/box%2Fcrate%2Fidea');
  await eventually(async () => {
    const names = await fairlead.kubectl(
      'get',
      'resources',
      '-n',
      namespace,
      '-o',
      'jsonpath={.items[*].spec.name}',
    );
    expect(names.split(' ')).not.toContain('idea');
  });
  expect(provider.receipts.length).toBe(before);
});

it('lets one of many parallel applies create, and all of them agree', async () => {
  provider.respond(done());
  const replies = await Promise.all(
    Array.from({ length: 50 }, () => acme.post('/resources/apply', crate('race'))),
  );
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  await reaches('race', 'ready');
  const events = provider.receipts.filter(({ body }) => body.name === 'race');
  expect(new Set(events.map(({ body }) => body.event_id)).size).toBe(1);
});

it("shows another organization nothing of one's own", async () => {
  const other = await fairlead.caller('rival');
  const mine = await other.get('/resources/box%2Fcrate%2Fa');
  const missing = await other.get('/resources/box%2Fcrate%2Fnever');
  expect(mine.status).toBe(404);
  expect(JSON.stringify(mine.body).replace('/a', '/never')).toBe(JSON.stringify(missing.body));
  expect((await other.get('/resources/')).body).toEqual([]);
});

it('refuses kubectl what the interface refuses', async () => {
  const object = {
    apiVersion: 'fairlead.dev/v1alpha1',
    kind: 'Resource',
    metadata: { name: 'x', namespace },
  };
  const spec = { provider: 'box', resource: 'crate', name: 'a/b', project: 'p', config: {} };
  await expect(fairlead.apply({ ...object, spec })).rejects.toThrow(/spec\.name/);
});
