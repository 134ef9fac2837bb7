// The commands that select what the page shows. Pure.
import { isInDeletion } from '../../../client/shown-state.ts';
import { shellWord } from '../../../client/words/shell-word.ts';
import type { Filter, ListedResource, ShownSelection } from './model.ts';

/** @returns one command, and a second one for what is being deleted, which a list leaves out; none when nothing is shown */
export function selectionCommands(
  { state, tag, project, isDrifted }: Filter,
  { shown, selectors = [] }: ShownSelection<ListedResource>,
): readonly string[] {
  const [only] = selectors;
  if (shown.length === 0) return [];
  // A name is found in any state and project.
  if (only?.id !== undefined) return [`fairlead get ${shellWord(only.text)}`];
  const list = (...more: readonly string[]) =>
    [
      'fairlead get',
      ...selectors.map(({ text }) => shellWord(text)),
      ...(state === undefined || state === 'deleting' ? [] : [`--state ${shellWord(state)}`]),
      ...(isDrifted ? ['--drift'] : []),
      ...more,
      ...(tag === undefined ? [] : [`--tag ${shellWord(tag)}`]),
      project === undefined ? '--all-projects' : `--project ${shellWord(project)}`,
    ].join(' ');
  const isAnyKept = state !== 'deleting' && shown.some((each) => !isInDeletion(each));
  const isAnyDeleted = shown.some(isInDeletion);
  return [...(isAnyKept ? [list()] : []), ...(isAnyDeleted ? [list('--deleting')] : [])];
}
