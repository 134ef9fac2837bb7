// Commands for resources.
import { lifecycleStates } from '../../domain/lifecycle.ts';
import type { Command } from '../command.ts';

export const resourceCommands: readonly Command[] = [
  {
    words: ['get'],
    aliases: [
      ['resources', 'list'],
      ['resources', 'get'],
    ],
    category: 'Resources',
    summary: 'List resources, or show some',
    description:
      'A selector is PROVIDER, PROVIDER/TYPE or PROVIDER/TYPE/NAME; * in any part matches every text. Without a selector all resources of the project are listed.',
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
      { name: 'tag', short: 'l', value: 'TAG', repeatable: true, about: 'Only with this tag' },
      { name: 'state', value: 'STATE', choices: lifecycleStates, about: 'Only in this state' },
      { name: 'failed', about: 'Only failed ones' },
      { name: 'all-projects', about: 'Of every project' },
      {
        name: 'sort',
        value: 'FIELD',
        choices: ['name', 'state', 'age'],
        about: 'Order',
        standard: 'name',
      },
      { name: 'limit', value: 'N', about: 'Show at most so many' },
    ],
    examples: [
      { command: 'fairlead get', about: 'all resources of the project' },
      { command: 'fairlead get postgres --failed', about: 'failed resources of a provider' },
      {
        command: 'fairlead get postgres/database/shop -o value=outputs.url',
        about: 'one output, for a script',
      },
    ],
    operations: ['listResources', 'getResource'],
    load: async () => (await import('../commands/get.ts')).get,
  },
];
