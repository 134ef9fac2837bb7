// Shows which resources an apply replaces, and asks: their provider deletes what it created.
import { counted } from '../../../client/time.ts';
import type { Invocation } from '../../session/invocation.ts';
import type { CheckedDeclaration } from './check.ts';
import { compareAll } from './compare.ts';
import { comparedLines } from './compared-lines.ts';
import type { Refusal } from './refusal.ts';

/** Prints the replacements among some changes. */
export async function showReplacements(
  invocation: Invocation,
  checked: readonly CheckedDeclaration[],
): Promise<void> {
  const replaced = replacedIn(checked);
  const { output, talk } = invocation;
  if (replaced.length === 0 || !output.isForPeople) return;
  const compared = await compareAll(await invocation.api(), replaced);
  for (const each of compared) talk.lines(comparedLines(each, talk.style));
}

/** @returns why some replacements are refused: others use the resource, or it is protected */
export function obstaclesIn(checked: readonly CheckedDeclaration[]): readonly Refusal[] {
  return checked.flatMap(({ declaration, replacement }) =>
    replacement?.obstacle === undefined ? [] : [{ declaration, error: replacement.obstacle }],
  );
}

/** @returns whether to go on. `--replace` is the answer */
export async function mayReplace(
  { flags, questions }: Invocation,
  checked: readonly CheckedDeclaration[],
): Promise<boolean> {
  const { length } = replacedIn(checked);
  if (length === 0 || flags.on('replace')) return true;
  const its = length === 1 ? 'its provider' : 'their providers';
  return await questions.confirm(
    `Replace ${counted(length, 'resource')}? What ${its} created is deleted, and created again.`,
  );
}

function replacedIn(checked: readonly CheckedDeclaration[]): readonly CheckedDeclaration[] {
  return checked.filter(({ change }) => change === 'replace');
}
