import { describe, expect, it } from 'vitest';
import type { ResourceRecord } from '../../../../../../src/api/shapes.ts';
import {
  isCorrectable,
  isDeclarable,
  isObservable,
} from '../../../../../../src/console/pages/resource/drift/observable.ts';
import { observeWords } from '../../../../../../src/console/pages/resource/options/option-words.ts';

const record = (changes: Partial<ResourceRecord>) =>
  ({
    ...{ lifecycle_state: 'ready', management: 'managed', deletion_requested_at: null },
    ...{ drift: null, ...changes },
  }) as ResourceRecord;
const of = (kind: 'changed' | 'gone') => ({ drift: { kind } as ResourceRecord['drift'] });
const deleting = { deletion_requested_at: '2026-01-31T12:00:00.000Z' };
const seen = { management: 'observed' } as const;

describe('a resource', () => {
  it.each<[string, Partial<ResourceRecord>, string]>([
    ['that is in sync', {}, 'observe'],
    ['that differs', of('changed'), 'observe correct declare'],
    ['whose object is gone', of('gone'), 'observe correct'],
    ['that is only observed, and differs', { ...seen, ...of('changed') }, 'observe declare'],
    ['that is only observed, and not found', { ...seen, lifecycle_state: 'pending' }, 'observe'],
    ['that is only observed, as a draft', { ...seen, lifecycle_state: 'draft' }, ''],
    ['that is not ready', { lifecycle_state: 'pending' }, ''],
    ['whose correction is under way', { lifecycle_state: 'processing', ...of('changed') }, ''],
    ['in deletion', { ...deleting, ...of('changed') }, ''],
  ])('%s offers: %s', (_, changes, offers) => {
    const shown = record(changes);
    const found = {
      observe: isObservable(shown, undefined),
      correct: isCorrectable(shown),
      declare: isDeclarable(shown),
    };
    const names = Object.entries(found).flatMap(([name, is]) => (is ? [name] : []));
    expect(names.join(' ')).toBe(offers);
  });

  it('is observed when its type is, and when the type is not known', () => {
    expect(isObservable(record({}), { observable: true })).toBe(true);
    expect(isObservable(record({}), { observable: false })).toBe(false);
    expect(isObservable(record({}), undefined)).toBe(true);
  });

  it.each<[string, Partial<ResourceRecord['observe']>]>([
    ['', {}],
    ['every 10m', { every: '10m' }],
    ['only on request', { every: 'never' }],
    [
      'every 1d, without /tags, /a/b, differences are corrected',
      { every: '1d', ignore: ['/tags', '/a/b'], on_drift: 'correct' },
    ],
  ])('says %j about its observation', (words, changes) => {
    const observe = { every: null, ignore: [], on_drift: 'report' as const, ...changes };
    expect(observeWords({ observe })).toBe(words);
  });
});
