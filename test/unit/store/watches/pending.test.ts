import { describe, expect, it } from 'vitest';
import type { Resource } from '../../../../src/crds/resource.ts';
import { createPending, noteworthy } from '../../../../src/store/watches/pending.ts';
import { aResource } from '../../../support/fixtures/builders.ts';

const entry = (version: string, isKnown = true) => ({
  resourceId: 'resource:box_crate_a',
  version,
  exact: true,
  isKnown,
});

describe('pending changes', () => {
  it('keep the last one of each resource, in the order of their versions', () => {
    const pending = createPending(10_000);
    pending.add('ours/a', entry('1', false));
    pending.add('ours/b', entry('2'));
    pending.add('ours/a', entry('3'));
    const taken = pending.take(10);
    expect(taken.map(([key, { version }]) => [key, version])).toEqual([
      ['ours/b', '2'],
      ['ours/a', '3'],
    ]);
    // The reader has received nothing in between.
    expect(taken[1]?.[1].isKnown).toBe(false);
    expect(pending.size).toBe(0);
  });

  it('are given up above their limit, and collected anew afterwards', () => {
    const pending = createPending(400);
    for (const key of ['a', 'b', 'c', 'd']) pending.add(key, entry('1'));
    expect([pending.overflown, pending.size]).toEqual([true, 0]);
    pending.add('a', entry('2'));
    expect(pending.size).toBe(0);
    pending.clear();
    pending.add('a', entry('2'));
    expect([pending.overflown, pending.size]).toEqual([false, 1]);
  });

  it('never give up for one resource that changes often', () => {
    const pending = createPending(400);
    for (let count = 1; count < 1_000; count += 1) pending.add('a', entry(`${count}`));
    expect([pending.overflown, pending.size]).toEqual([false, 1]);
  });

  it('lose what a snapshot contains, and may be known from it otherwise', () => {
    const pending = createPending(10_000);
    pending.add('old', entry('5', false));
    pending.add('new', entry('12', false));
    pending.add('listed', { ...entry('20'), exact: false });
    const listed = { metadata: { resourceVersion: '9' } } as unknown as Resource;
    pending.forgetUntil('10', (key) => (key === 'listed' ? listed : undefined));
    expect(pending.take(10)).toEqual([['new', entry('12', true)]]);
  });
});

describe('a change is noteworthy', () => {
  const draft = aResource({ spec: { lifecycle: 'Draft' } });
  const red = { ...draft, spec: { ...draft.spec, tags: ['red'] } };
  const leaving = {
    ...red,
    metadata: { ...red.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
  };
  const filter = { tags: ['red'] };

  it.each<[string, Resource | undefined, Resource | undefined, object | undefined]>([
    ['when it begins to match', draft, red, { isKnown: false }],
    ['when it is created', undefined, red, { isKnown: false }],
    ['not when it matches neither before nor after', draft, draft, undefined],
    ['when it matches no more', red, draft, { isKnown: true }],
    ['when its deletion begins', red, leaving, { isKnown: true }],
    ['not while its deletion goes on', leaving, { ...leaving }, undefined],
    ['when it is gone', leaving, undefined, { isKnown: true }],
    ['not when one is gone that never matched', draft, undefined, undefined],
  ])('%s', (_name, before, after, expected) => {
    expect(noteworthy({ before, after }, { filter })).toEqual(expected);
  });
});
