// The meanings of the options of a resource, and the limits of their texts, for schemas: beside the table, so that no client loads them.
import type { Rules } from '../lib/fields.ts';
import { namePattern } from './identity.ts';
import { intervalMs, intervalRule } from './observation/interval.ts';
import { neverObserved, type resourceOptionFields } from './resource-options.ts';

export const resourceOptionRules: Rules<typeof resourceOptionFields> = {
  protected: { meaning: 'Whether the resource is protected: neither deleted nor replaced.' },
  expiresAt: { meaning: 'Time at which the resource is deleted. A protected one cannot expire.' },
  paused: { meaning: 'Whether the resource is paused: no new event is sent.' },
  deletionPolicy: {
    meaning:
      'Whether a deletion also deletes what the provider created, or leaves it. It is deleted by default, and left after an import.',
  },
  observe: {
    meaning: 'How the object is observed, if its type is observable.',
    members: {
      every: {
        meaning:
          'How often the object is observed, from `1m` to `7d`, or `never`: only on request. By default, as often as the type defines.',
        maxLength: 7,
        pattern: /^(?:[1-9][0-9]{0,5}[smhd]|never)$/,
        rule: `never, or ${intervalRule}`,
        isValid: (every) => every === neverObserved || intervalMs(every) !== undefined,
        example: '10m',
      },
      ignore: {
        meaning: 'JSON Pointers of values in the config that are not compared.',
        item: {
          maxLength: 512,
          pattern: /^(?:\/(?:[^~/]|~[01])*)+$/,
          rule: 'a JSON Pointer of a value in the config, such as /tags',
          example: '/tags',
        },
        maxItems: 64,
      },
      onDrift: {
        meaning:
          'Whether a difference of the object from the config is only reported, which is the default, or also corrected, by an event.',
      },
    },
  },
  management: {
    meaning:
      'Whether the object is managed, which is the default, or only observed: its provider then creates, changes and deletes nothing.',
  },
  set: {
    meaning:
      'Name of the set of its project that the resource is a member of. Null: of none, so that the resource leaves its set. `PUT /sets/{set}` puts resources into a set.',
    maxLength: 200,
    pattern: namePattern,
    rule: 'the name of a set: letters, digits and . _ - between them',
    example: 'shop',
  },
};
