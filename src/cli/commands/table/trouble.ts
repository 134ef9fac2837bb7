// Commands for failures.

import type { Flag } from '../../terminal/flag.ts';
import { type Argument, type CommandRow, dryRun } from '../command.ts';

const provider: Flag = {
  name: 'provider',
  value: 'PROVIDER',
  about: 'Only of this provider',
  completes: 'provider',
};
const cause: Flag = { name: 'cause', value: 'CAUSE', about: 'Only with this cause' };
const all: Flag = { name: 'all', about: 'All of them' };
const events: Argument = {
  name: 'EVENT',
  about: 'Ids of events',
  optional: true,
  repeatable: true,
};

export const troubleCommands: readonly CommandRow[] = [
  {
    words: ['dead-letters', 'list'],
    isDefault: true,
    summary: 'List events that failed for good',
    flags: [
      provider,
      cause,
      {
        name: 'group',
        is: 'both',
        about: 'One row for each cause (by default on a terminal)',
      },
    ],
    operations: ['listDeadLetters'],
    load: async () => (await import('../resources/dead-letters.ts')).listDeadLetters,
  },
  {
    words: ['dead-letters', 'get'],
    summary: 'Show an event that failed for good',
    arguments: [{ name: 'EVENT', about: 'Id of the event' }],
    operations: ['getDeadLetter'],
    load: async () => (await import('../resources/dead-letters.ts')).getDeadLetter,
  },
  {
    words: ['dead-letters', 'retry'],
    summary: 'Retry events that failed for good',
    description:
      'The first event of each cause is retried alone; the others follow when it succeeds, and stay when it fails.',
    arguments: [events],
    flags: [
      cause,
      provider,
      all,
      { name: 'wait', is: 'both', about: 'Wait until all are retried (by default on a terminal)' },
      dryRun,
    ],
    examples: {
      'fairlead dead-letters retry --all --dry-run': 'how many there are',
    },
    operations: ['retryDeadLetter', 'retryAllDeadLetters', 'getDeadLetter', 'getRedrive'],
    load: async () => (await import('../resources/dead-letters.ts')).retryDeadLetters,
  },
  {
    words: ['dead-letters', 'delete'],
    summary: 'Delete events that failed for good',
    arguments: [events],
    flags: [cause, provider, all, dryRun],
    operations: ['deleteDeadLetter', 'deleteDeadLetters', 'listDeadLetters', 'getDeadLetter'],
    load: async () => (await import('../resources/dead-letters.ts')).deleteDeadLetters,
  },
  {
    words: ['receipts', 'list'],
    isDefault: true,
    summary: 'List what may remain of resources that were removed without their provider',
    operations: ['listOrphanReceipts'],
    load: async () => (await import('../resources/receipts.ts')).listReceipts,
  },
  {
    words: ['receipts', 'delete'],
    summary: 'Delete receipts after the clean-up',
    arguments: [{ name: 'RECEIPT', about: 'Ids of receipts', repeatable: true }],
    flags: [dryRun],
    operations: ['listOrphanReceipts', 'deleteOrphanReceipt'],
    load: async () => (await import('../resources/receipts.ts')).deleteReceipts,
  },
];
