// Defines the request and response of the migration of a config.
import { z } from 'zod';
import { freeForm, TypeVersion } from './core.ts';

export const MigrateRequest = z
  .strictObject({
    from: TypeVersion.describe('Version of the type whose schema `config` fits.'),
    config: freeForm.describe('Configuration in that form. References in it stay as they are.'),
  })
  .meta({ examples: [{ from: 1, config: { size: 3 } }] });

export const Migrated = z
  .object({
    config: freeForm.describe('The configuration in the newest form.'),
    type_version: TypeVersion.describe('The newest version of the type.'),
  })
  .meta({ examples: [{ config: { sizeGib: 3 }, type_version: 2 }] });
