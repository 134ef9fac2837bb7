// The page of providers in a real browser: a version that configs do not fit, its rollout and the way back, logs of builds and pods,
// settings whose values nobody sees, and a deletion.
import { randomUUID } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectAccessible } from '../support/browser/axe.ts';
import {
  type ConsoleTab,
  chromiumProgram,
  expectNoSidewaysScrolling,
  openConsole,
  picture,
  startChromium,
} from '../support/browser/console.ts';
import { type Author, authorOf, type Pushed } from '../support/fixtures/code/author.ts';
import { eventually } from '../support/runner/eventually.ts';
import type { Fairlead } from '../support/servers/fairlead.ts';
import { sharedFairlead } from '../support/servers/lent/shared-fairlead.ts';

const organization = 'console-providers';
const secret = `canary-${randomUUID()}`;
let fairlead: Fairlead;
let author: Author;
let browser: Browser;
let admin: ConsoleTab;
let page: Page;
let first: Pushed;
let second: Pushed;

/** What handlers write is hostile. */
const source = (label: string, most: number) => `
import { provider, z } from 'fairlead/provider';
const crates = provider('crates', { settings: z.object({
  region: z.enum(['north', 'south']).default('north'),
  pool: z.int().max(9).optional(),
  token: z.string().min(8).describe('Token of the store').meta({ sensitive: true }),
}) });
const made = ({ settings: { region }, name }) => ({ label: '${label}', url: region + '/' + name });
export default crates.types(crates.resource('crate', {
  description: 'A crate',
  config: z.strictObject({ size: z.int().min(1).max(${most}), colour: z.string().optional() }),
  outputs: z.object({ label: z.string(), url: z.string() }),
  create: async (call) => {
    call.log.warn('making <b>' + call.name + '</b>', { note: '\\u202egnorw' });
    console.log('\\u001b[31mplain\\u001b[0m words');
    return made(call);
  },
  update: async (call) => made(call),
  async delete() {},
}));
`;

beforeAll(async () => {
  if (chromiumProgram === undefined) return;
  fairlead = await sharedFairlead('standard');
  author = await authorOf(fairlead, organization);
  first = await author.built(source('one', 9));
  browser = await startChromium();
  admin = await openConsole(browser, fairlead.url, { visitor: { organization, role: 'admin' } });
  page = admin.page;
}, 180_000);

afterAll(async () => {
  await admin?.close();
  await browser?.close();
});

const seen = (words: string | RegExp) => page.getByText(words).first().waitFor();
const button = (name: string | RegExp) => page.getByRole('button', { name });
const dialog = (name: string) => page.getByRole('dialog', { name });

async function open(show: string, more = ''): Promise<void> {
  await admin.goTo(`#/providers/crates?show=${show}${more}`);
  await page.getByRole('heading', { level: 1, name: 'crates' }).waitFor();
}

async function isWell(name: string): Promise<void> {
  await expectAccessible(page);
  await picture(page, name);
  await page.setViewportSize({ width: 360, height: 780 });
  await expectNoSidewaysScrolling(page);
  await picture(page, `${name}-narrow`);
  await page.setViewportSize({ width: 1_280, height: 900 });
}

it.runIf(chromiumProgram)(
  'deploys a first version, which waits for its settings; nobody sees the value',
  async () => {
    await open('versions');
    await seen('not deployed');
    await button(`Deploy ${first.version} …`).click();
    const asked = dialog(`Deploy ${first.version}`);
    await asked.getByText('The configs of all resources fit.').waitFor();
    await asked.getByText('does not start before these settings are set').waitFor();
    await isWell('providers-deploy');
    await asked.getByRole('button', { name: 'Deploy', exact: true }).click();
    await asked.getByText('requires settings that are not set: token').waitFor();
    await asked.getByRole('link', { name: 'Settings' }).click();

    await seen('A required setting has no value:');
    await isWell('providers-settings');
    await button('Set token …').click();
    const setting = dialog('Set token');
    const field = setting.getByLabel('Value');
    expect(await field.getAttribute('type')).toBe('password');
    await field.fill('short');
    await button('Set token').last().click();
    await setting.getByRole('alert').filter({ hasText: 'token' }).waitFor();
    await isWell('providers-setting');
    await field.fill(secret);
    await button('Set token').last().click();
    await setting.waitFor({ state: 'detached' });
    await seen('hidden');
    await author.deploymentIs({ status: 'available', version: first.version });
    // In the order of the code.
    const { body: types } = await author.caller.get('/resources/types');
    expect(JSON.stringify(types)).toMatch(/"properties":\{"size":\{[^}]*\},"colour":/);
    expect(page.url()).not.toContain(secret);
    expect(await page.content()).not.toContain(secret);
    expect(admin.received.join('\n')).not.toContain(secret);
  },
);

it.runIf(chromiumProgram)('sets and unsets settings, and says what cannot be unset', async () => {
  await open('settings');
  await button('Set region …').click();
  await dialog('Set region').getByLabel('Value').selectOption('south');
  await button('Set region').last().click();
  await page
    .getByRole('row', { name: /region/ })
    .getByText('south')
    .waitFor();
  await button('Set pool …').click();
  await dialog('Set pool').getByLabel('Value').fill('ten');
  await button('Set pool').last().click();
  await seen('The value is not a number.');
  await dialog('Set pool').getByLabel('Value').fill('10');
  await button('Set pool').last().click();
  await dialog('Set pool').getByText('pool:').waitFor();
  await button('Cancel').click();
  await button('Unset token …').click();
  await dialog('Unset token').getByText('requires token').waitFor();
  expect(await button('Unset token').last().isDisabled()).toBe(true);
  await button('Cancel').click();
  await button('Unset region …').click();
  await seen('The default applies afterwards: north.');
  await isWell('providers-unset');
  await button('Unset region').last().click();
  await page
    .getByRole('row', { name: /region/ })
    .getByText('north (default)')
    .waitFor();
  await author.deploymentIs({ status: 'available', version: first.version });
});

it.runIf(chromiumProgram)(
  'shows whose configs a version does not fit, follows its rollout, and rolls back',
  async () => {
    second = await author.built(source('two', 2));
    await author.apply('a', 5);
    await author.becomes('a', { label: 'one' });
    await open('versions');
    await button(`Deploy ${second.version} …`).click();
    const asked = dialog(`Deploy ${second.version}`);
    await asked.getByText('The config of 1 resource does not fit.').waitFor();
    expect(await asked.getByRole('link', { name: 'crates/crate/a' }).getAttribute('href')).toBe(
      '#/resource/crates/crate/a',
    );
    const deploy = asked.getByRole('button', { name: 'Deploy', exact: true });
    expect(await deploy.isDisabled()).toBe(true);
    await isWell('providers-misfit');
    await asked.getByRole('checkbox').uncheck();
    await deploy.click();
    await asked.getByText(`Version ${second.version} is serving`).waitFor({ timeout: 60_000 });
    await isWell('providers-rollout');
    await asked.getByRole('button', { name: 'Close' }).last().click();

    await button('Roll back …').click();
    const back = dialog(`Roll back to ${first.version}`);
    await back.getByText('The configs of all resources fit.').waitFor();
    await back.getByRole('button', { name: 'Roll back', exact: true }).click();
    await back.getByText(`Version ${first.version} is serving`).waitFor({ timeout: 60_000 });
    await page.keyboard.press('Escape');
    await back.waitFor({ state: 'detached' });
    await seen('deployed');
    await isWell('providers-versions');
    await admin.goTo('#/providers');
    await page.getByRole('link', { name: 'crates' }).waitFor();
    await isWell('providers-list');
  },
);

it.runIf(chromiumProgram)('shows the log of a build, live, and what pods write', async () => {
  const { job_name: job, version } = await author.push('export default 5;\n');
  await open('build', `&job=${job}`);
  await seen(`Build of ${version}`);
  await seen('Complete.');
  await page.getByText('failed', { exact: false }).first().waitFor();
  const log = page.getByRole('log');
  expect((await log.innerText()).length).toBeGreaterThan(20);
  await isWell('providers-build');

  await author.apply('b', 1);
  await author.becomes('b', { label: 'one' });
  await open('logs', '&resource=crates/crate/b');
  await log.getByText('making <b>b</b>').waitFor();
  await log.getByText('\\u202egnorw').waitFor();
  expect(await log.innerText()).not.toContain('plain words');
  await isWell('providers-logs');
  await page.getByRole('searchbox', { name: 'Resource' }).fill('');
  await page.keyboard.press('Enter');
  await log.getByText('plain words').first().waitFor();

  await button('Pause').click();
  await seen('Paused');
  await author.apply('c', 1);
  await author.becomes('c', { label: 'one' });
  expect(await log.getByText('making <b>c</b>').count()).toBe(0);
  await button('Resume').click();
  await log.getByText('making <b>c</b>').waitFor();
  // It continues: nothing is shown twice.
  expect(await log.getByText('making <b>b</b>').count()).toBe(1);

  await page.getByLabel('Container').selectOption('before the last restart');
  await seen(/In no pod of provider crates has a process ended/);
  await seen(/fairlead logs crates --previous/);
  await page.getByLabel('Container').selectOption('present');
  await log.getByText('making <b>c</b>').waitFor();

  await page.getByLabel('Event').fill('nonsense');
  await page.keyboard.press('Enter');
  await seen('must be the id of an event');
  expect(page.url()).toContain('event=nonsense');
});

it.runIf(chromiumProgram)('offers nothing to a viewer that the role does not permit', async () => {
  const visitor = { organization, role: 'viewer' } as const;
  const hash = '#/providers/crates';
  const tab = await openConsole(browser, fairlead.url, { visitor, hash });
  await tab.page.getByText(first.version).first().waitFor();
  await tab.page.getByRole('link', { name: `Log of the build of ${first.version}` }).waitFor();
  expect(await tab.page.getByRole('button', { name: /…/ }).count()).toBe(0);
  await tab.goTo('#/providers/crates?show=settings');
  await tab.page.getByRole('row', { name: /region/ }).waitFor();
  expect(await tab.page.getByRole('button', { name: /…/ }).count()).toBe(0);
  await tab.goTo('#/providers/nobody');
  await tab.page.getByText('There is no provider nobody.').waitFor();
  expect(tab.messages).toEqual([]);
  await tab.close();
});

it.runIf(chromiumProgram)('deletes a provider, after its name was typed', async () => {
  await open('versions');
  await button('Delete …').click();
  const asked = dialog('Delete crates');
  await asked.getByText('It has 3 resources.').waitFor();
  const remove = asked.getByRole('button', { name: 'Delete crates' });
  await asked.getByLabel('Type crates to confirm').fill('crates');
  expect(await remove.isDisabled()).toBe(true);
  await asked.getByRole('checkbox').check();
  await isWell('providers-delete');
  await remove.click();
  await seen('Provider crates is deleted after its 3 resources.');
  await eventually(async () => {
    expect((await author.caller.get('/resources/')).body).toEqual([]);
  }, 60_000);
  // Settings and filters that the API rejects, and a log that does not exist: the browser reports their status.
  const unexpected = admin.messages.filter(
    (message) => !/status of (?:409|422|404 .*previous=true)/.test(message),
  );
  expect(unexpected).toEqual([]);
});
