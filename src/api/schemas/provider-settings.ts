// Defines the requests and responses for the settings of providers.
import { z } from 'zod';
import { settingNamePattern } from '../../domain/schemas/setting-schema.ts';
import { freeForm, NameOfSubject, ProviderName, Timestamp } from './core.ts';
import { dryRun } from './dry-run.ts';
import { Version } from './providers.ts';

const SettingName = z
  .string()
  .max(63)
  .regex(
    settingNamePattern,
    'Input should be a letter, then letters, digits and _ . -, such as url',
  )
  .describe('Name of a setting, as the provider declares it.')
  .meta({ examples: ['url'] });

export const SettingPath = z.object({ provider: ProviderName, setting: SettingName });
export const SettingsQuery = z.object(dryRun);

export const SettingsRequest = z
  .strictObject({ values: freeForm.describe('Values by the names of their settings.') })
  .meta({
    examples: [
      { values: { region: 'eu-central-1', url: 'postgresql://admin:secret@db/postgres' } },
    ],
  });

const Setting = z.object({
  name: SettingName,
  description: z.string().describe('Purpose of the setting; may be empty.'),
  schema: freeForm
    .nullable()
    .describe(
      'JSON Schema of the value. Null for a value that the version does not declare any more.',
    ),
  required: z.boolean().describe('Whether the version cannot run without it.'),
  sensitive: z.boolean().describe('Whether the value is never shown.'),
  is_set: z
    .boolean()
    .nullable()
    .describe('Whether the setting has a value. Null when Fairlead does not keep the values.'),
  value: z.unknown().describe('Value of a setting that is not sensitive; otherwise null.'),
  set_at: Timestamp.nullable().describe('Time at which the value was set.'),
  set_by: z.string().nullable().describe('Subject that set the value.'),
  set_by_name: NameOfSubject,
});

export const ProviderSettings = z
  .object({
    provider: ProviderName,
    version: Version.nullable().describe(
      'Version that declares the settings: the deployed one, otherwise the newest successful build.',
    ),
    revision: z.string().nullable().describe('Changes with every write. Null before the first.'),
    secret: z
      .string()
      .nullable()
      .describe(
        'Name of the Secret with the values, when an administrator of the cluster keeps them; otherwise null.',
      ),
    settings: z.array(Setting),
    missing: z.array(z.string()).describe('Names of required settings without a value.'),
  })
  .meta({
    examples: [
      {
        provider: 'postgres',
        version: '20260131.120000',
        revision: '0d9f6c9a-5b4e-4f0a-9f6e-2f1f5f3f0c11',
        secret: null,
        settings: [
          {
            name: 'url',
            description: 'URL of a superuser',
            schema: { type: 'string', sensitive: true },
            required: true,
            sensitive: true,
            is_set: true,
            value: null,
            set_at: '2026-01-31T12:00:00.000Z',
            set_by: 'ann',
          },
        ],
        missing: [],
      },
    ],
  });
