// The provider of examples/python-provider, written from the wire protocol in docs/providers.md alone, beside a whole Fairlead.
// Skipped with a message if Python is missing or PyJWT cannot be installed.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import type { Caller, Fairlead } from '../support/fairlead.ts';
import { pythonWith } from '../support/python.ts';
import { sharedFairlead } from '../support/shared-fairlead.ts';

const organization = 'python-provider';
const program = resolve(import.meta.dirname, '../../examples/python-provider/provider.py');

const python = await pythonWith(['pyjwt[crypto]==2.15.1', 'cryptography==50.0.2']);
const bin = 'bin' in python ? python.bin : '';
if ('missing' in python) {
  process.stderr.write(`\nSKIPPED: examples/python-provider was not tried: ${python.missing}\n`);
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
    const args = [program, '--fairlead', fairlead.url, '--folder', folder, '--port', '0'];
    provider = spawn(join(bin, 'python'), args, { stdio: ['ignore', 'pipe', 'inherit'] });
    url = await new Promise((found) => {
      provider.stdout?.on('data', (chunk: Buffer) => {
        const [, address] = /listening on (\S+)/.exec(chunk.toString()) ?? [];
        if (address !== undefined) found(address);
      });
    });
    const schema = {
      type: 'object',
      properties: { text: { type: 'string' } },
      required: ['text'],
      additionalProperties: false,
    };
    const type = { provider: 'notes', resource: 'note', description: 'A text file', schema };
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
    await noteBecomes('forbidden', {
      lifecycle_state: 'failed',
      error: 'forbidden_word: The text contains a forbidden word',
    });
    expect((await acme.delete('/resources/notes:note:first')).status).toBe(204);
    await eventually(() => expect(existsSync(file)).toBe(false), 30_000);
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
