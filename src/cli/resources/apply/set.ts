// Reads the flags of a set, which one request declares as a whole, and names the members that the request does not.
import type { BodyOf } from '../../../api/shapes.ts';
import { tupleOf } from '../../../client/selector.ts';
import { counted } from '../../../client/time.ts';
import { slashed } from '../../../domain/identity.ts';
import { prunePolicies } from '../../../domain/sets/prune.ts';
import { firstNames } from '../../../lib/text.ts';
import type { Invocation } from '../../session/invocation.ts';
import { usageError } from '../../terminal/errors/cli-error.ts';
import { oneResource } from '../find.ts';

/** The part of a request that is about the set as a whole. */
export interface DeclaredSet extends Pick<BodyOf<'applySet'>, 'prune' | 'take'> {
  readonly name: string;
}

/** @returns undefined without `--set`. @throws CliError for flags that do not go together */
export function declaredSet({ flags }: Invocation): DeclaredSet | undefined {
  const name = flags.text('set');
  const prune = prunePolicies.find((each) => each === flags.text('prune'));
  const take = flags.texts('take').map(takenRef);
  if (name === undefined) {
    if (prune === undefined && take.length === 0) return undefined;
    throw usageError('--prune and --take are about a set: name it with --set.');
  }
  if (flags.on('from-actual') || flags.text('revision') !== undefined) {
    throw usageError('--set takes files, which declare all of the set.');
  }
  return {
    name,
    ...(prune === undefined ? {} : { prune }),
    ...(take.length === 0 ? {} : { take }),
  };
}

function takenRef(text: string): string {
  const tuple = tupleOf(oneResource(text));
  return tuple === undefined ? text : slashed(tuple);
}

const maxNamed = 5;

/** Names the members that stay in the set until somebody decides about them. */
export function noteUnlisted(
  { talk }: Invocation,
  { unlisted }: { readonly unlisted: readonly string[] },
): void {
  if (unlisted.length === 0) return;
  const what =
    unlisted.length === 1
      ? 'A member is in no file, and stays'
      : `${counted(unlisted.length, 'member')} are in no file, and stay`;
  const names = firstNames(unlisted, maxNamed);
  talk.note(`${what}: ${names}.  --prune leave, orphan or delete decides.`);
}
