// The provider of examples/python-provider, written from the wire protocol in docs/provider-protocol.md alone, beside a whole Fairlead.
// Skipped with a message if Python is missing or PyJWT cannot be installed.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { interpret } from '../../src/events/answers.ts';
import type { Answer } from '../../src/events/protocol.ts';
import { createSigner, generateEventKey } from '../../src/events/sign.ts';
import { eventually } from '../support/runner/eventually.ts';
import type { Caller, Fairlead } from '../support/servers/fairlead.ts';
import { sharedFairlead } from '../support/servers/lent/shared-fairlead.ts';
import { pythonWith } from '../support/servers/python.ts';
import {
  anEvent,
  type Delivery,
  deliveryOf,
  type SigningFairlead,
  signingFairlead,
} from '../support/servers/signing-fairlead.ts';

const organization = 'python-provider';
const program = resolve(import.meta.dirname, '../../examples/python-provider/provider.py');

const python = await pythonWith(['pyjwt[crypto]==2.15.1', 'cryptography==50.0.2']);
const bin = 'bin' in python ? python.bin : '';
if ('missing' in python) {
  process.stderr.write(`\nSKIPPED: examples/python-provider was not tried: ${python.missing}\n`);
}

/** @returns the process and its address, when it listens */
async function started(fairlead: string, folder: string) {
  const args = [program, '--fairlead', fairlead, '--folder', folder, '--port', '0'];
  const process = spawn(join(bin, 'python'), args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise<string>((found) => {
    process.stdout?.on('data', (chunk: Buffer) => {
      const [, address] = /listening on (\S+)/.exec(chunk.toString()) ?? [];
      if (address !== undefined) found(address);
    });
  });
  return { process, url };
}

describe.skipIf(bin === '')('a provider in Python', () => {
  let fairlead: Fairlead;
  let acme: Caller;
  let folder: string;
  let provider: ChildProcess;
  let url: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairlead-python-'));
    fairlead = await sharedFairlead('standard');
    acme = await fairlead.caller(organization);
    ({ process: provider, url } = await started(fairlead.url, folder));
    const schema = {
      type: 'object',
      properties: { text: { type: 'string' } },
      required: ['text'],
      additionalProperties: false,
    };
    const identity = { outputs: { file: '/file' }, adopt: { file: '/file' } };
    const type = {
      ...{ provider: 'notes', resource: 'note', description: 'A text file', schema },
      ...{ observe: true, identity },
    };
    expect((await acme.post('/resources/register', type)).status).toBe(200);
    const { namespace } = (await acme.get('/auth/me')).body as { namespace: string };
    await fairlead.apply({
      apiVersion: 'fairlead.dev/v1alpha1',
      kind: 'Provider',
      metadata: { name: 'notes', namespace },
      spec: { provider: 'notes', endpoint: url },
    });
  });

  afterAll(async () => {
    provider?.kill();
    await rm(folder, { recursive: true, force: true });
  });

  async function noteBecomes(text: string, wanted: object): Promise<void> {
    const tuple = { provider: 'notes', resource: 'note', name: 'first' };
    const body = { ...tuple, config: { text }, lifecycle_state: 'pending' };
    expect((await acme.post('/resources/apply', body)).status).toBe(200);
    await eventually(async () => {
      expect((await acme.get('/resources/notes:note:first')).body).toMatchObject(wanted);
    }, 30_000);
  }

  it('creates, updates and deletes', async () => {
    const file = join(folder, organization, 'first');
    await noteBecomes('hello', { lifecycle_state: 'ready', outputs: { path: file, length: 5 } });
    expect(await readFile(file, 'utf8')).toBe('hello');
    await noteBecomes('hello again', { lifecycle_state: 'ready', outputs: { length: 11 } });
    const twin = { provider: 'notes', resource: 'note', name: 'twin', adopt: { file: 'first' } };
    for (const [path, more] of [
      ['/resources/preview-import', {}],
      ['/resources/apply', { config: { text: 'mine' }, lifecycle_state: 'pending' }],
    ] as const) {
      const taken = { status: 409, body: { code: 'object_taken' } };
      expect(await acme.post(path, { ...twin, ...more }), path).toMatchObject(taken);
    }
    await noteBecomes('forbidden', {
      lifecycle_state: 'failed',
      error: 'forbidden_word: The text contains a forbidden word',
    });
    expect((await acme.delete('/resources/notes:note:first')).status).toBe(204);
    await eventually(() => expect(existsSync(file)).toBe(false), 30_000);
  });

  it('refuses before anything is stored, when its type says so', async () => {
    const schema = { type: 'object', properties: { text: { type: 'string' } } };
    const type = { provider: 'notes', resource: 'memo', schema, plan: true };
    expect((await acme.post('/resources/register', type)).status).toBe(200);
    const tuple = { provider: 'notes', resource: 'memo', name: 'first' };
    const body = { ...tuple, config: { text: 'forbidden' }, lifecycle_state: 'pending' };
    expect(await acme.post('/resources/apply', body)).toMatchObject({
      status: 422,
      body: {
        detail: [{ loc: ['body', 'config', 'text'], msg: 'The text contains a forbidden word' }],
      },
    });
    expect((await acme.get('/resources/notes:memo:first')).status).toBe(404);
    expect((await acme.post('/resources/apply', { ...body, config: { text: 'hi' } })).status).toBe(
      200,
    );
  });

  it('takes over no file that somebody else wrote, unless it is imported', async () => {
    const file = join(folder, organization, 'found');
    await mkdir(join(folder, organization), { recursive: true });
    await writeFile(file, 'by hand');
    const tuple = { provider: 'notes', resource: 'note', name: 'found' };
    const note = { ...tuple, config: { text: 'declared' }, lifecycle_state: 'pending' };
    const becomes = async (more: object, wanted: object) => {
      expect((await acme.post('/resources/apply', { ...note, ...more })).status).toBe(200);
      await eventually(async () => {
        expect((await acme.get('/resources/notes:note:found')).body).toMatchObject(wanted);
      }, 30_000);
    };
    const error = expect.stringMatching(
      /^already_exists: found exists and is not of this resource/,
    );
    await becomes({}, { lifecycle_state: 'failed', error });
    expect(await readFile(file, 'utf8')).toBe('by hand');
    const imported = { lifecycle_state: 'ready', outputs: { path: file } };
    await becomes({ adopt: { file: 'found' } }, imported);
  });

  it('answers a request that it does not know with 4xx, which means that it cannot', async () => {
    const schema = { type: 'object', properties: { text: { type: 'string' } } };
    const old = { type_version: 1, schema: { type: 'object' } };
    const versions = { type_version: 2, schema, earlier_versions: [old] };
    const type = { provider: 'notes', resource: 'page', ...versions };
    expect((await acme.post('/resources/register', type)).status).toBe(200);
    const body = { from: 1, config: { text: 'hello' } };
    const answer = await acme.post('/resources/types/notes/page/migrate', body);
    expect(answer).toMatchObject({ status: 409, body: { code: 'conflict' } });
  });

  it.each([
    ['no token', {}],
    ['an arbitrary string as the token', { authorization: 'Bearer a.b.c' }],
    ['a token of a user', () => ({ authorization: `Bearer ${acme.token}` })],
  ])('rejects an event with %s', async (_what, headers) => {
    const event = {
      event_id: 'evt-1',
      event_type: 'CREATE',
      organization_id: organization,
      provider: 'notes',
      name: 'forged',
      config: { text: 'forged' },
    };
    const answer = await fetch(url, {
      method: 'POST',
      headers: typeof headers === 'function' ? headers() : headers,
      body: JSON.stringify(event),
    });
    expect([401, 503]).toContain(answer.status);
    expect(existsSync(join(folder, organization, 'forged'))).toBe(false);
  });
});

describe.skipIf(bin === '')('a provider in Python observes', () => {
  let fairlead: SigningFairlead;
  let folder: string;
  let provider: Awaited<ReturnType<typeof started>>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairlead-python-'));
    fairlead = await signingFairlead();
    provider = await started(fairlead.url, folder);
  });

  afterAll(async () => {
    provider?.process.kill();
    await fairlead?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** @returns what Fairlead reads in the answer */
  async function sent(event: Parameters<typeof anEvent>[0]): Promise<Answer> {
    const observing = event?.type === 'OBSERVE';
    const outgoing = anEvent({ provider: 'notes', resource: 'note', ...event });
    const delivery = deliveryOf(outgoing, fairlead.signer);
    const answer = await fetch(provider.url, { method: 'POST', ...delivery });
    const body = new Uint8Array(await answer.arrayBuffer());
    const raw = { status: answer.status, retryAfter: undefined, body };
    return interpret(raw, { observing, deleting: false, now: new Date() });
  }
  const observe = (event: object = {}) => sent({ type: 'OBSERVE', config: {}, ...event });
  const gone = { kind: 'observed', exists: false };

  it('a file, until it is gone', async () => {
    const path = join(folder, 'acme', 'mine');
    expect(await observe()).toEqual(gone);
    await sent({ config: { text: 'hello' } });
    const outputs = { path, file: 'mine', length: 5 };
    expect(await observe({ outputs })).toEqual({
      ...{ kind: 'observed', exists: true, config: { text: 'hello' }, outputs },
    });
    await writeFile(path, 'changed');
    expect(await observe({ outputs })).toMatchObject({ config: { text: 'changed' } });
    await rm(path);
    expect(await observe({ outputs })).toEqual(gone);
  });

  it('a file to import, in the folder of the organization only', async () => {
    await mkdir(join(folder, 'acme'), { recursive: true });
    await writeFile(join(folder, 'acme', 'old.txt'), 'from before');
    await writeFile(join(folder, 'foreign'), 'of nobody');
    expect(await observe({ adopt: { file: 'old.txt' } })).toMatchObject({
      exists: true,
      config: { text: 'from before' },
      outputs: { path: join(folder, 'acme', 'old.txt') },
    });
    for (const file of ['../foreign', '..', '', 7]) {
      const answer = await observe({ adopt: { file } });
      expect(answer).toMatchObject({ kind: 'failed', terminal: true, code: 'invalid_adopt' });
    }
  });

  it('nothing while its folder is away, and does not call it gone', async () => {
    await rename(folder, `${folder}-away`);
    try {
      const answer = await observe();
      expect(answer).toMatchObject({ kind: 'failed', terminal: false, code: 'no_folder' });
    } finally {
      await rename(`${folder}-away`, folder);
    }
  });
});

describe.skipIf(bin === '')('the clock of a provider in Python', () => {
  let fairlead: SigningFairlead;
  let folder: string;
  let provider: Awaited<ReturnType<typeof started>>;
  let key: Awaited<ReturnType<typeof generateEventKey>>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairlead-python-'));
    fairlead = await signingFairlead();
    key = await generateEventKey();
    provider = await started(fairlead.url, folder);
  });

  afterAll(async () => {
    provider?.process.kill();
    await fairlead?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** An event that was signed by a clock that is off. */
  function signedWith(shift: number) {
    const now = new Date(Date.now() + shift * 1_000);
    const signer = createSigner(key, { now: () => now, monotonic: () => 0 });
    fairlead.publish(signer.publicKeys());
    return deliveryOf(anEvent({ provider: 'notes', config: { text: 'x' } }), signer);
  }

  /** The function in docs/provider-protocol.md, which a provider is written with. */
  async function documented({ headers, body }: Delivery) {
    const page = await readFile(
      resolve(import.meta.dirname, '../../docs/provider-protocol.md'),
      'utf8',
    );
    const [, code = ''] = /```python\n([\s\S]*?)```/.exec(page) ?? [];
    const call = `
import sys
try:
    verify(sys.argv[1], sys.argv[2].encode(), "notes")
    print(json.dumps({"status": 200}))
except Refusal as refusal:
    print(json.dumps({"status": refusal.status, "body": refusal.body}))`;
    const whole = code.replaceAll('http://localhost:8000', fairlead.url) + call;
    const args = ['-c', whole, headers['authorization'] ?? '', body];
    const { stdout } = await promisify(execFile)(join(bin, 'python'), args);
    return JSON.parse(stdout) as { status: number; body: unknown };
  }

  it.each([
    [-185, '18[4-9] s ahead of'],
    [185, '18[0-6] s behind'],
  ])('asks for a retry when it differs by %i s', async (shift, difference) => {
    const delivery = signedWith(shift);
    const message = `^The clock of the provider is ${difference} that of Fairlead: its time is \\S+Z, the event was signed at \\S+Z$`;
    const error = { code: 'clock_skew', message: expect.stringMatching(message) };
    const answer = await fetch(provider.url, { method: 'POST', ...delivery });
    expect([answer.status, await answer.json()]).toEqual([503, { error }]);
    expect(await documented(delivery)).toEqual({ status: 503, body: { error } });
  });

  it('may differ by less than the tolerance', async () => {
    const delivery = signedWith(20);
    const answer = await fetch(provider.url, { method: 'POST', ...delivery });
    expect(answer.status).toBe(200);
    expect(await documented(delivery)).toEqual({ status: 200 });
  });
});
