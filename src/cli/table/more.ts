// Commands about the client itself.
import type { Command } from '../command.ts';
import { topics } from '../topics.ts';

export const moreCommands: readonly Command[] = [
  {
    words: ['version'],
    category: 'More',
    summary: 'Show the versions of the client and of the server',
    flags: [{ name: 'client', about: 'Ask no server' }],
    load: async () => (await import('../commands/version.ts')).version,
  },
  {
    words: ['help'],
    category: 'More',
    summary: 'Show help of a command or of a topic',
    arguments: [
      {
        name: 'TOPIC',
        about: `A command, or ${Object.keys(topics).join(', ')}`,
        optional: true,
        repeatable: true,
      },
    ],
    load: async () => (await import('../commands/help.ts')).help,
  },
  {
    words: ['start'],
    hidden: true,
    category: 'More',
    summary: 'Show what to do next',
    operations: ['listResources', 'getMe'],
    load: async () => (await import('../commands/start.ts')).start,
  },
];
