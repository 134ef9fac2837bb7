// The tabs, and the commands that show the same.
import { may } from '../../session/rights.ts';

export const tabs = ['why', 'config', 'outputs', 'history', 'uses', 'events'] as const;
export type Tab = (typeof tabs)[number];

const reading: Readonly<Record<Tab, (ref: string) => readonly string[]>> = {
  why: (ref) => [`fairlead why ${ref}`],
  config: (ref) => [`fairlead get ${ref} -o yaml`],
  outputs: (ref) => [`fairlead outputs ${ref}`],
  history: (ref) => [`fairlead history ${ref}`],
  uses: (ref) => [`fairlead why ${ref} --users`],
  events: (ref) => [`fairlead logs ${ref} --tail 200`],
};

/** @param ref quoted for a shell */
export function commandsFor(tab: Tab, ref: string): readonly string[] {
  const isEdited = tab === 'config' && may('applyResource');
  const isDeleted = tab === 'why' && may('deleteResource');
  return [
    ...reading[tab](ref),
    ...(isEdited ? [`fairlead edit ${ref}`] : []),
    ...(isDeleted ? [`fairlead delete ${ref}`] : []),
  ];
}
