// Explains the dependencies of a Resource that are not ready. Pure. The worst one decides the reason;
// the message names all, up to a bound.
import type { Reason } from '../../crds/conditions.ts';
import {
  reasonWhile,
  type Unready,
  unreadyStates,
} from '../../store/resources/dependencies/unready-dependency.ts';
import { firstOfNames } from './claimed-event.ts';

interface DependencyWait {
  readonly reason: Reason;
  readonly message: string;
  /** Projects never change, neither that of the resource nor those of its dependencies. */
  readonly stalled: boolean;
}

/** @returns undefined when all dependencies are ready */
export function explainDependencies(
  unready: readonly Unready[],
  project: string,
): DependencyWait | undefined {
  const worst = unreadyStates.find((each) => unready.some(({ is }) => is === each));
  if (worst === undefined) return undefined;
  const sentences = unreadyStates.flatMap((is) => unreadySentence(unready, is, project));
  return {
    reason: reasonWhile[worst],
    message: sentences.join('. '),
    stalled: worst === 'otherProject',
  };
}

function unreadySentence(
  unready: readonly Unready[],
  is: Unready['is'],
  project: string,
): readonly string[] {
  const names = unready.filter((each) => each.is === is).map(({ name }) => name);
  if (names.length === 0) return [];
  const one = names.length === 1;
  const noun = one ? 'Dependency' : 'Dependencies';
  const subject = `${noun} ${firstOfNames(names)}`;
  const sentences = {
    // Omits the other project: tokens confined to one project can read the message.
    otherProject: `${subject} ${one ? 'belongs' : 'belong'} to another project; dependencies must be in the same project (${project})`,
    missing: `${subject} ${one ? 'does' : 'do'} not exist in project ${project}`,
    failed: `${subject} failed`,
    draft: `${subject} ${one ? 'is a draft' : 'are drafts'}`,
    coming: `Waiting for ${noun.toLowerCase()} ${firstOfNames(names)} to become ready`,
  };
  return [sentences[is]];
}
