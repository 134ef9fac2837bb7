import { beforeEach, expect } from 'vitest';
import {
  type CollectedStore,
  describeCollectedStores,
  hourMs,
  neverAborted,
} from '../../support/fixtures/artifacts/collected-stores.ts';

describeCollectedStores(({ test, open }) => {
  let given: CollectedStore;
  beforeEach(async () => {
    given = await open();
  });

  /** What an administrator does with the id in the log. */
  async function claimOf(installation: string): Promise<string> {
    const request = given.requestOf([], { installation });
    const refused = await given.store.collect(request, neverAborted);
    return refused.claim ?? '';
  }

  test('removes nothing from a place that was in use before the first claim', async () => {
    const { store, time, keep, requestOf, pass } = given;
    const digest = await keep();
    for (let hours = 0; hours < 200; hours += 1) {
      const report = await store.collect(requestOf([]), neverAborted);
      expect(report).toMatchObject({ outcome: 'unconfirmed', waiting: { count: 0 } });
      time.pass(hourMs);
    }
    expect(await store.has(digest)).toBe(true);
    const confirmed = await claimOf('mine');
    for (let days = 0; days < 9; days += 1) {
      expect(await pass([], { confirmed })).toMatchObject({ outcome: 'done' });
    }
    expect(await store.has(digest)).toBe(false);
  });

  test('removes nothing while another installation uses the same place', async () => {
    const { store, keep, pass, passDays } = given;
    await store.claim('mine');
    const digest = await keep();
    await passDays(7);
    // One that keeps its artifacts claims the place as well.
    await store.claim('other');
    for (const installation of ['mine', 'other']) {
      const report = await pass([], { installation });
      expect(report).toMatchObject({ outcome: 'foreign', trash: { count: 0 } });
    }
    await passDays(20);
    expect(await store.has(digest)).toBe(true);
    const confirmed = await claimOf('mine');
    expect(await claimOf('other')).not.toBe(confirmed);
    expect(await pass([], { confirmed })).toMatchObject({ outcome: 'done' });
    // It was not gone: it claims the place again, and what was confirmed does not count any more.
    await store.claim('other');
    await pass([], { confirmed });
    expect(await pass([], { confirmed })).toMatchObject({ outcome: 'foreign' });
    expect(await claimOf('mine')).not.toBe(confirmed);
    expect(await store.has(digest)).toBe(true);
  });

  test('begins anew with what another installation has marked', async () => {
    const { store, keep, pass, passDays } = given;
    await store.claim('mine');
    const digest = await keep();
    await passDays(8);
    const installation = 'other';
    const confirmed = await claimOf(installation);
    const taken = await pass([], { installation, confirmed });
    expect(taken).toMatchObject({ waiting: { count: 1 }, trash: { count: 0 } });
    expect(await store.has(digest)).toBe(true);
  });

  test('lets at most one of two that claim an empty place remove something', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { store, pass } = await open();
      const both = ['mine', 'other'];
      await Promise.all(both.map((each) => store.claim(each)));
      const reports = await Promise.all(both.map((installation) => pass([], { installation })));
      expect(reports.filter(({ outcome }) => outcome === 'done').length).toBeLessThan(2);
    }
  });
});
