// The client's commands for resources and failures, as people run them: the bundle against a whole Fairlead.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ClientOptions, newHome, spawnClient } from '../support/clients/client.ts';
import { type Crates, startCrates } from '../support/fixtures/crates.ts';
import { answer, done, type Respond } from '../support/fixtures/receipts.ts';
import { eventually } from '../support/runner/eventually.ts';
import { sharedFairlead } from '../support/servers/lent/shared-fairlead.ts';

let crates: Crates;
/** Answers for the resource `slow`. */
let slow: Respond = done();
let variables: Readonly<Record<string, string>>;
const home = newHome();

beforeAll(async () => {
  crates = await startCrates(await sharedFairlead('standard'), 'client-resources');
  crates.provider.respond((receipt, response) => {
    const { config, name } = receipt.body;
    if (name === 'slow') return slow(receipt, response);
    if (config['owner'] !== 'nobody') return done({ url: `box://${name}` })(receipt, response);
    answer(response, 422, { error: 'nobody owns it', log: ['begins', 'asks'] });
  });
  variables = { FAIRLEAD_URL: crates.fairlead.url, FAIRLEAD_TOKEN: crates.acme.token };
});

afterAll(async () => {
  await crates?.close();
});

async function client(words: string, options: ClientOptions = {}) {
  const { result } = await spawnClient(words.split(' '), { variables, home, ...options });
  return await result;
}

function file(name: string, text: string): string {
  writeFileSync(join(home, name), text);
  return name;
}

const shop = `
resource: box/crate/shop
config: {size: 2, owner: "\${box/crate/seller.outputs.url}"}
tags: [team-a]
---
resource: box/crate/seller
config: {size: 1}
`;

it('applies a file, whatever its order, and waits until all is ready', async () => {
  expect(
    (await client(`apply -f ${file('shop.yaml', shop)} --dry-run -o value=change`)).stdout,
  ).toBe('create\ncreate\n');
  expect((await client('get -o name')).stdout).toBe('');
  const applied = await client(`apply -f shop.yaml --wait -o name --timeout 60s`);
  expect(applied).toMatchObject({ code: 0, stdout: 'box/crate/shop\nbox/crate/seller\n' });
  expect(applied.stderr).toMatch(/✓ box\/crate\/shop .*ready/);
  expect(await client('outputs box/crate/shop url')).toMatchObject({ stdout: 'box://shop\n' });
});

it('changes nothing with what get -o yaml prints', async () => {
  const { stdout: yaml } = await client('get -o yaml');
  const before = await client('get -o json');
  expect(await client('apply -f -', { input: yaml })).toMatchObject({ code: 0 });
  expect((await client('get -o json')).stdout).toBe(before.stdout);
  expect(await client('diff -f - --exit-code', { input: yaml })).toMatchObject({
    code: 0,
    stdout: '',
  });
});

it('shows the differences field by field', async () => {
  const text = shop.replace('size: 1', 'size: 3').replace('[team-a]', '[]');
  expect(await client(`diff -f ${file('changed.yaml', text)} --exit-code`)).toMatchObject({
    code: 3,
    stdout: [
      '~ box/crate/shop',
      '    - tags: ["team-a"]',
      '~ box/crate/seller',
      '    ~ config.size: 1 → 3',
      '    used by box/crate/shop: updated when an output changes',
      '',
    ].join('\n'),
  });
});

it('refuses a config with the line and column of what is wrong', async () => {
  const text = 'resource: box/crate/bad\nconfig:\n  size: many\n  onwer: me\n';
  const { code, stdout, stderr } = await client(`apply -f ${file('bad.yaml', text)}`);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/bad\.yaml:4:3 +config\.onwer +unknown field; did you mean owner\?/);
  expect(stderr).toMatch(/bad\.yaml:3:9 +config\.size +must be a whole number, is "many"/);
  const unknown = await client('apply -f -', { input: 'resource: box/crat/bad\nconfig: {}\n' });
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toMatch(
    /Type box\/crat is not registered; did you mean box\/crate\?\n.*fairlead type list\n$/,
  );
});

/** A client that runs until Ctrl-C. */
async function started(words: string) {
  const { child, result } = await spawnClient(words.split(' '), { variables, home });
  let text = '';
  child.stdout?.on('data', (part: Buffer) => {
    text += part.toString();
  });
  return {
    prints: (pattern: RegExp) => eventually(() => expect(text).toMatch(pattern)),
    async interrupt() {
      child.kill('SIGINT');
      return (await result).code;
    },
  };
}

it('follows resources as a table and as lines of JSON', async () => {
  const table = await started('get -w');
  const lines = await started('get box -w -o ndjson');
  await table.prints(/crate\/shop/);
  await lines.prints(/crate_shop/);
  await client(
    `apply -f ${file('watched.yaml', 'resource: box/crate/watched\nconfig: {size: 1}\n')}`,
  );
  await table.prints(/box\/crate\/watched +✓ ready/);
  await lines.prints(/"id":"resource:box_crate_watched".*"lifecycle_state":"ready"/);
  await client('delete box/crate/watched');
  await table.prints(/box\/crate\/watched +deleted/);
  await lines.prints(/^\{"id":"resource:box_crate_watched","deleted":true\}$/m);
  expect(await Promise.all([table.interrupt(), lines.interrupt()])).toEqual([130, 130]);
});

it('shows how far the provider is with an operation, and with a handler that runs', async () => {
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
  slow = async ({ body }, response) => {
    const progress = { done: 1, total: 4 };
    const begun = { retry_after: 1, message: 'Copying', progress, context: { id: 1 } };
    if (body.context === null) return answer(response, 202, begun);
    response.writeInformation(102, { 'Fairlead-Progress': 'done=2, total=4, message="Indexing"' });
    await finished;
    answer(response, 200, { outputs: { url: 'box://slow' } });
  };
  const table = await started('get -w');
  const text = 'resource: box/crate/slow\nconfig: {size: 1}\n';
  const applied = client(`apply -f ${file('slow.yaml', text)} --wait --timeout 60s`);
  await table.prints(/crate\/slow +● processing .* 1 of 4 \(25 %\): Copying \[InProgress\]/);
  await table.prints(/crate\/slow +● processing .* 2 of 4 \(50 %\): Indexing \[InProgress\]/);
  expect((await client('why box/crate/slow')).stdout.replace(/\s+/g, ' ')).toContain(
    'box/crate/slow is processing: 2 of 4 (50 %): Indexing; attempt 1 of ',
  );
  finish();
  expect(await applied).toMatchObject({ code: 0 });
  expect(await table.interrupt()).toBe(130);
  expect((await client('get box/crate/slow -o value=progress')).stdout).toBe('null\n');
});

it('ends the wait when nothing goes on, explains the failure, and retries its cause', async () => {
  const text = `
resource: box/crate/orphan
config: {size: 1, owner: nobody}
---
resource: box/crate/user
config: {size: 1, owner: "\${box/crate/orphan.outputs.url}"}
`;
  const applied = await client(`apply -f ${file('orphan.yaml', text)} --wait -q --timeout 60s`);
  expect(applied).toMatchObject({ code: 1 });
  expect(applied.stderr).toContain('2 resources are not ready');
  const { stdout: why } = await client('why box/crate/user');
  expect(why).toMatch(
    /✗ refused +provider box .*nobody owns it.*\[ProviderFailed, HTTP_422\][\s\S]*failed +box\/crate\/orphan +for \d+s\n[\s\S]*\nlog +begins\n +asks\n[\s\S]*fairlead edit box\/crate\/orphan/,
  );
  expect((await client('why --all')).stdout).toMatch(
    /2 resources +box\/crate\/orphan, box\/crate\/user/,
  );
  expect((await client('get --failed -o name')).stdout).toBe('box/crate/orphan\n');
  expect(await client('wait box/crate/user --timeout 1s -q')).toMatchObject({ code: 7 });

  expect((await client('dead-letters list -o value=resource_name')).stdout).toBe('orphan\n');
  expect((await client('dead-letters --group -o value=count')).stdout).toBe('1\n');
  const event = (await client('dead-letters -o name')).stdout.trim();
  const shown = (await client(`dead-letters get ${event}`)).stdout;
  expect(shown).toMatch(/^log_excerpt +begins\n +asks$/m);
  expect(shown).toMatch(/^payload +\{\n +"event_id": "evt-[0-9a-f]+",\n/m);
  expect(shown).not.toMatch(/^id /m);
  const cause = (await client('dead-letters --group -o name')).stdout.trim();
  const retry = `dead-letters retry --cause ${cause}`;
  expect((await client(`${retry} --dry-run`)).stdout).toBe('1 event would be retried.\n');
  crates.provider.respond(done({ url: 'box://x' }));
  expect(await client(`${retry} --wait -q`)).toMatchObject({ code: 0 });
  expect(await client('wait box/crate/user --timeout 60s -q')).toMatchObject({ code: 0 });
});

it('deletes users before what they use, asks where several are meant, and records what was forced', async () => {
  expect(await client('delete box/crate/seller')).toMatchObject({ code: 6 });
  expect(await client('delete box/crate/nothing')).toMatchObject({ code: 5 });
  expect((await client('delete box')).stderr).toContain('Pass --yes');
  expect(await client('delete -f shop.yaml --wait --timeout 60s')).toMatchObject({ code: 0 });
  expect(await client('delete box --force --yes --wait --timeout 60s')).toMatchObject({ code: 0 });
  expect((await client('get -o name')).stdout).toBe('');
});

it('registers, shows and unregisters types', async () => {
  const text =
    'provider: box\nresource: lid\ndescription: A lid\nconcurrency: 4\nschema: {type: object}\n';
  expect(await client(`type register -f ${file('lid.yaml', text)} -o name`)).toMatchObject({
    stdout: 'box/lid\n',
  });
  expect((await client('type -o name')).stdout).toBe('box/crate\nbox/lid\n');
  expect((await client('type get box/crate')).stdout).toMatch(/size +integer +required/);
  expect((await client('type get box/lid')).stdout).toContain('Delivers 4 events at a time.\n');
  expect(await client('type unregister box/lid')).toMatchObject({ code: 0 });
});
