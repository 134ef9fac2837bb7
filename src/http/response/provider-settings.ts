// Maps the settings of a provider to response bodies. Sensitive values are not there to be shown.
import type { z } from 'zod';
import type { ProviderSettings } from '../../api/schemas/provider-settings.ts';
import { shownName } from '../../domain/actor.ts';
import type { Setting } from '../../domain/schemas/setting-schema.ts';
import type { SettingEntry, SettingsRecord } from '../../store/providers/settings.ts';

type ProviderSettingsBody = z.input<typeof ProviderSettings>;

export function presentSettings(
  record: SettingsRecord,
  { version, settings }: { version: string; settings: readonly Setting[] },
): ProviderSettingsBody {
  const isOurs = record.secret === undefined;
  const entries = new Map(record.entries.map((entry) => [entry.name, entry]));
  const names = new Set(settings.map(({ name }) => name));
  const shown = [
    ...settings.map((setting) => presentSetting(record, setting, entries.get(setting.name))),
    ...record.entries
      .filter(({ name }) => !names.has(name))
      .map((entry) => presentSetting(record, { ...undeclared, ...entry }, entry)),
  ];
  return {
    provider: record.provider,
    version,
    revision: record.revision ?? null,
    secret: record.secret ?? null,
    settings: isOurs ? shown : shown.map((each) => ({ ...each, ...unknown })),
    missing: isOurs
      ? shown.filter(({ required, is_set }) => required && !is_set).map(({ name }) => name)
      : [],
  };
}

/** Fairlead has no right to look into a Secret that others keep. */
const unknown = { is_set: null, value: null, set_at: null, set_by: null };
const undeclared = { schema: null, description: '', isRequired: false, isSensitive: false };

type ShownSetting = Pick<Setting, 'name' | 'description' | 'isRequired' | 'isSensitive'> & {
  readonly schema: Setting['schema'] | null;
};

function presentSetting(
  { values }: SettingsRecord,
  { name, description, schema, isRequired, isSensitive }: ShownSetting,
  entry: SettingEntry | undefined,
): ProviderSettingsBody['settings'][number] {
  const setter = shownName(entry?.setBy, entry?.setByName);
  const sensitive = isSensitive || entry?.sensitive === true;
  return {
    name,
    description,
    schema,
    required: isRequired,
    sensitive,
    is_set: entry !== undefined,
    value: sensitive || entry === undefined ? null : (values[name] ?? null),
    set_at: entry === undefined ? null : new Date(entry.setAt).toISOString(),
    set_by: entry?.setBy ?? null,
    ...(setter === undefined ? {} : { set_by_name: setter }),
  };
}
