// The tabs, and the commands that show the same.
import type { ResourceDefinition, ResourceRecord } from '../../../api/shapes.ts';
import { flagCommands, flagNames } from '../../../client/resource-options.ts';
import { isInDeletion } from '../../../client/shown-state.ts';
import { shellWord } from '../../../client/words/shell-word.ts';
import { slashed } from '../../../domain/identity.ts';
import { may } from '../../session/rights.ts';
import { isCorrectable, isDeclarable, isObservable } from './drift/observable.ts';

export const tabs = ['why', 'config', 'outputs', 'history', 'uses', 'events'] as const;
type Tab = (typeof tabs)[number];

const reading: Readonly<Record<Tab, (ref: string) => readonly string[]>> = {
  why: (ref) => [`fairlead why ${ref}`],
  config: (ref) => [`fairlead get ${ref} -o yaml`],
  outputs: (ref) => [`fairlead outputs ${ref}`],
  history: (ref) => [`fairlead history ${ref}`],
  uses: (ref) => [`fairlead why ${ref} --users`],
  events: (ref) => [`fairlead logs ${ref} --tail 200`],
};

export function resourceCommands(
  tab: Tab,
  record: ResourceRecord,
  type?: ResourceDefinition,
): readonly string[] {
  const ref = shellWord(slashed(record));
  const isEditor = may('applyResource') && !isInDeletion(record);
  return [
    ...reading[tab](ref),
    ...(isEditor && tab === 'config' ? editCommands(ref) : []),
    ...(isEditor && tab === 'why'
      ? [...observing(ref, record, type), ...guarding(ref, record)]
      : []),
    ...(may('deleteResource') && tab === 'why' ? deleting(ref) : []),
  ];
}

function editCommands(ref: string): readonly string[] {
  return [`fairlead edit ${ref}`, 'fairlead apply -f FILE --replace'];
}

function observing(
  ref: string,
  record: ResourceRecord,
  type: ResourceDefinition | undefined,
): readonly string[] {
  if (!isObservable(record, type)) return [];
  return [
    `fairlead observe ${ref}`,
    ...(isCorrectable(record) ? [`fairlead correct ${ref}`] : []),
    ...(isDeclarable(record) ? [`fairlead apply ${ref} --from-actual`] : []),
  ];
}

function guarding(ref: string, record: ResourceRecord): readonly string[] {
  return [
    ...flagNames.map(
      (name) => `fairlead ${flagCommands[name][record[name] ? 'off' : 'on']} ${ref}`,
    ),
    `fairlead expire ${ref} --expires TIME`,
  ];
}

function deleting(ref: string): readonly string[] {
  return [`fairlead delete ${ref}`, `fairlead delete ${ref} --orphan`];
}
