// Commands for resources that files declare or selectors match.
import { optionNames } from '../../../client/resource-options.ts';
import { lifecycleStates } from '../../../domain/lifecycle.ts';
import { prunePolicies } from '../../../domain/sets/prune.ts';
import { goals } from '../../resources/watch/goal.ts';
import type { Flag } from '../../terminal/flag.ts';
import { type CommandRow, dryRun, fileFlags } from '../command.ts';

const tag: Flag = {
  name: 'tag',
  short: 'l',
  value: 'TAG',
  repeatable: true,
  about: 'Only with this tag',
};
const files = {
  name: 'FILE',
  about: 'The same as -f FILE; the resource of --revision or --from-actual',
  optional: true,
  repeatable: true,
  completes: 'file',
  afterFlag: { flags: ['revision', 'from-actual'], completes: 'resource' },
} as const;
const revision: Flag = {
  name: 'revision',
  value: 'N',
  about: 'Instead of files: what a revision of the history declared',
};
const fromActual: Flag = {
  name: 'from-actual',
  about: 'Instead of files: what is there of a resource that has drifted',
};
const selectors = {
  name: 'SELECTOR',
  about: 'PROVIDER, PROVIDER/TYPE or PROVIDER/TYPE/NAME',
  optional: true,
  repeatable: true,
  completes: 'resource',
} as const;

export const expiryFlags: readonly Flag[] = [
  {
    name: 'ttl',
    value: 'TIME',
    about: 'Delete the resources after this time, such as 8h or 7d; a later use of it moves it',
  },
  {
    name: 'expires',
    value: 'TIME',
    about: 'Delete the resources at this time (RFC 3339); never: keep them',
  },
];

/** Only its set makes a resource a member. */
const documentOptions = optionNames.filter((name) => name !== 'set');

const planDigest: Flag = {
  name: 'plan',
  value: 'DIGEST',
  about: 'Go on only if the plan is still this one, whose digest --dry-run -o value=plan prints',
};

/** @param about what is done with its members */
export function setFlag(about: string): Flag {
  return { name: 'set', value: 'SET', about, completes: 'set' };
}

const wholeSet: readonly Flag[] = [
  setFlag('The files are all of this set, a name in the project; it is created when it is new'),
  {
    name: 'prune',
    value: 'POLICY',
    choices: prunePolicies,
    about: 'What becomes of members that the files do not name; the set remembers it',
  },
  {
    name: 'take',
    value: 'RESOURCE',
    repeatable: true,
    about: 'Move this resource here from the set that it is a member of',
    completes: 'resource',
  },
];

export const settling: Flag = {
  name: 'wait',
  is: 'both',
  about: 'Wait until the resources are ready or failed (by default on a terminal)',
};

export const resourceCommands: readonly CommandRow[] = [
  {
    words: ['get'],
    summary: 'List resources, or show some',
    description:
      'A selector is PROVIDER, PROVIDER/TYPE or PROVIDER/TYPE/NAME; * in any part matches every text. Without a selector all resources of the project are listed, but for those that are being deleted. A provider, a type, a project or a resource that does not exist is an error; what exists is printed. Below one resource that has drifted are the values that differ.',
    arguments: [
      {
        name: 'SELECTOR',
        about: 'Resources to show',
        optional: true,
        repeatable: true,
        completes: 'resource',
      },
    ],
    flags: [
      tag,
      { name: 'state', value: 'STATE', choices: lifecycleStates, about: 'Only in this state' },
      { name: 'failed', about: 'Only failed ones' },
      {
        name: 'drift',
        about: 'Only those whose object differs from their config, or does not exist any more',
      },
      setFlag('Only members of this set'),
      { name: 'deleting', about: 'Only those that are being deleted, or whose deletion failed' },
      { name: 'all-projects', about: 'Resources of every project' },
      { name: 'watch', short: 'w', about: 'Go on, and print a row for each change' },
      {
        name: 'sort',
        value: 'FIELD',
        choices: ['name', 'state', 'age'],
        about: 'Order',
        standard: 'name',
      },
      { name: 'limit', value: 'N', about: 'Show at most so many' },
    ],
    examples: {
      'fairlead get': 'all resources of the project',
      'fairlead get -w': 'the same, then each change',
      'fairlead get postgres --failed': 'failed resources of a provider',
      'fairlead get --set shop': 'the members of a set',
      'fairlead get --drift': 'what somebody else has changed or deleted',
      'fairlead get postgres/database/shop -o value=outputs.url': 'one output, for a script',
    },
    operations: ['listResources', 'getResource'],
    load: async () => (await import('../resources/get.ts')).get,
  },
  {
    words: ['apply'],
    summary: 'Create or change resources that files declare',
    description: [
      'The server checks all documents before it writes one; if one is refused, nothing is written. Up to 500 documents are one request; more are several, in the order of their references.',
      `A document is a resource with its config, a record that get -o yaml prints, or a manifest of kubectl. ${new Intl.ListFormat('en-GB').format(documentOptions)} of a document change what they name; a document without them changes none. With adopt, the resource is an import: see fairlead import --help.`,
      '!file PATH and !env NAME insert a file and an environment variable. A path must stay in the folder of the file that names it; standard input names no files.',
      'With --set, the files are all resources of a set, in one request of at most 500. A resource without a set joins; --take moves one from another set. Members in no file stay (keep), leave the set (leave), are removed without their objects (orphan), or are deleted (delete). An apply that would remove all members, or more than half of at least ten, needs --plan, and so does a folder without documents.',
      'With --from-actual the values of an object that has drifted replace those of the config; the plan is shown before a question. A change of an immutable field of the type needs a replacement, which is shown before a question, too.',
    ],
    arguments: [files],
    flags: [
      ...fileFlags,
      revision,
      fromActual,
      { name: 'draft', about: 'Store as drafts, which no provider processes' },
      settling,
      dryRun,
      {
        name: 'replace',
        about:
          'Delete and create again what changes a field that cannot change, without a question; nothing else',
      },
      planDigest,
      ...expiryFlags,
      ...wholeSet,
    ],
    examples: {
      'fairlead apply -f shop.yaml': 'the documents of a file',
      'fairlead apply -f resources/ --dry-run': 'what a folder would change',
      'fairlead apply -f resources/ -R': 'a folder with its sub-folders',
      'fairlead apply -f preview.yaml --ttl 8h': 'a resource for a working day',
      'fairlead apply -f shop/ --set shop --prune delete':
        'a folder as a set: what is no longer in it is deleted',
      'fairlead apply -f -': 'standard input, such as what get -o yaml prints',
      'fairlead apply postgres/database/shop --revision 3':
        'what it was; fairlead history lists the revisions',
      'fairlead apply postgres/database/shop --from-actual': 'what somebody else has made of it',
    },
    operations: [
      ...(['applyResources', 'applySet', 'getResource', 'listResources', 'listTypes'] as const),
      ...(['listResourceHistory', 'getResourceRevision'] as const),
    ],
    load: async () => (await import('../resources/apply.ts')).apply,
  },
  {
    words: ['migrate'],
    summary: 'Bring configs into the newest version of their type',
    description:
      'The provider migrates them. With -f, documents in files are rewritten whose config does not fit the newest version, or whose type_version is older; comments stay where YAML permits, and values of !env and !file stay tags. With a type, its stored resources of older versions are applied in the newest form. If one cannot be migrated, nothing is written.',
    arguments: [{ name: 'TYPE', about: 'PROVIDER/TYPE', optional: true, completes: 'type' }],
    flags: [...fileFlags, settling, dryRun],
    examples: {
      'fairlead migrate -f resources/ --dry-run': 'what would be rewritten',
      'fairlead migrate postgres/database': 'the stored resources of a type',
    },
    operations: [
      ...(['migrateConfig', 'listTypes', 'listResources', 'getResource'] as const),
      'applyResources',
    ],
    load: async () => (await import('../resources/migrate.ts')).migrate,
  },
  {
    words: ['delete'],
    summary: 'Delete resources',
    description:
      'Resources that use others are deleted first. Selectors of several resources and tags ask before they delete, and so does a terminal before anything that holds data is deleted. Protected ones are not deleted.',
    arguments: [selectors],
    flags: [
      ...fileFlags,
      tag,
      {
        name: 'force',
        about:
          'Remove it even if others use it, or its provider cannot delete what it created; asks for the name',
      },
      {
        name: 'wait',
        is: 'both',
        about:
          'Wait until the resources are gone; with --force and --orphan, print their orphan receipts',
      },
      {
        name: 'orphan',
        about:
          'Leave what the provider created, which gets no event; an orphan receipt keeps what identifies it',
      },
      { name: 'ignore-not-found', about: 'A resource that does not exist is no error' },
      setFlag('Instead of resources: delete this set'),
      {
        name: 'resources',
        value: 'HOW',
        choices: prunePolicies.filter((each) => each !== 'keep'),
        about: 'With --set: what becomes of its resources',
      },
      planDigest,
      dryRun,
    ],
    examples: {
      'fairlead delete postgres/database/shop --wait': 'one resource',
      'fairlead delete -f shop.yaml': 'the resources of a file',
      'fairlead delete postgres/database/shop --orphan': 'from Fairlead only: the database stays',
      'fairlead delete --set shop --resources leave': 'a set, and none of its resources',
    },
    operations: [
      'deleteSet',
      'getSet',
      'deleteResource',
      'getResource',
      'listResources',
      'listOrphanReceipts',
    ],
    load: async () => (await import('../resources/delete.ts')).deleteResources,
  },
  {
    words: ['wait'],
    summary: 'Wait for resources',
    description:
      'Ends with 0 when all of them have come there, with 1 as soon as one cannot, and with 7 when --timeout has run out.',
    arguments: [selectors],
    flags: [
      {
        name: 'for',
        value: 'STATE',
        choices: goals,
        about: 'State to wait for; settled is ready or draft, and failed is an error',
        standard: 'settled',
      },
      ...fileFlags,
      tag,
      setFlag('The members of this set'),
    ],
    examples: {
      'fairlead wait postgres/database/shop --timeout 5m': 'until it is ready',
      'fairlead wait postgres/database/shop --for deleted': 'until it is gone',
    },
    operations: ['listResources', 'getResource'],
    load: async () => (await import('../resources/wait.ts')).wait,
  },
  {
    words: ['diff'],
    summary: 'Show what an apply of files would change',
    description:
      'Field by field, as the server plans it, with what it waits for and the resources that would be updated because they use a changed one. -/+ marks what would be replaced, with the fields that force it. Nothing is written.',
    arguments: [files],
    flags: [
      ...fileFlags,
      revision,
      fromActual,
      { name: 'exit-code', about: 'End with 3 when there are differences' },
      { name: 'show-secrets', about: 'Show what the schema of the type marks as secret' },
      ...wholeSet,
    ],
    examples: {
      'fairlead diff -f shop.yaml --exit-code': 'for a script',
      'fairlead diff -f shop/ --set shop --prune delete': 'what a set would lose, too',
      'fairlead diff postgres/database/shop --revision 3':
        'what a return to a revision would change',
    },
    operations: [
      ...(['applyResources', 'applySet', 'getResource', 'listTypes'] as const),
      ...(['listResourceHistory', 'getResourceRevision'] as const),
    ],
    load: async () => (await import('../resources/diff.ts')).diff,
  },
  {
    words: ['sets'],
    summary: 'List the sets of the project',
    description:
      'A set is a name for resources that one apply declares as a whole, with who applied it last, and what becomes of members that its files do not name. UNLISTED counts those that stay. Incomplete: the last apply has written a part; the same one again finishes. fairlead apply --set creates or changes one.',
    examples: {
      'fairlead sets': 'the sets of the project',
      'fairlead sets -o wide': 'also the digest of the last plan of each',
    },
    operations: ['listSets'],
    load: async () => (await import('../resources/sets.ts')).listSets,
  },
];
