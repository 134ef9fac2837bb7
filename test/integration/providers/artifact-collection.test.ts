// The garbage collection of artifacts, in a folder and on a real S3 server.
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { beforeEach, expect } from 'vitest';
import type { Digest } from '../../../src/domain/providers/artifact.ts';
import { collect } from '../../../src/providers/artifacts/collection/collect.ts';
import { bytesOf } from '../../support/fixtures/artifacts/artifact-bytes.ts';
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
    await given.store.claim('mine');
  });

  test('removes an artifact a grace period and a day after its last reference', async () => {
    const { store, keep, pass, passDays } = given;
    const [used, unused] = [await keep(), await keep()];
    const bytes = await bytesOf(store, unused);
    await store.link(unused, 'fl-a');
    await passDays(10, [used, unused]);
    expect(await pass([used])).toMatchObject({ waiting: { count: 1, bytes: 100 } });
    await passDays(6, [used]);
    const moved = await pass([used]);
    expect(moved).toMatchObject({ waiting: { count: 0 }, trash: { count: 1, bytes: 100 } });
    expect(await bytesOf(store, unused)).toEqual(bytes);
    expect(await store.isLinked(unused, 'fl-a')).toBe(true);
    const removed = await pass([used]);
    expect(removed).toMatchObject({ trash: { count: 0 }, removed: { count: 1, bytes: 100 } });
    expect(await store.open(unused)).toBeUndefined();
    expect(await store.has(unused)).toBe(false);
    expect(await store.isLinked(unused, 'fl-a')).toBe(false);
    expect(await store.has(used)).toBe(true);
    expect(await pass([used])).toMatchObject({ removed: { count: 0 }, trash: { count: 0 } });
  });

  test('keeps what is referenced again, also from the trash', async () => {
    const { store, keep, pass, passDays } = given;
    const digest = await keep();
    await passDays(7);
    await pass([digest]);
    await passDays(8);
    expect(await store.has(digest)).toBe(true);
    const restored = await pass([digest]);
    expect(restored).toMatchObject({ restored: { count: 1, bytes: 100 }, trash: { count: 0 } });
    await passDays(20, [digest]);
    expect(await bytesOf(store, digest)).toHaveLength(100);
    // The grace period begins anew.
    await passDays(7);
    expect(await pass([digest])).toMatchObject({ restored: { count: 0 } });
  });

  test('removes nothing in a dry run, and reports what it would remove', async () => {
    const { store, keep, pass } = given;
    const digest = await keep();
    for (let days = 0; days < 20; days += 1) await pass([], { dryRun: true });
    const due = await pass([], { dryRun: true });
    expect(due).toMatchObject({ due: { count: 1, bytes: 100 }, trash: { count: 0 } });
    expect(await pass([])).toMatchObject({ due: { count: 0 }, trash: { count: 1 } });
    expect(await store.has(digest)).toBe(true);
  });

  test('stores bytes again that are pushed while they are in the trash', async () => {
    const { store, keep, passDays } = given;
    const bytes = randomBytes(100);
    const digest = await keep(bytes);
    await passDays(8);
    expect(await keep(bytes)).toBe(digest);
    await passDays(7, [digest]);
    expect(await bytesOf(store, digest)).toEqual(bytes);
  });

  test('keeps the artifact of a push that begins just before the move', async () => {
    const { store, keep, pass, passDays } = given;
    const bytes = randomBytes(100);
    const digest = await keep(bytes);
    await passDays(7);
    const staged = await store.put(Readable.from([bytes]), { maxBytes: 100 });
    await staged.commit();
    // The references were read before the push.
    await pass([]);
    expect(await bytesOf(store, digest)).toEqual(bytes);
    await passDays(5, [digest]);
    expect(await bytesOf(store, digest)).toEqual(bytes);
  });

  test('does not count a clock that jumps, nor a long pause', async () => {
    const { store, time, keep, pass } = given;
    const digest = await keep();
    await pass([]);
    time.setWallClock(new Date('2030-01-01T00:00:00.000Z'));
    expect(await pass([])).toMatchObject({ waiting: { count: 1 } });
    time.setWallClock(new Date('2020-01-01T00:00:00.000Z'));
    expect(await pass([])).toMatchObject({ waiting: { count: 1 } });
    expect(await store.has(digest)).toBe(true);
  });

  test('does not touch what it does not know', async () => {
    const { folder, keep, passDays } = given;
    await keep();
    const files = ['sha256/ab/notes.txt', 'trash/README', 'unreferenced/README', 'sha256/README'];
    for (const file of files.map((each) => join(folder, each))) {
      await mkdir(join(file, '..'), { recursive: true });
      await writeFile(file, 'mine');
    }
    await passDays(12);
    for (const file of files) expect(await readFile(join(folder, file), 'utf8')).toBe('mine');
  });

  test('survives a crash before every step, and two processes at the same time', async () => {
    const { store, time, collectable, keep, requestOf, pass, passDays } = given;
    const used = await keep(Buffer.from('used'));
    const found = await keep(Buffer.from('found again'));
    const unused = await keep(Buffer.from('unused'));
    const everything = [used, found, unused];

    /** Two passes at the same time. @returns whether one crashed */
    async function crashesAfter(steps: number, referenced: readonly Digest[]): Promise<boolean> {
      let left = steps;
      const dying = collectable(() => {
        left -= 1;
        if (left < 0) throw new Error('crashed');
      });
      const options = { clock: time.clock, signal: neverAborted };
      const passes = [1, 2].map(() => collect(dying, requestOf(referenced), options));
      const ended = await Promise.allSettled(passes);
      return ended.some(({ status }) => status === 'rejected');
    }

    /** Repeats the passes, each time one step further, until they are complete. */
    async function crashing(referenced: readonly Digest[], kept: readonly Digest[]): Promise<void> {
      for (let steps = 0; await crashesAfter(steps, referenced); steps += 1) {
        for (const digest of kept) expect(await store.has(digest)).toBe(true);
      }
      for (const digest of kept) expect(await store.has(digest)).toBe(true);
      time.pass(24 * hourMs);
    }

    await crashing([used], everything);
    await passDays(6, [used]);
    await crashing([used], everything);
    await crashing([used, found], [used, found]);
    await pass([used, found]);
    expect(await store.has(unused)).toBe(false);
    for (const digest of [used, found]) expect(await store.has(digest)).toBe(true);
    expect(await pass([used, found])).toMatchObject({ trash: { count: 0 }, waiting: { count: 0 } });
  });
});
