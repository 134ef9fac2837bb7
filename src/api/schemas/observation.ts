// Defines drift, requested observations, and the requests and responses of imports.
import { z } from 'zod';
import { maxListCursorLength } from '../../domain/event.ts';
import { driftKinds, maxChanges } from '../../domain/observation/drift.ts';
import { freeForm, ProviderName, Timestamp, TypeName, TypeVersion } from './core.ts';
import { ResourceName } from './resource-address.ts';

const Count = z.int().min(0);
const compared = Count.describe('Number of declared values that were compared.');
const unknown = Count.describe(
  'Number of declared values that the provider left out: nothing is known about them.',
);

export const Drift = z.object({
  since: Timestamp.describe('Time at which the difference was first observed.'),
  kind: z
    .enum(driftKinds)
    .describe('`changed`: values of the object differ. `gone`: the object does not exist.'),
  changes: z
    .array(
      z.object({
        path: z.string().describe('JSON Pointer of the value in `config`.'),
        declared: z.unknown().describe('Declared value, with references resolved.'),
        actual: z.unknown().describe('Observed value.'),
        omitted: z
          .literal(true)
          .optional()
          .describe(
            'Present when both values are null because they contain a secret or are too long.',
          ),
      }),
    )
    .max(maxChanges)
    .describe('Values that differ, in the order of their paths. Empty when the object is gone.'),
  total: Count.describe('Number of values that differ.'),
  compared,
  unknown,
});

export const Observation = z.object({
  at: Timestamp.describe('Time at which it ended.'),
  exists: z
    .boolean()
    .nullable()
    .describe('Whether the object exists. Null when nothing was observed.'),
  compared,
  unknown,
  error: z.string().nullable().describe('Why nothing was observed. Secrets are masked.'),
});

export const adopt = freeForm.describe(
  'Identifies an existing object, as `adopt_schema` of the type says: usually `id`.',
);

const exampleOfAdopt = { name: 'orders' };

export const PreviewImport = z
  .strictObject({ provider: ProviderName, resource: TypeName, name: ResourceName, adopt })
  .meta({
    examples: [
      { provider: 'postgres', resource: 'database', name: 'orders', adopt: exampleOfAdopt },
    ],
  });

export const ImportPreview = z
  .object({
    provider: ProviderName,
    resource: TypeName,
    name: ResourceName,
    adopt,
    config: freeForm.describe(
      'Config of the object, as the provider observed it, without secrets.',
    ),
    type_version: TypeVersion.describe('Version of the type that the config has.'),
    outputs: freeForm.describe('Outputs that the import would record, without secrets.'),
    missing: z
      .array(z.object({ path: z.string(), secret: z.boolean(), required: z.boolean() }))
      .describe(
        'JSON Pointers of fields of the config that the provider did not read, or that are secret: declare them before the import, or leave them out.',
      ),
  })
  .meta({
    examples: [
      {
        provider: 'postgres',
        resource: 'database',
        name: 'orders',
        adopt: exampleOfAdopt,
        config: { connectionLimit: 20 },
        type_version: 1,
        outputs: { host: '127.0.0.1', database: 'orders' },
        missing: [{ path: '/password', secret: true, required: true }],
      },
    ],
  });

export const ListExistingObjects = z.object({
  cursor: z
    .string()
    .max(maxListCursorLength)
    .optional()
    .describe('Cursor from the `Link` header of the previous page.'),
});

export const ExistingObject = z.object({
  adopt: adopt.describe('Identifies the object in an import, without secrets.'),
  name: z
    .string()
    .nullable()
    .describe(
      'Name that the provider proposes for the resource. Null when it proposes none that a resource can have.',
    ),
  config: freeForm.nullable().describe('Config, as far as the provider lists it, without secrets.'),
  managed_by: z
    .string()
    .nullable()
    .describe(
      '`{provider}/{resource}/{name}` of the resource that has the object. Null when none has.',
    ),
});
export const ExistingObjects = z.array(ExistingObject);
