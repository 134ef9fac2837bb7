// Commands for provider code.

import type { Flag } from '../../terminal/flag.ts';
import { type Argument, type CommandRow, dryRun } from '../command.ts';

const provider: Argument = { name: 'PROVIDER', about: 'A provider', completes: 'provider' };
export const ownProvider: Argument = {
  ...provider,
  about: 'A provider; by default that of the working folder',
  optional: true,
};

// Commands for the settings of providers.

const ofProvider: Flag = {
  name: 'provider',
  value: 'NAME',
  about: 'A provider; by default that of the working folder',
  completes: 'provider',
};

const settingsCommands: readonly CommandRow[] = [
  {
    words: ['provider', 'settings', 'get'],
    summary: 'Show the settings of a provider',
    description: 'Sensitive ones show only that they are set, since when and by whom.',
    arguments: [ownProvider],
    operations: ['getProviderSettings'],
    load: async () => (await import('../providers/settings.ts')).settingsGet,
  },
  {
    words: ['provider', 'settings', 'set'],
    summary: 'Set settings of a provider',
    description:
      'Without a value it asks for one, or reads it from standard input. The value of a sensitive setting is never an argument. Values that are not text are JSON. The version that serves checks the values first; then the pods of the provider are replaced.',
    arguments: [
      {
        name: 'SETTING',
        about: 'NAME=VALUE, or NAME; a provider may come first',
        repeatable: true,
      },
    ],
    flags: [
      ofProvider,
      { name: 'wait', is: 'both', about: 'Wait until the new values serve (the default)' },
      dryRun,
    ],
    examples: {
      'fairlead provider settings set region=eu-central-1 pool=10': 'two values',
      'fairlead provider settings set url < url.txt': 'from a file',
      'fairlead provider settings set url': 'asks, and shows nothing',
    },
    operations: [
      ...(['getProviderSettings', 'updateProviderSettings'] as const),
      ...(['listProviders', 'getDeployment'] as const),
    ],
    load: async () => (await import('../providers/settings.ts')).settingsSet,
  },
  {
    words: ['provider', 'settings', 'unset'],
    summary: 'Remove settings of a provider',
    arguments: [
      { name: 'NAME', about: 'Name of a setting; a provider may come first', repeatable: true },
    ],
    flags: [ofProvider, dryRun],
    operations: ['deleteProviderSetting', 'getProviderSettings', 'listProviders'],
    load: async () => (await import('../providers/settings.ts')).settingsUnset,
  },
];

// Commands for private npm registries.

const registryCommands: readonly CommandRow[] = [
  {
    words: ['provider', 'registry', 'list'],
    summary: 'List private npm registries of the organization',
    operations: ['listRegistries'],
    load: async () => (await import('../providers/registry.ts')).registryList,
  },
  {
    words: ['provider', 'registry', 'set'],
    summary: 'Set the npm registry of a scope, with its token',
    description:
      'It asks for the token, or reads it from standard input; it is never an argument, and no command shows it. Builds install packages of the scope from there.',
    arguments: [
      { name: '@SCOPE', about: 'Scope of the packages' },
      { name: 'URL', about: 'Address of the registry, https' },
    ],
    flags: [dryRun],
    examples: {
      'fairlead provider registry set @acme https://npm.example.com/':
        'asks for the token, and shows nothing',
    },
    operations: ['setRegistry'],
    load: async () => (await import('../providers/registry.ts')).registrySet,
  },
  {
    words: ['provider', 'registry', 'unset'],
    summary: 'Remove the npm registries of scopes, with their tokens',
    arguments: [{ name: '@SCOPE', about: 'Scope of the packages', repeatable: true }],
    flags: [dryRun],
    operations: ['listRegistries', 'deleteRegistry'],
    load: async () => (await import('../providers/registry.ts')).registryUnset,
  },
];

const folder: Argument = {
  name: 'DIR',
  about: 'Folder with a package.json; by default that of the working folder or above',
  optional: true,
  completes: 'file',
};
const version: Argument = {
  name: 'VERSION',
  about: 'A version, such as 20260131.120000',
  optional: true,
};
const wait: Flag = {
  name: 'wait',
  is: 'both',
  about: 'Wait until the version serves (the default)',
};
const strict: Flag = {
  name: 'strict',
  about: 'Refuse a version whose schemas do not fit existing resources',
};

const retireTypes: Flag = {
  name: 'retire-types',
  about: 'Accept a version that lacks types with resources; these stay as they are',
};

const code: readonly CommandRow[] = [
  {
    words: ['init'],
    summary: 'Write the files of a new provider',
    description:
      'It needs no network. The provider can be pushed as it is. Folder and provider are called NAME, and the package is called provider-NAME, so that it can import a package NAME. Its development dependency fairlead is a link to the package of this client.',
    arguments: [{ name: 'NAME', about: 'Name of the provider' }],
    flags: [
      {
        name: 'dir',
        value: 'FOLDER',
        about: 'Folder; by default one with the name of the provider',
        completes: 'file',
      },
      { name: 'dry-run', about: 'List the files and write nothing' },
    ],
    examples: {
      'fairlead init crates': 'a provider in the folder crates',
    },
    load: async () => (await import('../providers/init.ts')).init,
  },
  {
    words: ['dev'],
    summary: 'Check the handlers of a provider on every save',
    description: [
      'Checks the schemas as builds do, and calls the handlers as the contract of fairlead/provider/testing does, with the configs of *.example.yaml: the first document of a type is created, and then changed to that of *.changed.yaml, or else to a second document of its type. All these files can be applied; a second document in one file has another name.',
      'Configs in *.v1.example.yaml are of version 1 of their type: its migrations must accept them. Settings of the provider come from settings.local.yaml, which is not uploaded.',
      'After a save, only types whose files changed are checked. Shows what changed in the schemas.',
    ],
    arguments: [folder],
    flags: [
      { name: 'once', about: 'Check once; exit code 1 when a check fails' },
      { name: 'push', about: 'Push when all checks pass' },
    ],
    load: async () => (await import('../providers/dev.ts')).dev,
  },
  {
    words: ['push'],
    summary: 'Upload provider code, build it and deploy it',
    description:
      'Files that git ignores are left out, as are those of .fairleadignore; "files" of package.json lists all that go. Files with secrets go only with --include, and a token or a private key in any other file stops the push. The name of the provider is that of --provider, of fairlead.yaml, of the code, or of package.json. Standard output has the version when it is not a terminal.',
    arguments: [folder],
    flags: [
      { name: 'provider', value: 'NAME', about: 'Provider to push to', completes: 'provider' },
      { name: 'deploy', is: 'off', about: 'Build only' },
      {
        name: 'wait',
        is: 'both',
        about: 'Wait until the version serves (the default); with --no-deploy, until it is built',
      },
      strict,
      retireTypes,
      { name: 'list', about: 'List the files that would be uploaded, and stop' },
      { name: 'dry-run', about: 'Pack and check the limits, and upload nothing' },
      {
        name: 'exclude',
        value: 'PATTERN',
        repeatable: true,
        about: 'Leave files out, by a pattern as in .gitignore',
      },
      {
        name: 'include',
        value: 'FILE',
        repeatable: true,
        about: 'Upload a file that would be left out',
        completes: 'file',
      },
      {
        name: 'allow-secret',
        value: 'FILE',
        repeatable: true,
        about: 'Upload a file with what looks like a token or a private key',
        completes: 'file',
      },
      {
        name: 'local',
        value: 'PATH',
        repeatable: true,
        about: 'Upload a local package that is outside of the repository',
        completes: 'file',
      },
    ],
    examples: {
      'fairlead push': 'build and deploy the code of this folder',
      'VERSION=$(fairlead push --no-deploy)': 'build it, in a script',
      'fairlead push --list': 'what would be uploaded',
    },
    operations: ['pushCode', 'getBuildLogs', 'getBuild', 'deployProvider', 'getDeployment'],
    load: async () => (await import('../providers/push.ts')).push,
  },
  {
    words: ['deploy'],
    summary: 'Make a built version run',
    description: 'Without VERSION it is the newest successful build.',
    arguments: [ownProvider, version],
    flags: [
      { name: 'replicas', value: 'N', about: 'Number of pods, 1 to 10; by default it stays' },
      strict,
      retireTypes,
      wait,
      dryRun,
    ],
    examples: {
      'fairlead deploy crates': 'the newest build',
      'fairlead deploy crates --replicas 3': 'in three pods',
      'fairlead deploy crates 20260131.120000 --dry-run':
        'which resources its schemas would refuse',
    },
    operations: ['listBuilds', 'listProviders', 'deployProvider', 'getDeployment'],
    load: async () => (await import('../providers/deploy.ts')).deploy,
  },
  {
    words: ['rollback'],
    summary: 'Make an earlier version run again',
    description:
      'Without VERSION it is the last version that served, other than the wanted one. It says first which resources would not fit.',
    arguments: [ownProvider, version],
    flags: [strict, retireTypes, wait, dryRun],
    operations: ['listProviders', 'deployProvider', 'rollbackProvider', 'getDeployment'],
    load: async () => (await import('../providers/deploy.ts')).rollback,
  },
  {
    words: ['logs'],
    summary: 'Show the log of a provider, of a resource or of a build',
    description:
      'The log of a resource has the lines that handlers wrote with log for it. Without such a line, the exit code is 5, and standard error says what was read and where there is more. With -o ndjson each line is an object of JSON.',
    arguments: [
      {
        name: 'SUBJECT',
        about: 'PROVIDER, PROVIDER/TYPE/NAME or the name of a build; by default the provider here',
        optional: true,
        completes: 'provider',
      },
    ],
    flags: [
      { name: 'follow', short: 'f', about: 'Go on with new lines' },
      { name: 'since', value: 'TIME', about: 'Only lines since a time, or from 10m ago on' },
      { name: 'tail', value: 'N', about: 'Number of last lines', standard: '1000' },
      {
        name: 'resource',
        value: 'RESOURCE',
        about: 'Only lines for a resource',
        completes: 'resource',
      },
      { name: 'event', value: 'EVENT', about: 'Only lines for an event, by its id' },
      { name: 'version', value: 'VERSION', about: 'Only pods of this version' },
      { name: 'previous', about: 'The log before the last restart of a process, as after a crash' },
    ],
    examples: {
      'fairlead logs crates -f': 'live',
      'fairlead logs crates/crate/first --since 10m': 'of one resource',
      'fairlead logs crates --previous': 'the end of a process that crashed',
    },
    operations: [
      'getProviderLogs',
      'getBuildLogs',
      'getBuild',
      'listBuilds',
      'explainResource',
      'getDeadLetter',
    ],
    load: async () => (await import('../providers/logs.ts')).logs,
  },
];

const providers: readonly CommandRow[] = [
  {
    words: ['provider', 'list'],
    isDefault: true,
    summary: 'List providers',
    operations: ['listProviders'],
    load: async () => (await import('../providers/provider.ts')).providerList,
  },
  {
    words: ['provider', 'get'],
    summary: 'Show a provider and its deployment',
    arguments: [ownProvider],
    operations: ['listProviders', 'listTypes'],
    load: async () => (await import('../providers/provider.ts')).providerGet,
  },
  {
    words: ['provider', 'delete'],
    summary: 'Delete a provider, with its types and dead letters',
    arguments: [provider],
    flags: [
      { name: 'cascade', about: 'Also delete its resources' },
      { name: 'dry-run', about: 'Show what would be deleted' },
    ],
    operations: ['listProviders', 'listTypes', 'listResources', 'deleteProvider'],
    load: async () => (await import('../providers/provider.ts')).providerDelete,
  },
  {
    words: ['provider', 'release-corrections'],
    summary: 'Let held corrections of a provider begin',
    description:
      'When many objects of a provider differ or are gone at once, no correction begins: a wrong region or credential looks the same. Look at the provider first. It shows why they are held, and asks.',
    arguments: [provider],
    flags: [{ name: 'dry-run', about: 'Show why they are held and release nothing' }],
    examples: {
      'fairlead provider release-corrections crates': 'the objects really are gone',
    },
    operations: ['releaseCorrections', 'listProviders', 'listTypes'],
    load: async () => (await import('../providers/release-corrections.ts')).releaseCorrections,
  },
];

export const providerCommands: readonly CommandRow[] = [
  ...code,
  ...providers,
  ...settingsCommands,
  ...registryCommands,
];
