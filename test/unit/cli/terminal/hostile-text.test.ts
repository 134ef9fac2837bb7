// biome-ignore-all lint/suspicious/noControlCharactersInRegex: they are what a terminal must not receive
import { allowInsecureRequests, Configuration, None } from 'openid-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { signInWithDevice } from '../../../../src/cli/session/login/sign-in.ts';
import { styleOf } from '../../../../src/cli/terminal/style.ts';
import { Talk } from '../../../../src/cli/terminal/talk.ts';
import { type Answer, type Answering, startAnswering } from '../../../support/clients/answering.ts';
import { Buffered, clientEnvironment, runClient } from '../../../support/clients/client.ts';
import { resourceRecord } from '../../../support/clients/client-records.ts';

/** A colour, a title, the clipboard, concealed text, a line that is overwritten, C1 controls, reversed text. */
const hostile =
  'x\u001b[31m\u001b]0;t\u0007\u001b]52;c;eA==\u0007\u001b[8m\rok\u009b2J\u0085\u202ey\u001b[2J';
/** What the client itself sends: colours, and lines that it draws again. */
const own = /\u001b\[(?:[12]|22|3[1236]|39)m|\u001b\[\d+A\u001b\[0J/g;
const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

const failed = {
  ...{ provider: 'a', resource: 'b' },
  lifecycle_state: 'failed',
  reason: hostile,
  message: hostile,
  error: hostile,
  config: { text: hostile, [hostile]: 1 },
  outputs: { url: hostile, [hostile]: [hostile] },
  tags: [hostile],
  provider_version: hostile,
  applied_by: hostile,
  applied_by_name: hostile,
} as object;
const me = {
  organization_id: 'acme',
  organization_name: hostile,
  ...{ issuer: hostile, subject: hostile, user_id: hostile, email: hostile, display: hostile },
  ...{ role: 'admin', project_id: hostile, namespace: hostile },
};
const chain = { kind: 'cause', ref: 'a/b/c', state: 'failed', reason: hostile, message: hostile };
const answers: Readonly<Record<string, unknown>> = {
  '/resources/a%2Fb%2Fc': resourceRecord('c', failed),
  '/resources/': [resourceRecord('c', failed)],
  '/resources/a%2Fb%2Fc/explanation': {
    summary: hostile,
    chain: [{ ...chain, since: null }],
    ...{ event: null, dead_letter: null, users: [hostile] },
    next: [{ why: hostile, action: 'apply', resource: 'a/b/c' }],
  },
  '/resources/types': [
    {
      ...{ provider: 'a', resource: 'b', description: hostile },
      schema: { type: 'object', properties: { x: { type: 'string', description: hostile } } },
    },
  ],
  '/auth/me': me,
  '/device': {
    ...{ device_code: 'd', user_code: `${hostile}\nforged`, expires_in: 60, interval: 0.01 },
    verification_uri: `https://id.example/${hostile}\nforged`,
  },
};

function answerOf(path: string): Answer {
  if (path.endsWith('/logs')) {
    const facts = '{"pods":1,"lines":1,"since":null}';
    return { body: `data: a ${hostile}\n\nevent: end\ndata: ${facts}\n\n` };
  }
  if (path === '/token') return { status: 400, body: { error: 'access_denied' } };
  const body = answers[path];
  return body === undefined
    ? { status: 403, body: { detail: hostile, code: 'forbidden', help: hostile } }
    : { body };
}

let server: Answering;
let url: string;

beforeAll(async () => {
  server = await startAnswering((request) => answerOf(new URL(request.url, 'http://api').pathname));
  ({ url } = server);
});

afterAll(() => server.stop());

async function client(words: string, columns?: number) {
  const variables = {
    ...{ FAIRLEAD_TOKEN: 'secret', FAIRLEAD_URL: url, TERM: 'xterm' },
  };
  const size = columns === undefined ? {} : { columns };
  return await runClient(words.split(' '), { variables, ...size });
}

it.each([
  ...['table', 'wide', 'json', 'ndjson', 'yaml', 'name', 'value=outputs.url'].flatMap((format) => [
    `get a/b/c -o ${format}`,
    `get a/b -o ${format}`,
  ]),
  'get a/b/c -o value=outputs',
  ...['outputs a/b/c', 'outputs a/b/c url', 'outputs a/b/c -o yaml', 'outputs a/b/c url -o json'],
  ...['why a/b/c', 'why a/b/c -o yaml', 'type list', 'type get a/b', 'whoami', 'whoami -o yaml'],
  ...['logs a', 'logs a -o json', 'api GET /auth/me', 'history a/b/c', 'dead-letters', 'start'],
  ...['deploy a', 'project list', 'build logs a a-20260131-120000', 'build logs a x -o json'],
  ...['delete a/b/c --yes', 'get a/b/c -v', 'logout', 'doctor'],
])('[C06] %s sends a terminal no sequence of others', async (words) => {
  const { stdout, stderr } = await client(words, 100);
  const text = `${stdout}${stderr}`.replace(own, '');
  expect(text).not.toBe('');
  expect(text).not.toMatch(controls);
  // A colour of others is among the sequences that the client may send.
  expect(`${stdout}${stderr}`).not.toContain('x\u001b[31m');
});

it('[C06] shows values on a terminal as text, and gives a pipe their bytes', async () => {
  expect((await client('get a/b/c -o value=outputs.url', 100)).stdout).toContain('x\\u001b[31m');
  expect((await client('outputs a/b/c url', 100)).stdout).toContain('x\\u001b[31m');
  expect((await client('get a/b/c -o value=outputs.url')).stdout).toBe(`${hostile}\n`);
  expect((await client('outputs a/b/c url')).stdout).toBe(`${hostile}\n`);
  const json = (await client('get a/b/c -o json')).stdout;
  expect(json).not.toMatch(controls);
  expect(JSON.parse(json)).toMatchObject({ message: hostile });
});

it('[C06] shows no sequence of an issuer in the codes of a sign-in', async () => {
  const stderr = new Buffered(100);
  const environment = clientEnvironment({}, { stdout: new Buffered(100), stderr });
  const style = styleOf({ colours: true, unicode: true });
  const config = new Configuration(
    { issuer: url, device_authorization_endpoint: `${url}/device`, token_endpoint: `${url}/token` },
    'cli',
    undefined,
    None(),
  );
  allowInsecureRequests(config);
  const client = { issuer: url, clientId: 'cli', scope: 'openid', parameters: {} };
  const signIn = signInWithDevice({
    ...{ config, environment, canAsk: false, signal: new AbortController().signal },
    client: client as unknown as Parameters<typeof signInWithDevice>[0]['client'],
    talk: new Talk({ environment, style, quiet: false, verbose: false }),
  });
  await expect(signIn).rejects.toThrow(/refused the sign-in/);
  expect(stderr.text).toContain('\\u001b[31m');
  expect(stderr.text).not.toMatch(controls);
  expect(stderr.text.split('\n')).toHaveLength(3);
});
