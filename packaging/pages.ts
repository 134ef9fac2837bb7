// Pure. The generated pages of docs/.
import { configurationPage } from './configuration-page.ts';
import { errorsPage } from './errors-page.ts';

/** @returns file names under docs/ with their content */
export function generatedPages(_release: string): ReadonlyMap<string, string> {
  return new Map([
    ['configuration.md', configurationPage()],
    ['errors.md', errorsPage()],
  ]);
}
