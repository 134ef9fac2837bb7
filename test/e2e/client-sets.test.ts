// The client's commands for sets, as people run them, against a whole Fairlead.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundledClient, newHome, runClient } from '../support/clients/client.ts';
import { runInTerminal } from '../support/clients/terminal.ts';
import { type Crates, startCrates } from '../support/fixtures/crates.ts';
import { done } from '../support/fixtures/receipts.ts';
import { eventually } from '../support/runner/eventually.ts';
import { sharedFairlead } from '../support/servers/lent/shared-fairlead.ts';

let crates: Crates;
let variables: Readonly<Record<string, string>>;
const home = newHome();
const folder = join(home, 'shop');

beforeAll(async () => {
  crates = await startCrates(await sharedFairlead('standard'), 'client-sets');
  crates.provider.respond(done({ url: 'box://here' }));
  variables = { FAIRLEAD_URL: crates.fairlead.url, FAIRLEAD_TOKEN: crates.acme.token };
  mkdirSync(folder);
  for (const name of ['web', 'queue', 'cart']) declare(name);
});

afterAll(async () => {
  await crates?.close();
});

const client = (words: string) => runClient(words.split(' '), { variables, home });

function declare(name: string): void {
  writeFileSync(join(folder, `${name}.yaml`), `resource: box/crate/${name}\nconfig: {size: 1}\n`);
}

function remove(name: string): void {
  rmSync(join(folder, `${name}.yaml`));
}

async function members(): Promise<string> {
  return (await client('get --set shop -o value=name')).stdout.split('\n').sort().join(' ').trim();
}

it('applies a folder as a set, and waits for it', async () => {
  expect(await client('apply -f shop --set shop -o name')).toMatchObject({
    code: 0,
    stdout: 'box/crate/cart\nbox/crate/queue\nbox/crate/web\n',
  });
  expect(await client('wait --set shop --timeout 60s')).toMatchObject({ code: 0 });
  const { stdout } = await client('sets');
  expect(stdout).toMatch(/^shop +3 +3 ready +keep /m);
  expect(await client('why --set shop')).toMatchObject({ code: 0, stdout: '' });
  expect((await client('apply -f shop --set shop -o name')).code).toBe(0);
  expect((await client('diff -f shop --set shop --exit-code')).code).toBe(0);
});

it('names what is in no file, and prunes it once that is approved', async () => {
  remove('web');
  const kept = await client('apply -f shop --set shop');
  expect(kept).toMatchObject({ code: 0 });
  expect(kept.stderr).toContain('A member is in no file, and stays: box/crate/web.');
  expect((await client('why --set shop')).stdout).toContain('box/crate/web');
  const words = 'apply -f shop --set shop --prune delete';
  // The set keeps what is in no file so far: a request alone makes it no less careful.
  expect(await client(words)).toMatchObject({ code: 6, stderr: expect.stringContaining('--plan') });
  expect((await client(words.replace('apply', 'diff'))).stdout).toContain('- box/crate/web');
  const digest = (await client(`${words} --dry-run -o value=plan`)).stdout.trim();
  const pruned = await client(`${words} --plan ${digest}`);
  expect(pruned).toMatchObject({ code: 0, stdout: expect.stringMatching(/crate\/web +deleted/) });
  await eventually(async () => expect(await members()).toBe('cart queue'));
});

it('asks at a terminal before a member is deleted', async () => {
  remove('queue');
  const run = async (answer: string) =>
    await runInTerminal(
      `${process.execPath} ${await bundledClient()} apply -f shop --set shop --no-wait`,
      {
        folder: home,
        variables: { PATH: process.env['PATH'], HOME: home, ...variables },
        answers: [[/\[y\/N\]/, answer]],
      },
    );
  const kept = await run('n');
  expect(kept.screen).toContain('- box/crate/queue  deleted');
  expect(kept.screen).toContain('Delete 1 resource and what it contains?');
  expect(await members()).toBe('cart queue');
  expect(await run('y')).toMatchObject({ code: 0 });
  await eventually(async () => expect(await members()).toBe('cart'));
});

it('moves a member of another set only when it is named', async () => {
  const move = 'apply -f shop --set other';
  const refused = await client(move);
  expect(refused).toMatchObject({ code: 6 });
  expect(refused.stderr).toContain('--take box/crate/cart');
  expect(await client(`${move} --take box/crate/cart`)).toMatchObject({ code: 0 });
  expect(await members()).toBe('');
});

it('wants a digest for an empty folder, and deletes a set with what becomes of its members', async () => {
  remove('cart');
  const words = 'apply -f shop --set other --prune leave';
  const refused = await client(words);
  expect(refused).toMatchObject({ code: 6, stderr: expect.stringContaining('--plan') });
  const digest = (await client(`${words} --dry-run -o value=plan`)).stdout.trim();
  expect(await client(`${words} --plan ${digest}`)).toMatchObject({ code: 0 });
  declare('cart');
  expect(await client('apply -f shop --set last')).toMatchObject({ code: 0 });
  const deleted = await client('delete --set last --resources delete --yes --wait --timeout 60s');
  expect(deleted).toMatchObject({ code: 0, stderr: expect.stringContaining('last is deleted') });
  expect((await client('get')).stdout).toBe('');
  expect((await client('sets')).stdout).not.toContain('last');
});
