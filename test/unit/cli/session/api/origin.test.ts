// The token of a command goes to one server: the one that the person chose.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { type Answering, startAnswering } from '../../../../support/clients/answering.ts';
import { newHome, runClient } from '../../../../support/clients/client.ts';

const token = 'the-token-of-production';
let received: string[];
let own: string;
let other: string;

async function serve(name: string): Promise<Answering> {
  return await startAnswering(({ url, headers }) => {
    received.push(`${name} ${url} ${headers.authorization ?? ''}`);
    return { body: [] };
  });
}

beforeEach(async () => {
  received = [];
  const servers = [await serve('own'), await serve('other')];
  [own = '', other = ''] = servers.map(({ url }) => url);
  return () => {
    for (const { stop } of servers) stop();
  };
});

it.each([
  ['two slashes', '//', 2],
  ['a backslash', '/\\', 2],
  ['a tab', '/\t/', 2],
  ['a line break', '/\n/', 2],
])('[C07] sends the token to no other server for a path with %s', async (_, start, code) => {
  const variables = { FAIRLEAD_URL: own, FAIRLEAD_TOKEN: token };
  const path = `${start}${new URL(other).host}/x`;
  const result = await runClient(['api', 'GET', path], { variables });
  expect(received).toEqual([]);
  expect(result).toMatchObject({ code, stderr: expect.stringContaining('another server') });
});

it('keeps the path of an address below which the API is', async () => {
  const variables = { FAIRLEAD_URL: `${own}/fairlead/`, FAIRLEAD_TOKEN: token };
  expect((await runClient(['api', '/types'], { variables })).code).toBe(0);
  expect(received).toEqual([`own /fairlead/types Bearer ${token}`]);
});

function checkout(context: string, current: string): { home: string; folder: string } {
  const home = newHome();
  const folder = join(home, 'cloned');
  mkdirSync(join(home, '.config/fairlead'), { recursive: true });
  mkdirSync(folder);
  const contexts = `contexts: { own: { url: "${own}" }, other: { url: "${other}" } }`;
  writeFileSync(join(home, '.config/fairlead/config.yaml'), `current: ${current}\n${contexts}\n`);
  writeFileSync(join(folder, 'fairlead.yaml'), `context: ${context}\n`);
  return { home, folder };
}

it.each([
  ['a variable', {}, ['api', '/x'], token],
  ['a file', { FAIRLEAD_TOKEN: '' }, ['api', '/x', '--token-file', '-'], token],
  ['a completion', {}, ['__complete', '--', 'get', ''], ''],
])('[C07] does not send the token of %s where a checkout says', async (_, more, argv, input) => {
  const place = checkout('other', 'own');
  const variables = { FAIRLEAD_TOKEN: token, ...more };
  const { stderr } = await runClient(argv, { ...place, variables, input });
  expect(received).toEqual([]);
  if (argv[0] !== 'api') return;
  expect(stderr).toMatch(/is not sent to .*, which .*fairlead\.yaml chooses/);
  expect(stderr).toContain('--context other');
});

it.each([
  ['a flag', 'own', { FAIRLEAD_TOKEN: token }, ['--context', 'other']],
  ['FAIRLEAD_URL', 'own', { FAIRLEAD_TOKEN: token, FAIRLEAD_URL: 'other' }, []],
  ['FAIRLEAD_CONTEXT', 'own', { FAIRLEAD_TOKEN: token, FAIRLEAD_CONTEXT: 'other' }, []],
  ['the current context', 'other', { FAIRLEAD_TOKEN: token }, []],
])('sends a given token where %s says, as a checkout does', async (_, current, given, flags) => {
  const variables = { ...given, ...('FAIRLEAD_URL' in given ? { FAIRLEAD_URL: other } : {}) };
  const place = checkout('other', current);
  const { code } = await runClient(['api', '/x', ...flags], { ...place, variables });
  expect([code, received]).toEqual([0, [`other /x Bearer ${token}`]]);
});
