// Commands for the objects behind resources: what they are like, and those that no resource has yet.
import { type CommandRow, dryRun, fileFlags } from '../command.ts';
import { settling } from './resources.ts';

const resources = {
  name: 'RESOURCE',
  about: 'PROVIDER/TYPE/NAME',
  completes: 'resource',
  repeatable: true,
} as const;

export const objectCommands: readonly CommandRow[] = [
  {
    words: ['observe'],
    summary: 'Have the objects of resources observed now',
    description:
      'The provider reads each object, and changes nothing. The values that it reads are compared with the config: only those that the config declares, and no secrets. Values that it cannot read are unknown. Ends with 0 when an object was observed, whether it has drifted or not, and with 1 when it was not.',
    arguments: [resources],
    flags: [{ name: 'exit-code', about: 'End with 3 when an object differs or does not exist' }],
    examples: {
      'fairlead observe postgres/database/shop': 'what it is like now',
      'fairlead observe $(fairlead get postgres -o name) --exit-code':
        'all of a provider, for a script',
    },
    operations: ['observeResource', 'getResource'],
    load: async () => (await import('../resources/observe.ts')).observe,
  },
  {
    words: ['correct'],
    summary: 'Make objects that have drifted what their resources declare',
    description:
      'Shows the differences. The provider gets an ordinary update, or a create when the object does not exist any more. The other direction is fairlead apply --from-actual. A resource that has not drifted stays as it is.',
    arguments: [resources],
    flags: [settling, { name: 'dry-run', about: 'Show the differences and change nothing' }],
    examples: {
      'fairlead correct postgres/database/shop': 'one resource',
      'fairlead correct $(fairlead get postgres -o name)': 'what has drifted of a provider',
    },
    operations: ['correctResource', 'getResource', 'listResources'],
    load: async () => (await import('../resources/correct.ts')).correct,
  },
  {
    words: ['import'],
    summary: 'Take over objects that exist already',
    description: [
      'Nothing is created or changed. With a resource and --id or --adopt: asks the provider for the object, and prints a file with its config; secrets and what the provider does not read are comments.',
      'With -f: applies such files, which have adopt, waits, and shows of each resource whether it is imported, differs from the file (drifted), or was not found. An imported object stays when the resource is deleted, unless its deletion_policy is delete.',
      'With --list: the objects of a type that no resource manages, if its provider lists them.',
    ],
    arguments: [
      {
        name: 'RESOURCE',
        about: 'PROVIDER/TYPE/NAME that is to have the object; with --list PROVIDER/TYPE',
        optional: true,
        repeatable: true,
        completes: 'type',
        afterFlag: { flags: ['file'], completes: 'file' },
      },
    ],
    flags: [
      { name: 'id', value: 'ID', about: 'The id of the object; the same as --adopt id=ID' },
      {
        name: 'adopt',
        value: 'KEY=VALUE',
        repeatable: true,
        about: 'Identifies the object, as its type wants it; or an object of JSON',
      },
      ...fileFlags,
      { name: 'list', about: 'List the objects of a type that exist' },
      { name: 'all', about: 'With --list: also those that a resource manages' },
      {
        name: 'wait',
        is: 'both',
        about: 'With -f: wait until the resources are ready or failed (the default)',
      },
      dryRun,
    ],
    examples: {
      'fairlead import --list postgres/database': 'what there is to import',
      'fairlead import postgres/database/shop --id shop-db > shop.yaml': 'its config, as a file',
      'fairlead import -f shop.yaml': 'take it over',
    },
    operations: [
      ...(['previewImport', 'listExistingObjects', 'applyResources', 'getResource'] as const),
      ...(['listResources', 'listTypes'] as const),
    ],
    load: async () => (await import('../resources/import.ts')).importObjects,
  },
];
