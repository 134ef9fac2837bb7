// The commands that show or do the same. Pure.
import { shellWord } from '../../../client/words/shell-word.ts';
import { may } from '../../session/rights.ts';

export const setTabs = ['members', 'graph', 'unlisted'] as const;
export type SetTab = (typeof setTabs)[number];

export const firstSetCommand = 'fairlead apply -f FOLDER --set NAME';

export function listCommands(): readonly string[] {
  return ['fairlead sets', ...(may('applySet') ? [firstSetCommand] : [])];
}

interface NamedSet {
  readonly name: string;
  readonly project: string;
}

export function setCommands(tab: SetTab, { name, project }: NamedSet): readonly string[] {
  const which = `--set ${shellWord(name)} --project ${shellWord(project)}`;
  return [
    `fairlead get ${which}`,
    ...(tab === 'unlisted' ? [] : [`fairlead why ${which}`]),
    ...(may('applySet') ? applying(tab, which) : []),
    ...(may('deleteSet') && tab !== 'unlisted'
      ? [`fairlead delete ${which} --resources leave --dry-run`]
      : []),
  ];
}

function applying(tab: SetTab, which: string): readonly string[] {
  const apply = `fairlead apply -f FOLDER ${which}`;
  if (tab !== 'unlisted') return [`fairlead diff -f FOLDER ${which}`, apply];
  return [`${apply} --prune leave`, `${apply} --prune delete --dry-run`];
}
