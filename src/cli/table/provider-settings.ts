// Commands for the settings of providers.
import { type Command, dryRun } from '../command.ts';
import type { Flag } from '../flag.ts';
import { ownProvider } from './provider-arguments.ts';

const ofProvider: Flag = {
  name: 'provider',
  value: 'NAME',
  about: 'A provider; by default that of the working folder',
  completes: 'provider',
};

export const settingsCommands: readonly Command[] = [
  {
    words: ['provider', 'settings', 'get'],
    category: 'Providers',
    summary: 'Show the settings of a provider',
    description: 'Sensitive ones show only that they are set, since when and by whom.',
    arguments: [ownProvider],
    operations: ['getProviderSettings'],
    load: async () => (await import('../commands/provider-settings.ts')).settingsGet,
  },
  {
    words: ['provider', 'settings', 'set'],
    category: 'Providers',
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
    examples: [
      {
        command: 'fairlead provider settings set region=eu-central-1 pool=10',
        about: 'two values',
      },
      { command: 'fairlead provider settings set url < url.txt', about: 'from a file' },
      { command: 'fairlead provider settings set url', about: 'asks, and shows nothing' },
    ],
    operations: [
      ...(['getProviderSettings', 'updateProviderSettings'] as const),
      ...(['listProviders', 'getDeployment'] as const),
    ],
    load: async () => (await import('../commands/provider-settings.ts')).settingsSet,
  },
  {
    words: ['provider', 'settings', 'unset'],
    category: 'Providers',
    summary: 'Remove settings of a provider',
    arguments: [
      { name: 'NAME', about: 'Name of a setting; a provider may come first', repeatable: true },
    ],
    flags: [ofProvider, dryRun],
    operations: ['deleteProviderSetting', 'getProviderSettings', 'listProviders'],
    load: async () => (await import('../commands/provider-settings.ts')).settingsUnset,
  },
];
