// Commands for private npm registries.
import { type Command, dryRun } from '../command.ts';

export const registryCommands: readonly Command[] = [
  {
    words: ['provider', 'registry', 'list'],
    category: 'Providers',
    summary: 'List private npm registries of the organization',
    operations: ['listRegistries'],
    load: async () => (await import('../commands/provider-registry.ts')).registryList,
  },
  {
    words: ['provider', 'registry', 'set'],
    category: 'Providers',
    summary: 'Set the npm registry of a scope, with its token',
    description:
      'It asks for the token, or reads it from standard input; it is never an argument, and no command shows it. Builds install packages of the scope from there.',
    arguments: [
      { name: '@SCOPE', about: 'Scope of the packages' },
      { name: 'URL', about: 'Address of the registry, https' },
    ],
    flags: [dryRun],
    examples: [
      {
        command: 'fairlead provider registry set @acme https://npm.example.com/',
        about: 'asks for the token, and shows nothing',
      },
    ],
    operations: ['setRegistry'],
    load: async () => (await import('../commands/provider-registry.ts')).registrySet,
  },
  {
    words: ['provider', 'registry', 'unset'],
    category: 'Providers',
    summary: 'Remove the npm registries of scopes, with their tokens',
    arguments: [{ name: '@SCOPE', about: 'Scope of the packages', repeatable: true }],
    flags: [dryRun],
    operations: ['listRegistries', 'deleteRegistry'],
    load: async () => (await import('../commands/provider-registry.ts')).registryUnset,
  },
];
