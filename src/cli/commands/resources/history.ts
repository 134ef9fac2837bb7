// `fairlead history`: who applied what to a resource, and what changed; or one of its revisions, as a file.

import type { HistoryEntry } from '../../../api/shapes.ts';
import { projectText } from '../../../client/project.ts';
import { optionNames } from '../../../client/resource-options.ts';
import { counted } from '../../../client/time.ts';
import { safeLine } from '../../../client/width.ts';
import { shell } from '../../../client/words/shell-word.ts';
import { slashed } from '../../../domain/identity.ts';
import { dottedPointer } from '../../../lib/json.ts';
import { oneResource } from '../../resources/find.ts';
import { type FoundRevision, findRevision, historyOf } from '../../resources/revisions.ts';
import type { Invocation } from '../../session/invocation.ts';
import type { View } from '../../terminal/output.ts';
import { timeColumn } from '../../terminal/table.ts';
import { yamlOf } from '../../terminal/yaml.ts';

const historyView: View<HistoryEntry> = {
  columns: [
    { title: 'REVISION', cell: ({ revision, current }) => `${revision}${current ? ' *' : ''}` },
    timeColumn('AGE', ({ applied_at }) => applied_at),
    { title: 'APPLIED BY', cell: (entry) => entry.applied_by_name ?? entry.applied_by ?? '' },
    { title: 'HASH', wide: true, cell: ({ hash }) => hash ?? '' },
    { title: 'CHANGES', cell: changesText },
  ],
  nameOf: ({ revision }) => `${revision}`,
};

export async function history(invocation: Invocation): Promise<void> {
  const { args, flags, output, talk } = invocation;
  const [name = ''] = args;
  const wanted = flags.count('revision');
  const { id, text } = oneResource(name);
  const api = await invocation.api();
  if (wanted !== undefined)
    return await showRevision(invocation, await findRevision(api, name, wanted));
  const entries = await historyOf(api, id);
  await output.list(entries, historyView);
  if (output.isForPeople) {
    const last = entries.findIndex(changesContent);
    const earlier = last < 0 ? undefined : entries.slice(last + 1).find(({ kept }) => kept);
    const next = earlier
      ? shell`  To return: fairlead apply ${text} --revision ${earlier.revision}`
      : '';
    talk.note(`${counted(entries.length, 'revision')}, * is the present one.${next}`);
  }
}

/** Options stay as they are when a revision is applied, so there is no return to one that differs in them alone. */
function changesContent({ changes }: HistoryEntry): boolean {
  if (changes === null) return true;
  const options: readonly string[] = optionNames.map((name) => `/${name}`);
  return changes.some(({ path }) => !options.includes(path));
}

async function showRevision({ output }: Invocation, found: FoundRevision): Promise<void> {
  const declaration = revisionDeclaration(found);
  if (output.isForPeople) {
    output.text(await yamlOf(declaration));
    return;
  }
  const nameOf = () => `${found.revision.revision}`;
  await output.record(found.revision, { columns: [], nameOf, declarationOf: () => declaration });
}

function revisionDeclaration({ record, revision }: FoundRevision): object {
  const { config, dependencies, lifecycle_state, masked, type_version } = revision;
  const isOther = type_version != null && type_version !== record.type_version;
  return {
    resource: slashed(record),
    config,
    ...(isOther ? { type_version } : {}),
    ...(dependencies.length === 0 ? {} : { dependencies: dependencies.map(slashed) }),
    project: projectText(record),
    ...(lifecycle_state === 'draft' ? { state: 'draft' } : {}),
    // So that it is not applied without its secrets.
    ...(masked.length === 0 ? {} : { masked: [...masked] }),
  };
}

function changesText({ revision, kept, changes }: HistoryEntry): string {
  if (changes !== null) return changes.map(changeText).join('; ');
  if (!kept) return 'not kept';
  return revision === 1 ? 'created' : 'unknown: the revision before is not kept';
}

const unknownValue = '…';

function changeText(each: NonNullable<HistoryEntry['changes']>[number]): string {
  const { change } = each;
  const path = dottedPointer(each.path);
  const hasValues = 'before' in each || 'after' in each;
  if (change === 'unknown') return `? ${path}`;
  const [sign, values] = {
    added: ['+', revisionValue(each.after)],
    removed: ['-', revisionValue(each.before)],
    changed: ['~', `${revisionValue(each.before)} → ${revisionValue(each.after)}`],
  }[change] as [string, string];
  return safeLine(`${sign} ${path}${hasValues ? `: ${values}` : ''}`);
}

function revisionValue(value: unknown): string {
  return value === undefined ? unknownValue : JSON.stringify(value);
}
