// Protected resources whose finalizer somebody took away: when a receipt is due, and that it is written until it is.
import { describe, expect, it } from 'vitest';
import type { Resource } from '../../../../../src/crds/resource.ts';
import { keyFor } from '../../../../../src/kube/api.ts';
import {
  createRemovals,
  recordRemoval,
} from '../../../../../src/reconcilers/resource/deletion/removals.ts';
import type { Receipt } from '../../../../../src/store/dead-letters/orphan-receipts.ts';
import { aResource, now, readyResource, waitsAt } from '../../../../support/fixtures/builders.ts';

const kept = readyResource({ spec: { protected: true } });
const key = keyFor(kept.metadata);

interface Case {
  readonly reason: string;
  readonly before: Resource | undefined;
  readonly after?: Resource;
  readonly isDue: boolean;
}

const cases: Readonly<Record<string, Case>> = {
  'one that is protected': {
    reason: 'Nothing of ours removes it.',
    before: kept,
    isDue: true,
  },
  'one without protection': {
    reason: 'Whoever removes its finalizer knows what that does.',
    before: readyResource(),
    isDue: false,
  },
  'one that no provider knows': {
    reason: 'Nothing remains outside.',
    before: aResource({ spec: { protected: true } }),
    isDue: false,
  },
  'one that is only changed': { reason: 'It is there.', before: kept, after: kept, isDue: false },
  'one that nobody saw': { reason: 'Nothing is known of it.', before: undefined, isDue: false },
};

it.each(Object.entries(cases))('a removal is recorded of: %s', (_name, { reason, ...given }) => {
  const removals = createRemovals();
  removals.changed(given.before, given.after);
  expect(removals.find(key) !== undefined, reason).toBe(given.isDue);
});

it('a removal of ours is none, and one of the next object of that name is', () => {
  const removals = createRemovals();
  removals.released(kept);
  removals.changed(kept, undefined);
  expect(removals.find(key)).toBeUndefined();
  const next = { ...kept, metadata: { ...kept.metadata, uid: 'uid-2' } };
  removals.changed(next, undefined);
  expect(removals.find(key)).toBe(next);
});

describe('the receipt', () => {
  const nobody = { get: () => undefined };

  function recording(namespace: { metadata: object } | undefined, write: (r: Receipt) => void) {
    const removals = createRemovals();
    removals.changed(kept, undefined);
    const deps = {
      removals,
      receipts: { write: (receipt: Receipt) => Promise.resolve(receipt).then(write) },
      clock: { now: () => now },
      resources: nobody,
      definitions: nobody,
      providers: nobody,
      organizations: nobody,
      namespaces: { get: () => namespace },
      projects: { has: () => Promise.resolve(true), nameOf: (_at: unknown, id: string) => id },
      dependencies: {
        usersOf: () => [],
        dependenciesOf: () => [],
        cycleThrough: () => undefined,
        note: () => undefined,
      },
      endpoints: { find: () => undefined },
      schemas: { validate: () => Promise.resolve([]) },
      quota: { fullAt: () => undefined },
      answers: { find: () => undefined, drop: () => undefined },
      claimants: { othersLike: () => [] },
      waits: waitsAt(now),
    };
    return { removals, record: () => recordRemoval(key, deps as never) };
  }

  it.each([
    ['FinalizerRemoved', false, { metadata: {} }],
    ['NamespaceDeleted', true, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }],
    ['NamespaceDeleted', true, undefined],
  ])('says %s, terminating: %s', async (reason, terminating, namespace) => {
    const written: Receipt[] = [];
    const { record } = recording(namespace, (receipt) => void written.push(receipt));
    await record();
    await record();
    expect(written, 'once').toMatchObject([{ uid: 'uid-1', reason, terminating, protected: true }]);
  });

  it('that cannot be written is due until it is', async () => {
    let failures = 2;
    const written: Receipt[] = [];
    const { record } = recording({ metadata: {} }, (receipt) => {
      failures -= 1;
      if (failures >= 0) throw new Error('no room');
      written.push(receipt);
    });
    await expect(record()).rejects.toThrow('no room');
    await expect(record()).rejects.toThrow('no room');
    await record();
    expect(written).toHaveLength(1);
  });
});
