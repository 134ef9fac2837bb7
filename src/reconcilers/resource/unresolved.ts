// Pure. Explains unresolved references: which output is missing and which exist, or why a value cannot be inserted. Lists
// and names are bounded: both come from providers.

import { slashed } from '../../domain/identity.ts';
import { outputName, quotedName } from '../../domain/references/grammar.ts';
import { maxReferencedBytes, type Unresolved } from '../../domain/references/references.ts';
import { truncate } from '../../lib/text.ts';
import { firstOfNames } from './claimed-event.ts';
import type { EarlierOutputs } from './type/known-type.ts';

const maxSentences = 5;
const maxNameLength = 64;

/** @param earlier by `provider/type/name` */
export function explainUnresolved(
  unresolved: readonly Unresolved[],
  earlier: ReadonlyMap<string, EarlierOutputs> = new Map(),
): string {
  const known = new Map<readonly string[], string>();
  // References to one object share the names that it offers, which may be thousands.
  const namesIn = (offered: readonly string[]) => {
    const names = known.get(offered) ?? shownNames(offered);
    known.set(offered, names);
    return names;
  };
  const sentence = (each: Unresolved) =>
    unresolvedSentence(each, namesIn(each.offered), earlier.get(slashed(each.to)));
  const sentences = [...new Set(unresolved.map(sentence))];
  const more = sentences.length - maxSentences;
  const shown = sentences.slice(0, maxSentences).join('. ');
  return more > 0 ? `${shown}. ${more} more references cannot be resolved` : shown;
}

function shownNames(offered: readonly string[]): string {
  if (offered.length === 0) return 'none';
  return firstOfNames(offered.map((name) => truncate(name, maxNameLength)).sort());
}

function unresolvedSentence(
  { to, path, why }: Unresolved,
  names: string,
  earlier: EarlierOutputs | undefined,
): string {
  const output = quotedName(truncate(outputName(path), maxNameLength));
  switch (why) {
    case 'missing': {
      const versions =
        earlier === undefined
          ? ''
          : `. Its outputs have version ${earlier.version} of the type, and version ${earlier.serving} serves: they change with the next success of the resource`;
      return `${slashed(to)} has no output ${output}; it has ${names}${versions}`;
    }
    case 'notText':
      return `The output ${output} of ${slashed(to)} is not a string, number or boolean and cannot be inserted into a string; make the reference the whole value, or refer to a part of it`;
    case 'tooLarge':
      return `The outputs that the config refers to exceed ${maxReferencedBytes} bytes in total; refer to fewer or smaller ones`;
  }
}
