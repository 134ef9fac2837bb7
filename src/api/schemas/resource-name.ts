// Defines the name of a resource.
import { z } from 'zod';
import { namePattern } from '../../domain/identity.ts';

export const ResourceName = z
  .string()
  .max(200)
  .regex(namePattern)
  .describe('Name of the resource within its type.')
  .meta({ examples: ['orders'] });
