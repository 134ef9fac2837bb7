// What lists and watches select resources by.
import { expect, it } from 'vitest';
import type { ResourceFilter } from '../../../../../src/store/records.ts';
import {
  fieldSelectorFor,
  isComparedHere,
  matches,
} from '../../../../../src/store/resources/lists/filter.ts';
import { changed, named } from '../../../../support/fixtures/explanation/explained-resources.ts';

const shop = named('shop', {
  state: 'ready',
  spec: { project: 'web', tags: ['a', 'b'], set: 'all' },
});
const leaving = named('shop', {
  state: 'deleting',
  metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' },
});

const cases: readonly {
  filter: ResourceFilter;
  selector: string;
  compared: boolean;
  is: boolean;
}[] = [
  { filter: {}, selector: '', compared: false, is: true },
  { filter: { tags: [] }, selector: '', compared: false, is: true },
  {
    filter: { provider: 'postgres', resource: 'database', projectId: 'web' },
    selector: 'spec.provider=postgres,spec.resource=database,spec.project=web',
    compared: false,
    is: true,
  },
  { filter: { provider: 'other' }, selector: 'spec.provider=other', compared: false, is: false },
  { filter: { provider: 'a,b' }, selector: '', compared: true, is: false },
  { filter: { projectId: 'a.b' }, selector: 'spec.project=a.b', compared: false, is: false },
  { filter: { projectId: '' }, selector: '', compared: true, is: false },
  { filter: { set: 'all' }, selector: 'spec.set=all', compared: false, is: true },
  { filter: { set: '' }, selector: '', compared: true, is: false },
  { filter: { set: 'al' }, selector: 'spec.set=al', compared: false, is: false },
  { filter: { state: 'ready' }, selector: '', compared: true, is: true },
  { filter: { state: 'failed' }, selector: '', compared: true, is: false },
  { filter: { tags: ['a', 'b'] }, selector: '', compared: true, is: true },
  { filter: { tags: ['a', 'c'] }, selector: '', compared: true, is: false },
  { filter: { drift: true }, selector: '', compared: true, is: false },
  { filter: { drift: false }, selector: '', compared: true, is: true },
  { filter: { deleting: 'include' }, selector: '', compared: false, is: true },
  { filter: { deleting: 'only' }, selector: '', compared: true, is: false },
];

it.each(cases)('$filter selects by "$selector"', ({ filter, selector, compared, is }) => {
  expect(fieldSelectorFor(filter)).toBe(selector);
  expect(isComparedHere(filter)).toBe(compared);
  expect(matches(shop, filter)).toBe(is);
});

it('compares the default project, which resources leave out or name', () => {
  const filter = { projectId: 'default-0123456789ab' };
  expect(fieldSelectorFor(filter)).toBe('');
  expect(isComparedHere(filter)).toBe(true);
  const inProject = (project: string | undefined) =>
    matches(named('shop', { spec: { project } }), filter);
  expect([undefined, filter.projectId, 'web'].map(inProject)).toEqual([true, true, false]);
});

it('selects what has drifted, whatever its state is', () => {
  const off = named('off', { state: 'processing', drift: changed });
  expect(matches(off, { drift: true })).toBe(true);
  expect(matches(off, { drift: false })).toBe(false);
});

it.each([
  [undefined, false],
  ['include', true],
  ['only', true],
] as const)('with deleting %s, a resource in deletion is shown: %s', (deleting, is) => {
  expect(matches(leaving, { deleting })).toBe(is);
});
