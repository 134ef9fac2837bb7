// Reads the selectors in arguments of commands.
import { parseSelector, type Selector } from '../../client/selector.ts';
import { usageError } from '../terminal/errors/cli-error.ts';

/** @throws CliError naming the spellings that are possible */
export function selectorIn(text: string): Selector {
  const selector = parseSelector(text);
  if (selector !== undefined) return selector;
  throw usageError(
    `"${text}" selects no resource: write PROVIDER, PROVIDER/TYPE or PROVIDER/TYPE/NAME.`,
  );
}

/** @returns the selector of one resource. @throws CliError for one of several */
export function oneResource(text: string): Selector & { readonly id: string } {
  const selector = selectorIn(text);
  if (selector.id !== undefined) return { ...selector, id: selector.id };
  throw usageError(`"${text}" must name one resource: PROVIDER/TYPE/NAME.`);
}
