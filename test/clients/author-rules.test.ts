// The rules of an author on a whole Fairlead, with the real process of a provider: two fields together, a size that cannot shrink and a
// quota of the account are refused to `apply`, `diff`, a set and the console before anything is stored.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chromiumProgram, openConsole, startChromium } from '../support/browser/console.ts';
import { newHome, runClient } from '../support/clients/client.ts';
import { type Author, authorOf } from '../support/fixtures/code/author.ts';
import { eventually } from '../support/runner/eventually.ts';
import type { Fairlead } from '../support/servers/fairlead.ts';
import { sharedFairlead } from '../support/servers/lent/shared-fairlead.ts';

const organization = 'author-rules';
const code = `
import { provider, refuse, replace, z } from 'fairlead/provider';

const account = new Set<string>();
const crates = provider('crates');
const crate = crates.resource('crate', {
  description: 'A crate',
  config: z.strictObject({
    size: z.int().min(1),
    lid: z.boolean().default(false),
    lock: z.boolean().default(false),
    wood: z.enum(['oak', 'pine']).default('oak'),
  }),
  outputs: z.object({ url: z.string() }),
  async plan({ config, previous, beside, name }) {
    if (config.lock && !config.lid) return refuse('/lock', 'A lock needs a lid; set lid to true');
    if (previous !== null && config.size !== undefined && config.size < previous.size) {
      return refuse('/size', \`A crate cannot shrink; it has \${previous.size}\`);
    }
    if (previous !== null && config.wood !== previous.wood) return replace('/wood');
    const added = beside.filter((each) => each.previous === null).length + 1;
    if (previous === null && account.size + added > 3) {
      return refuse('', \`The account has room for \${3 - account.size} more crates; delete one first\`);
    }
    return { url: 'crate://' + name };
  },
  async create({ name }) {
    account.add(name);
    return { url: 'crate://' + name };
  },
  update: async ({ name }) => ({ url: 'crate://' + name }),
  async delete({ name }) {
    account.delete(name);
  },
});
export default crates.types(crate);
`;

let fairlead: Fairlead;
let author: Author;
let browser: Browser | undefined;
const home = newHome();
const folder = join(home, 'shop');

beforeAll(async () => {
  fairlead = await sharedFairlead('standard');
  author = await authorOf(fairlead, organization);
  const { version } = await author.built(code);
  expect((await author.caller.post('/providers/crates/deploy', { version })).status).toBe(200);
  await author.deploymentIs({ status: 'available', version });
  mkdirSync(folder);
  declare('first', 'size: 5');
  expect(await client('apply -f shop/first.yaml --wait')).toMatchObject({ code: 0 });
  if (chromiumProgram !== undefined) browser = await startChromium();
}, 120_000);

afterAll(() => browser?.close());

const client = (words: string) =>
  runClient(words.split(' '), {
    ...{ variables: { FAIRLEAD_URL: fairlead.url, FAIRLEAD_TOKEN: author.caller.token }, home },
  });

function declare(name: string, config: string): string {
  const file = join(folder, `${name}.yaml`);
  writeFileSync(file, `resource: crates/crate/${name}\nconfig: {${config}}\n`);
  return `shop/${name}.yaml`;
}

/** @returns what is stored, with the versions of the objects */
async function stored(): Promise<string> {
  const words = ['get', 'resources.fairlead.dev', '-n', author.namespace, '-o'];
  const columns = 'custom-columns=NAME:.metadata.name,VERSION:.metadata.generation';
  return await fairlead.kubectl(...words, columns);
}

async function writesNothing(work: () => Promise<void>): Promise<void> {
  const before = await stored();
  await work();
  expect(await stored()).toBe(before);
}

interface Rule {
  readonly name: string;
  readonly config: string;
  readonly says: string;
}

const rules: Readonly<Record<string, Rule>> = {
  'two fields together': {
    ...{ name: 'locked', config: 'size: 1, lock: true' },
    says: 'A lock needs a lid; set lid to true',
  },
  'a size that cannot shrink': {
    ...{ name: 'first', config: 'size: 4' },
    says: 'A crate cannot shrink; it has 5',
  },
};

it.each(Object.entries(rules))('refuses %s to apply, diff and a set', async (_rule, given) => {
  const file = declare(given.name, given.config);
  await writesNothing(async () => {
    for (const words of [
      `apply -f ${file}`,
      `apply -f ${file} --dry-run`,
      `diff -f ${file}`,
      'apply -f shop --set shop',
      'diff -f shop --set shop',
    ]) {
      const { code: exit, stderr } = await client(words);
      expect({ words, exit, stderr }).toMatchObject({
        exit: 2,
        stderr: expect.stringContaining(given.says),
      });
      expect(stderr, words).toMatch(/\.yaml:2:\d+/);
    }
  });
  declare('first', 'size: 5');
  declare('locked', 'size: 1');
});

it('refuses a quota of the account, for all new ones together', async () => {
  for (const name of ['second', 'third', 'fourth']) declare(name, 'size: 1');
  declare('locked', 'size: 5');
  await writesNothing(async () => {
    for (const words of ['apply -f shop', 'diff -f shop', 'apply -f shop --set shop']) {
      const { code: exit, stderr } = await client(words);
      expect({ words, exit, stderr }).toMatchObject({
        exit: 2,
        stderr: expect.stringContaining('The account has room for 2 more crates; delete one first'),
      });
    }
  });
});

it('shows what is known before, and what is replaced', async () => {
  const second = await client(`diff -f ${declare('second', 'size: 1')}`);
  expect(second).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('output url: "crate://second"'),
  });
  const file = declare('first', 'size: 5, wood: pine');
  const { stdout } = await client(`diff -f ${file}`);
  expect(stdout).toMatch(/wood: .*# forces replacement/);
  const refused = await client(`apply -f ${file}`);
  expect(refused.stderr).toContain('--replace');
  declare('first', 'size: 5');
});

it.runIf(chromiumProgram)('refuses at the field in the console', async () => {
  const visitor = { organization, role: 'admin' } as const;
  const { page, goTo, close } = await openConsole(browser as Browser, fairlead.url, { visitor });
  const seen = (words: string) => page.getByText(words).first().waitFor();
  await writesNothing(async () => {
    await goTo('#/resource/crates/crate/first?show=config');
    await page.getByRole('button', { name: 'Edit …' }).click();
    const config = page.getByLabel('Config, as YAML or JSON');
    for (const [text, place, words] of [
      ['size: 4', 'config.size', 'A crate cannot shrink; it has 5'],
      ['size: 5\nlock: true', 'config.lock', 'A lock needs a lid; set lid to true'],
    ] as const) {
      await config.fill(text);
      await page.getByRole('button', { name: 'Check …' }).click();
      await page.getByRole('button', { name: place }).waitFor();
      await seen(words);
    }
    // What forces a replacement is shown in its dialog, before it is made.
    await config.fill('size: 5\nwood: pine');
    await page.getByRole('button', { name: 'Check …' }).click();
    await page.getByRole('dialog').getByText('config.wood').first().waitFor();
  });
  await close();
});

it('accepts what fits, and makes it', async () => {
  const { code: exit, stderr } = await client('apply -f shop/second.yaml --wait');
  expect({ exit, stderr }).toMatchObject({ exit: 0 });
  await eventually(async () => {
    const { body } = await author.caller.get('/resources/crates%2Fcrate%2Fsecond');
    expect(body).toMatchObject({ lifecycle_state: 'ready', outputs: { url: 'crate://second' } });
  });
});
