// Commands for resource types.

import type { Flag } from '../../terminal/flag.ts';
import { type Argument, type CommandRow, dryRun, fileFlags } from '../command.ts';

const type: Argument = { name: 'TYPE', about: 'PROVIDER/TYPE', completes: 'type' };
const strict: Flag = {
  name: 'strict',
  about: 'Refuse a schema that does not fit existing resources',
};

export const typeCommands: readonly CommandRow[] = [
  {
    words: ['type', 'list'],
    isDefault: true,
    summary: 'List resource types',
    arguments: [
      {
        name: 'PROVIDER',
        about: 'Only types of this provider',
        optional: true,
        repeatable: true,
        completes: 'provider',
      },
    ],
    operations: ['listTypes', 'listProviders'],
    load: async () => (await import('../providers/resource-types.ts')).listTypes,
  },
  {
    words: ['type', 'get'],
    summary: 'Show the fields of a resource type',
    description:
      'The fields of the config and of the outputs, with what is required, sensitive and immutable. With --all also the fields of objects, the items of lists, and the forms of a value that has several, by what tells them apart.',
    arguments: [type],
    flags: [{ name: 'all', about: 'Show fields within fields, items and forms, with all limits' }],
    examples: {
      'fairlead type get postgres/database -o value=schema': 'the JSON Schema',
    },
    operations: ['listTypes'],
    load: async () => (await import('../providers/resource-types.ts')).getType,
  },
  {
    words: ['type', 'register'],
    summary: 'Register resource types, or replace their definition',
    description:
      'Provider code that Fairlead deploys registers its types itself. A document has provider, resource, description, schema and tags. All are checked before the first is registered.',
    arguments: [
      {
        name: 'FILE',
        about: 'The same as -f FILE',
        optional: true,
        repeatable: true,
        completes: 'file',
      },
    ],
    flags: [...fileFlags, strict, dryRun],
    operations: ['registerType', 'listTypes'],
    load: async () => (await import('../providers/register-type.ts')).registerTypes,
  },
  {
    words: ['type', 'unregister'],
    summary: 'Unregister a resource type',
    description: 'Asks when the type has resources.',
    arguments: [type],
    flags: [dryRun],
    operations: ['unregisterType', 'listTypes', 'listResources'],
    load: async () => (await import('../providers/resource-types.ts')).unregisterType,
  },
];
