// Defines what names a resource.
import { z } from 'zod';
import { namePattern, parseResourceAddress } from '../../domain/identity.ts';
import { ProviderName, TypeName } from './core.ts';

export const ResourceName = z
  .string()
  .max(200)
  .regex(namePattern, 'Input should be letters, digits and . _ - between them, such as orders')
  .describe('Name of the resource within its type.')
  .meta({ examples: ['orders'] });

export const ResourceTuple = z.strictObject({
  provider: ProviderName,
  resource: TypeName,
  name: ResourceName,
});

export const ResourceIdPath = z.object({
  resource_id: z
    .string()
    .describe(
      'One of `resource:{provider}_{resource}_{name}`, `{provider}:{resource}:{name}` and `{provider}/{resource}/{name}`, percent-encoded.',
    )
    .meta({ examples: ['resource:postgres_database_orders'] })
    .transform((text, context) => {
      const address = parseResourceAddress(text);
      if (address !== undefined) return address;
      context.issues.push({
        code: 'custom',
        message:
          'Input should be a resource identifier: resource:{provider}_{resource}_{name}, {provider}:{resource}:{name} or {provider}/{resource}/{name}',
        input: text,
      });
      return z.NEVER;
    }),
});
export const ResourceTuplePath = z.object(ResourceTuple.shape);
