// `fairlead outputs`: what a terminal shows of secrets, and what pipes and programs get as before.
import { beforeEach, expect, it } from 'vitest';
import { startAnswering } from '../../../../support/clients/answering.ts';
import { runClient } from '../../../../support/clients/client.ts';
import { resourceRecord } from '../../../../support/clients/client-records.ts';

const secret = 's3cr3t-of-orders';
const outputs = { host: 'h', url: `postgres://u:${secret}@h`, hosts: [{ key: secret }] };
const version = { type_version: 1 };
const own = resourceRecord('orders', { ...version, config: { password: secret }, outputs });
const masked = ['/config/password', '/outputs/url', '/outputs/hosts/0/key'];
const ofViewer = resourceRecord('orders', {
  ...{ ...version, config: { password: null }, masked },
  outputs: { host: 'h', url: null, hosts: [{ key: null }] },
});
const without = resourceRecord('orders', { ...version, outputs: {}, masked: ['/outputs'] });
const hidden = '(hidden: your role may not read it)';
const note =
  'Sensitive outputs are hidden. Show them, if your role permits: fairlead outputs postgres/database/orders --show-secrets\n';

let url: string;
let record: { readonly outputs: object };
let asked: string[];
let hides: (shown: typeof record) => object;

beforeEach(async () => {
  asked = [];
  hides = (shown) => (shown === own ? ofViewer : shown);
  const started = await startAnswering(({ path }) => {
    asked.push(path);
    return { body: path.includes('secrets=hide') ? hides(record) : record };
  });
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

it.each<[who: string, words: string, record: typeof own, stdout: string, stderr: string]>([
  ['an editor', '', own, rows('(sensitive)', '(sensitive)'), note],
  ['an editor', '--show-secrets', own, rows(outputs.url, secret), ''],
  ['an editor', 'url', own, `${outputs.url}\n`, ''],
  ['a viewer', '', ofViewer, rows('(sensitive)', '(sensitive)'), note],
  ['a viewer', '--show-secrets', ofViewer, rows(hidden, hidden), ''],
  ['a viewer', 'host', ofViewer, 'h\n', ''],
  ['a viewer without any', '', without, 'outputs  (sensitive)\n', note],
])('at a terminal, %s with "%s"', async (_who, words, given, stdout, stderr) => {
  record = given;
  expect(await client(words, 120)).toEqual({ code: 0, stdout, stderr });
});

it('asks the server for secrets only where somebody asks for them', async () => {
  record = own;
  const isHiding = async (words: string, columns?: number) => {
    asked = [];
    await client(words, columns);
    return asked.map((path) => path.includes('secrets=hide'));
  };
  expect(await isHiding('', 120)).toEqual([true]);
  for (const words of ['--show-secrets', 'url', '-o json']) {
    expect(await isHiding(words, 120)).toEqual([false]);
  }
  expect(await isHiding('')).toEqual([false]);
});

it.each<[words: string, record: typeof own, stdout: string]>([
  ['', own, rows(outputs.url, secret)],
  ['url', own, `${outputs.url}\n`],
  ['-o json', own, `${JSON.stringify(outputs, null, 2)}\n`],
  ['-o json', ofViewer, `${JSON.stringify(ofViewer.outputs, null, 2)}\n`],
])('a pipe with "%s" gets what it got before', async (words, given, stdout) => {
  record = given;
  expect(await client(words)).toEqual({ code: 0, stdout, stderr: '' });
});

it.each<[where: string, words: string, columns: number | undefined, path: string]>([
  ['a terminal', 'hosts[0].key', 120, 'hosts[0].key'],
  ['a pipe', 'url', undefined, 'url'],
  ['a pipe', 'hosts[0].key', undefined, 'hosts[0].key'],
  ['a pipe', 'url -o json', undefined, 'url'],
])('refuses in %s to print "%s" for somebody who may not read it', async (...row) => {
  const [, words, columns, path] = row;
  record = ofViewer;
  const { code, stdout, stderr } = await client(words, columns);
  expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
  expect(stderr).toContain(`Your role may not read the output ${path} of postgres/database/orders`);
  expect(stderr).toContain('Editors and admins');
});

it('programs get secrets also at a terminal', async () => {
  record = own;
  expect((await client('-o json', 120)).stdout).toBe(`${JSON.stringify(outputs, null, 2)}\n`);
});

it.each([
  ['outputs["tls.crt"]', 'c\n'],
  ['outputs[tls.crt]', 'c\n'],
  ['["tls.crt"]', 'c\n'],
  ['hosts[0].key', `${secret}\n`],
  ['', 'outputs["tls.crt"]  c\n'],
  ['tls.crt', ''],
])('takes and prints names with dots as references do: %s', async (words, stdout) => {
  record = resourceRecord('orders', {
    ...version,
    outputs: { 'tls.crt': 'c', hosts: outputs.hosts },
  });
  const answer = await client(words);
  expect(answer.stdout).toContain(stdout);
  if (words === 'tls.crt') expect(answer.stderr).toContain('outputs["tls.crt"], hosts');
});
