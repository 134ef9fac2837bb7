import { expect, it } from 'vitest';
import { explainDependencies } from '../../../../src/reconcilers/resource/dependencies.ts';
import type { Unready } from '../../../../src/store/resources/dependencies/unready-dependency.ts';

const a = (is: Unready['is'], which = 'a/b/c'): Unready => ({ name: which, is });
const elsewhere = a('otherProject', 'x/y/z');

const explained: Record<string, [readonly Unready[], object | undefined]> = {
  'nothing when all are ready': [[], undefined],
  'one in progress': [
    [a('coming')],
    {
      reason: 'DependenciesNotReady',
      stalled: false,
      message: 'Waiting for dependency a/b/c to become ready',
    },
  ],
  'one that is missing': [
    [a('missing')],
    {
      reason: 'DependencyMissing',
      stalled: false,
      message: 'Dependency a/b/c does not exist in project shop',
    },
  ],
  'a draft': [
    [a('draft')],
    {
      reason: 'DependencyDraft',
      stalled: false,
      message: 'Dependency a/b/c is a draft',
    },
  ],
  'the one in another project before all others': [
    [a('coming'), a('failed', 'd/e/f'), elsewhere],
    {
      reason: 'DependencyInOtherProject',
      stalled: true,
      message:
        'Dependency x/y/z belongs to another project; dependencies must be in the same project (shop). Dependency d/e/f failed. Waiting for dependency a/b/c to become ready',
    },
  ],
  'the missing before those that failed or are drafts': [
    [a('draft'), a('failed', 'd/e/f'), a('missing', 'g/h/i'), a('missing', 'j/k/l')],
    {
      reason: 'DependencyMissing',
      message:
        'Dependencies g/h/i, j/k/l do not exist in project shop. Dependency d/e/f failed. Dependency a/b/c is a draft',
    },
  ],
  'at most twenty by name': [
    Array.from({ length: 60 }, (_, index) => a('coming', `a/b/c${index}`)),
    { message: expect.stringMatching(/a\/b\/c19 and 40 more to become ready$/) },
  ],
};

it.each(Object.entries(explained))('names %s', (_name, [unready, want]) => {
  const explanation = explainDependencies(unready, 'shop');
  if (want === undefined) expect(explanation).toBeUndefined();
  else expect(explanation).toMatchObject(want);
});
