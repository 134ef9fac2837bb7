// Commands for resources that are named one by one.
import { type FlagName, flagCommands, flagNames } from '../../../client/resource-options.ts';
import { type CommandRow, dryRun } from '../command.ts';
import { expiryFlags, setFlag, settling } from './resources.ts';

const resource = {
  name: 'RESOURCE',
  about: 'PROVIDER/TYPE/NAME',
  completes: 'resource',
} as const;

interface SwitchTexts extends Pick<CommandRow, 'summary' | 'description' | 'examples'> {
  /** The resource afterwards, in a word. */
  readonly done: string;
}

/** The texts of the commands that turn an option on, and off. */
const switches: Readonly<Record<FlagName, Readonly<Record<'on' | 'off', SwitchTexts>>>> = {
  protected: {
    on: {
      done: 'protected',
      summary: 'Protect resources from deletion and replacement',
      description:
        'Nobody deletes or replaces a protected resource, not even with --force or with its provider, before fairlead unprotect. Updates go on. A resource that expires cannot be protected.',
      examples: {
        'fairlead protect postgres/database/shop': 'one resource',
        'fairlead protect $(fairlead get postgres -o name)': 'all of a provider',
      },
    },
    off: {
      done: 'unprotected',
      summary: 'Lift the protection of resources',
      description: 'Everybody who may apply a resource may lift its protection.',
      examples: {
        'fairlead unprotect postgres/database/shop': 'before it is deleted',
      },
    },
  },
  paused: {
    on: {
      done: 'paused',
      summary: 'Send no new events for resources',
      description:
        'Changes and deletions are accepted, and wait until fairlead resume. What a provider works on goes on.',
      examples: {
        'fairlead pause postgres/database/shop': 'during work on the database by hand',
      },
    },
    off: {
      done: 'resumed',
      summary: 'Send events for paused resources again',
      description: 'A change that was made meanwhile is sent at once.',
      examples: {
        'fairlead resume postgres/database/shop': 'after the work',
      },
    },
  },
};

export const namedResourceCommands: readonly CommandRow[] = [
  {
    words: ['outputs'],
    summary: 'Show the outputs of a resource',
    description:
      'At a terminal, outputs that the type marks as sensitive, or that contain a sensitive value, are hidden unless they are requested: by PATH, or with --show-secrets. Pipes and -o have them. A read that shows them leaves an audit line. What a role may not read is never shown.',
    arguments: [
      resource,
      { name: 'PATH', about: 'One value, such as url or hosts[0].name', optional: true },
    ],
    examples: {
      'fairlead outputs postgres/database/shop url': 'one value, for a script',
    },
    flags: [{ name: 'show-secrets', about: 'Show what is sensitive at a terminal, too' }],
    operations: ['getResource'],
    load: async () => (await import('../resources/outputs.ts')).outputs,
  },
  {
    words: ['history'],
    summary: 'Show who applied what to a resource, and what changed',
    description:
      'The present revision and at most nine before it. With --revision: what it declared, as a file for apply -f. Values that the schema of the type marks as secret are not kept.',
    arguments: [resource],
    flags: [{ name: 'revision', value: 'N', about: 'Show what this revision declared' }],
    examples: {
      'fairlead history postgres/database/shop': 'its revisions',
      'fairlead history postgres/database/shop --revision 3 -o yaml': 'one as a file',
    },
    operations: ['listResourceHistory', 'getResourceRevision', 'getResource'],
    load: async () => (await import('../resources/history.ts')).history,
  },
  {
    words: ['why'],
    summary: 'Explain why a resource is not ready, and what to do',
    description:
      'Without a resource, or with --all: every one that is not ready, by cause. With --set: those of a set, and whether its last apply is complete.',
    arguments: [{ ...resource, optional: true }],
    flags: [
      { name: 'all', about: 'Every resource that is not ready' },
      { name: 'users', about: 'Name every resource that uses it' },
      setFlag('Every member of this set that is not ready'),
    ],
    operations: ['explainResource', 'listExplanations', 'getSet', 'getResource'],
    load: async () => (await import('../resources/why.ts')).why,
  },
  {
    words: ['edit'],
    summary: 'Change the config of a resource in your editor',
    description:
      'Opens $VISUAL or $EDITOR. An option, such as a protection or an expiry, that is removed from the text is removed from the resource. The change is rejected if the resource was changed meanwhile; a rejected file is kept.',
    arguments: [resource],
    flags: [settling, dryRun],
    operations: ['getResource', 'applyResources', 'listResources'],
    load: async () => (await import('../resources/edit.ts')).edit,
  },
  ...flagNames.flatMap((option) => [optionCommand(option, 'on'), optionCommand(option, 'off')]),
  {
    words: ['expire'],
    summary: 'Set when resources expire, or that they do not',
    description: 'A resource that expires is deleted at that time. A protected one cannot expire.',
    arguments: [{ ...resource, repeatable: true }],
    flags: [...expiryFlags, dryRun],
    examples: {
      'fairlead expire postgres/database/shop --ttl 8h': 'after a working day',
      'fairlead expire postgres/database/shop --expires never': 'keeps it',
    },
    operations: ['getResource', 'updateResource', 'listResources', 'listTypes'],
    load: async () => (await import('../resources/options.ts')).expire,
  },
];

/** @returns the command that turns an option of resources on or off */
function optionCommand(option: FlagName, to: 'on' | 'off'): CommandRow {
  const { done, ...texts } = switches[option][to];
  return {
    words: [flagCommands[option][to]],
    ...texts,
    arguments: [{ ...resource, repeatable: true }],
    flags: [dryRun],
    operations: ['getResource', 'updateResource', 'listResources', 'listTypes'],
    load: async () =>
      (await import('../resources/options.ts')).turnOption({ option, value: to === 'on', done }),
  };
}
