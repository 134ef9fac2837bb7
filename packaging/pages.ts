// Pure. The generated pages of docs/.
import { kinds } from '../src/crds/index.ts';
import { cliPage } from './cli-page.ts';
import { configurationPage } from './configuration-page.ts';
import { customResourcePage } from './custom-resource-page.ts';
import { errorsPage } from './errors-page.ts';

/** The folder under docs/ with one page for each kind, and nothing else. */
export const kindPageFolder = 'custom-resources';

/** @returns file names under docs/ with their content */
export function generatedPages(release: string): ReadonlyMap<string, string> {
  return new Map([
    ['cli.md', cliPage()],
    ['configuration.md', configurationPage()],
    ['errors.md', errorsPage()],
    ...kinds.map(
      (kind) => [`${kindPageFolder}/${kind.plural}.md`, customResourcePage(kind, release)] as const,
    ),
  ]);
}

/** @returns the pages among `names`, the files of the folder of kinds, that are no longer generated */
export function stalePages(
  names: readonly string[],
  pages: ReadonlyMap<string, string>,
): readonly string[] {
  return names.filter((name) => name.endsWith('.md') && !pages.has(`${kindPageFolder}/${name}`));
}
