// Pure. The generated pages of docs/.
import { kinds } from '../src/crds/index.ts';
import { configurationPage } from './configuration-page.ts';
import { customResourcePage } from './custom-resource-page.ts';
import { errorsPage } from './errors-page.ts';

/** @returns file names under docs/ with their content */
export function generatedPages(release: string): ReadonlyMap<string, string> {
  return new Map([
    ['configuration.md', configurationPage()],
    ['errors.md', errorsPage()],
    ...kinds.map(
      (kind) => [`custom-resources/${kind.plural}.md`, customResourcePage(kind, release)] as const,
    ),
  ]);
}
