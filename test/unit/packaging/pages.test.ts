import { expect, it } from 'vitest';
import { generatedPages, stalePages } from '../../../packaging/pages.ts';

const pages = generatedPages('1.2.3');

it('finds the pages of dropped kinds', () => {
  expect(stalePages(['builds.md', 'droppedkinds.md', 'notes.txt'], pages)).toEqual([
    'droppedkinds.md',
  ]);
});

it('generates one page for each kind', () => {
  const kindPages = [...pages.keys()].filter((name) => name.startsWith('custom-resources/'));
  expect(kindPages).toContain('custom-resources/organizations.md');
  expect(
    stalePages(
      kindPages.map((name) => name.replace(/^.*\//, '')),
      pages,
    ),
  ).toEqual([]);
});
