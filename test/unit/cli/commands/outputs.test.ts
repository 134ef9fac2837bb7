// `fairlead outputs`: what a terminal shows of secrets, and what pipes and programs get as before.
import { createServer } from 'node:http';
import { beforeEach, expect, it } from 'vitest';
import { runClient } from '../../../support/clients/client.ts';
import { resourceRecord } from '../../../support/clients/client-records.ts';
import { listening } from '../../../support/servers/listening.ts';

const schema = {
  type: 'object',
  properties: { name: { type: 'string' }, password: { type: 'string', sensitive: true } },
};
const secret = 's3cr3t-of-orders';
const outputs = { host: 'h', url: `postgres://u:${secret}@h`, hosts: [{ key: secret }] };
const own = resourceRecord('orders', { config: { password: secret }, outputs });
const masked = ['/config/password', '/outputs/url', '/outputs/hosts/0/key'];
const ofViewer = resourceRecord('orders', {
  ...{ config: { password: null }, masked },
  outputs: { host: 'h', url: null, hosts: [{ key: null }] },
});
const hidden = '(hidden: your role may not read it)';
const note =
  'Sensitive outputs are hidden. Show them: fairlead outputs postgres/database/orders --show-secrets\n';

let url: string;
let record: object;
let types: readonly object[];

beforeEach(async () => {
  types = [{ provider: 'postgres', resource: 'database', schema }];
  const server = createServer(({ url = '' }, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(url.startsWith('/resources/types') ? types : record));
  });
  const started = await listening(server);
  url = started.url;
  return started.stop;
});

const client = (words: string, columns?: number) => {
  const variables = { FAIRLEAD_TOKEN: 'token', FAIRLEAD_URL: url, NO_COLOR: '1' };
  const argv = ['outputs', 'postgres/database/orders', ...words.split(' ').filter(Boolean)];
  return runClient(argv, { variables, ...(columns === undefined ? {} : { columns }) });
};
const rows = (url: string, key: string) =>
  `host   h\nurl    ${url}\nhosts  ${JSON.stringify([{ key }])}\n`;

it.each<[who: string, words: string, record: object, stdout: string, stderr: string]>([
  ['an editor', '', own, rows('(sensitive)', '(sensitive)'), note],
  ['an editor', '--show-secrets', own, rows(outputs.url, secret), ''],
  ['an editor', 'url', own, `${outputs.url}\n`, ''],
  ['a viewer', '', ofViewer, rows(hidden, hidden), ''],
  ['a viewer', '--show-secrets', ofViewer, rows(hidden, hidden), ''],
  ['a viewer', 'hosts[0].key', ofViewer, `${hidden}\n`, ''],
  ['a viewer', 'host', ofViewer, 'h\n', ''],
  [
    'a viewer without any',
    '',
    resourceRecord('orders', { outputs: {}, masked: ['/outputs'] }),
    `outputs  ${hidden}\n`,
    '',
  ],
])('at a terminal, %s with "%s"', async (_who, words, given, stdout, stderr) => {
  record = given;
  expect(await client(words, 120)).toEqual({ code: 0, stdout, stderr });
});

it('hides all of a type that is not registered, until somebody asks', async () => {
  [record, types] = [own, []];
  expect((await client('', 120)).stdout).toBe(
    'host   (sensitive)\nurl    (sensitive)\nhosts  (sensitive)\n',
  );
  expect((await client('--show-secrets', 120)).stdout).toContain(secret);
});

it.each<[words: string, record: object, stdout: string]>([
  ['', own, rows(outputs.url, secret)],
  ['url', own, `${outputs.url}\n`],
  ['-o json', own, `${JSON.stringify(outputs, null, 2)}\n`],
  ['url', ofViewer, 'null\n'],
  ['-o json', ofViewer, `${JSON.stringify(ofViewer.outputs, null, 2)}\n`],
])('a pipe with "%s" gets what it got before', async (words, given, stdout) => {
  record = given;
  expect(await client(words)).toEqual({ code: 0, stdout, stderr: '' });
});

it('programs get secrets also at a terminal', async () => {
  record = own;
  expect((await client('-o json', 120)).stdout).toBe(`${JSON.stringify(outputs, null, 2)}\n`);
});
