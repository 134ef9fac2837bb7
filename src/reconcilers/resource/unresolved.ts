// Pure. Explains unresolved references: which output is missing and which exist, or why a value cannot be inserted. Lists
// and names are bounded: both come from providers.

import { slashed } from '../../domain/identity.ts';
import { maxReferencedBytes, type Unresolved } from '../../domain/references.ts';
import { truncate } from '../../lib/text.ts';
import { listed } from './claimed-event.ts';

const maxSentences = 5;
const maxNameLength = 64;

export function explainUnresolved(unresolved: readonly Unresolved[]): string {
  const sentences = [...new Set(unresolved.map(unresolvedSentence))];
  const more = sentences.length - maxSentences;
  const shown = sentences.slice(0, maxSentences).join('. ');
  return more > 0 ? `${shown}. ${more} more references cannot be resolved` : shown;
}

function unresolvedSentence({ to, path, why, offered }: Unresolved): string {
  const output = `"${truncate(path.join('.'), maxNameLength)}"`;
  switch (why) {
    case 'missing': {
      const names =
        offered.length === 0
          ? 'none'
          : listed(offered.map((name) => truncate(name, maxNameLength)).sort());
      return `${slashed(to)} has no output ${output}; it has ${names}`;
    }
    case 'notText':
      return `The output ${output} of ${slashed(to)} is not a string, number or boolean and cannot be inserted into a string; make the reference the whole value, or refer to a part of it`;
    case 'tooLarge':
      return `The outputs that the config refers to exceed ${maxReferencedBytes} bytes in total; refer to fewer or smaller ones`;
  }
}
