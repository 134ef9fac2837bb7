// Sets in a real browser: the list, one set with its members live, what its last apply did not name, and its deletion by a plan.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ResourceRecord, SetWithMembers } from '../../src/api/shapes.ts';
import { type SetSummary, summaryObject } from '../../src/store/sets/summary.ts';
import { expectAccessible } from '../support/browser/axe.ts';
import {
  type ConsoleTab,
  chromiumProgram,
  expectNoSidewaysScrolling,
  openConsole,
  picture,
  startChromium,
} from '../support/browser/console.ts';
import { type Crates, crate, startCrates } from '../support/fixtures/crates.ts';
import { done } from '../support/fixtures/receipts.ts';
import { answerByName } from '../support/fixtures/vaults.ts';
import { eventually } from '../support/runner/eventually.ts';
import { type Reply, request } from '../support/servers/fairlead.ts';
import { sharedFairlead } from '../support/servers/lent/shared-fairlead.ts';

const organization = 'console-sets';
let crates: Crates;
let browser: Browser;
let editor: ConsoleTab;
let page: Page;

beforeAll(async () => {
  if (chromiumProgram === undefined) return;
  crates = await startCrates(await sharedFairlead('impatient'), organization);
  crates.provider.respond(answerByName);
  browser = await startChromium();
  const { url } = crates.fairlead;
  editor = await openConsole(browser, url, { visitor: { organization, role: 'editor' } });
  page = editor.page;
}, 120_000);

afterAll(async () => {
  await editor?.close();
  await browser?.close();
  await crates?.close();
});

const send = (method: 'PUT' | 'PATCH', path: string, body: object): Promise<Reply> =>
  request(`${crates.fairlead.url}${path}`, { method, token: crates.acme.token, body });

async function put(set: string, resources: readonly object[], more: object = {}): Promise<void> {
  const { status, body } = await send('PUT', `/sets/${set}`, { resources, ...more });
  expect([status, body]).toEqual([200, expect.anything()]);
}

const using = (name: string, ...used: readonly string[]) => {
  const dependencies = used.map((each) => ({ provider: 'box', resource: 'crate', name: each }));
  return crate(name, { size: 1 }, { dependencies });
};

const shop = [crate('shelf'), using('orders', 'shelf'), using('web', 'orders'), crate('broken')];

async function setOf(name: string): Promise<SetWithMembers> {
  return (await crates.acme.get(`/sets/${name}`)).body as SetWithMembers;
}

async function projectId(): Promise<string> {
  const { body } = await crates.acme.get('/resources/box%2Fcrate%2Fshelf');
  return (body as ResourceRecord).project_id;
}

/** Stores the summary of a set as a request has left it. */
async function leave(name: string, changes: Partial<SetSummary>): Promise<void> {
  const summary = {
    ...({
      name,
      projectId: await projectId(),
      prune: 'keep',
      isComplete: false,
      by: 'ada',
    } as const),
    ...{ at: new Date().toISOString(), byName: 'ada@example.com', digest: 'digest', listed: [] },
    ...{ holder: undefined, renewals: 0, ...changes },
  };
  await crates.fairlead.apply(summaryObject(crates.namespace, summary, undefined));
}

async function isWell(name: string): Promise<void> {
  await expectAccessible(page);
  for (const width of [390, 1_280]) {
    await page.setViewportSize({ width, height: 900 });
    await expectNoSidewaysScrolling(page);
    await picture(page, `${name}-${width}`);
  }
}

async function open(set: string, show = 'members'): Promise<void> {
  await editor.goTo(`#/sets/${set}?show=${show}`);
  await page.getByRole('heading', { level: 1, name: set }).waitFor();
}

const seen = (words: string | RegExp) => page.getByText(words).first().waitFor();
const row = (name: string | RegExp) => page.getByRole('row').filter({ hasText: name });
const dialog = () => page.getByRole('dialog');
const press = (name: string) => page.getByRole('button', { name, exact: true }).click();

it.runIf(chromiumProgram)('lists the sets, those that need somebody first', async () => {
  await editor.goTo('#/sets');
  await seen('No set yet.');
  await isWell('sets-none');
  await put('wiki', [crate('pages')]);
  await row('wiki').waitFor();
  await put('shop', [...shop, crate('old')]);
  await put('shop', shop);
  await leave('apps', { listed: ['box/crate/none'] });
  await row('apps').getByText('incomplete').waitFor();
  await row(/shop/).getByText('1 failed').waitFor();
  await row(/shop/).getByText('4 ready').waitFor();
  const cells = await row('shop').getByRole('cell').allTextContents();
  const { applied_by_name: name } = await setOf('shop');
  expect(cells[1]).toBe('1');
  expect(cells[2]).toMatch(/^\d+s ago /);
  expect(cells[2]).toContain(name);
  const names = await page.getByRole('rowheader').allTextContents();
  expect(names.map((each) => each.trim().split(' ')[0])).toEqual(['apps', 'shop', 'wiki']);
  await isWell('sets-list');
  await page.keyboard.press('/');
  await page.keyboard.type('sho');
  await row('apps').waitFor({ state: 'detached' });
  expect(page.url()).toMatch(/\?filter=sho$/);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await row('apps').waitFor();
  await editor.goTo('#/types');
  await page.getByRole('heading', { level: 1, name: 'Types' }).waitFor();
  for (const key of ['g', 's']) await page.keyboard.press(key);
  await row('apps').waitFor();
  for (const key of ['j', 'j', 'Enter']) await page.keyboard.press(key);
  await page.getByRole('heading', { level: 1, name: 'shop' }).waitFor();
});

it.runIf(chromiumProgram)('shows one set, with its members live', async () => {
  await open('shop');
  const { plan } = await setOf('shop');
  await seen(plan?.slice(0, 32) ?? 'a plan');
  await seen('1 member is unlisted: the last apply did not name it.');
  const causes = page.getByRole('region', { name: 'Causes' });
  await causes.getByText('connect ECONNREFUSED').first().waitFor();
  expect(await page.getByRole('rowheader').allTextContents()).toEqual(
    ['broken', 'old', 'orders', 'shelf', 'web'].map((name) => `box/crate/${name} `),
  );
  await isWell('set-members');
  await press('Copy Plan');
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(plan);
  await page.getByRole('link', { name: /failed 1/ }).click();
  await seen('1 of 5 resources');
  await row('box/crate/web').waitFor({ state: 'detached' });
  crates.provider.respond(done());
  await put('shop', shop);
  // The last failed one is not failed any more, and the page learns that by itself.
  await seen('No member matches the filter.');
  await editor.goTo('#/sets/shop');
  await row('box/crate/broken').getByText('ready').waitFor();
  await page.getByRole('link', { name: 'Graph' }).click();
  await page.getByRole('group', { name: /^Graph/ }).waitFor();
  expect(await page.locator('.graph a').count()).toBe(5);
  await isWell('set-graph');
  await page.locator('.graph a').filter({ hasText: 'web' }).click();
  await page.getByRole('heading', { level: 1, name: 'box/crate/web' }).waitFor();
  await isWell('set-of-resource');
  await page.getByRole('link', { name: 'shop', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'shop' }).waitFor();
});

it.runIf(chromiumProgram)('lets an unlisted member leave', async () => {
  await open('shop', 'unlisted');
  await page.getByRole('link', { name: 'Unlisted (1)' }).waitFor();
  await seen('fairlead apply -f FOLDER --set shop --project default --prune leave');
  await isWell('set-unlisted');
  await press('Leave the set');
  await seen('box/crate/old has left the set.');
  await seen('The last apply named every member.');
  expect((await setOf('shop')).unlisted).toEqual([]);
  expect(await crates.fetched('old')).toMatchObject({ set: null, lifecycle_state: 'ready' });
});

it.runIf(chromiumProgram)(
  'shows what is incomplete or busy, and writes nothing of it',
  async () => {
    await open('apps');
    await seen('The last apply or deletion has not written everything');
    await seen('The set has no members.');
    await leave('apps', { listed: ['box/crate/none'], holder: 'another' });
    await press('Delete the set …');
    await dialog()
      .getByRole('radio', { name: /^Keep them/ })
      .check();
    await dialog().getByText('The set has no members.').waitFor();
    await dialog().getByRole('button', { name: 'Delete the set alone' }).click();
    await dialog().getByText('Another request writes set apps').waitFor();
    await isWell('set-busy');
    await press('Cancel');
  },
);

it.runIf(chromiumProgram)('deletes a set as its plan says, and nothing else', async () => {
  await send('PATCH', '/resources/box:crate:web', { protected: true });
  await open('shop');
  await press('Delete the set …');
  await dialog().getByText('What becomes of its members?').waitFor();
  expect(await dialog().getByRole('button').allTextContents()).toEqual(['×', 'Cancel']);
  await isWell('set-delete-choice');
  await dialog()
    .getByRole('radio', { name: /^Delete them/ })
    .check();
  await dialog().getByText('box/crate/web is protected').waitFor();
  await isWell('set-delete-refused');
  await send('PATCH', '/resources/box:crate:web', { protected: false });
  await dialog().getByRole('button', { name: 'Check again' }).click();
  await dialog().getByText('4 resources are deleted').waitFor();
  const remove = dialog().getByRole('button', { name: 'Delete the set and 4 resources' });
  expect(await remove.isDisabled()).toBe(true);
  await dialog().getByLabel('Type shop to go on').fill('shop');
  await isWell('set-delete');
  // A member that joins after the look is not deleted with them.
  await put('shop', [...shop, crate('held')]);
  await crates.reaches('held', 'ready');
  await remove.click();
  await dialog().getByText('Make the plan again, and approve the new one.').waitFor();
  expect((await setOf('shop')).resources).toBe(5);
  await dialog().getByRole('button', { name: 'Check again' }).click();
  crates.provider.respond((receipt, response) =>
    (receipt.body.name === 'held' ? answerByName : done())(receipt, response),
  );
  await dialog().getByRole('button', { name: 'Delete the set and 5 resources' }).click();
  await seen('The set shop is deleted, and 1 of its resources is still in deletion.');
  await row('box/crate/held').getByText('Its deletion failed: Legal hold').waitFor();
  await isWell('set-deleted');
  await eventually(async () => expect(await crates.stored()).not.toContain('shelf'));
  expect(await crates.stored()).toEqual(expect.arrayContaining(['held', 'old', 'pages']));
  await crates.acme.delete('/resources/box:crate:held?force=true');
  await seen('There is no set shop.');
  const unexpected = editor.messages.filter((each) => !/status of (?:404|409|412)/.test(each));
  expect(unexpected).toEqual([]);
});

it.runIf(chromiumProgram)('offers no action to who only reads', async () => {
  await put('wiki', [crate('home')]);
  const { url } = crates.fairlead;
  const hash = '#/sets/wiki?show=unlisted';
  const viewer = await openConsole(browser, url, {
    ...{ visitor: { organization, role: 'viewer' }, hash },
  });
  await viewer.page.getByRole('link', { name: 'box/crate/pages' }).waitFor();
  const buttons = viewer.page.getByRole('main').getByRole('button', { name: /^(?!Copy )/ });
  expect(await buttons.count()).toBe(0);
  await viewer.goTo('#/sets');
  await viewer.page.getByText('fairlead sets').waitFor();
  expect(await viewer.page.getByText('fairlead apply').count()).toBe(0);
  expect(viewer.messages).toEqual([]);
  await viewer.close();
});
