// Asks the version that serves whether it would work with changed settings, before anything is written. A provider that cannot
// say so now keeps nobody from setting values: it checks them when its pods start.
import { InvalidRequest } from '../../domain/errors.ts';
import { settingsRefused } from '../../domain/event.ts';
import type { Organization } from '../../domain/identity.ts';
import type { AskProvider } from '../../domain/providers/provider-request.ts';
import { type Setting, settingText } from '../../domain/schemas/setting-schema.ts';
import { createSecretMask } from '../../domain/secrets/mask-text.ts';
import type { SettingsChange, SettingsRecord } from '../../store/providers/settings.ts';

interface CheckedSettings {
  readonly record: SettingsRecord;
  readonly change: Pick<SettingsChange, 'set' | 'remove'>;
  /** The settings that the wanted version declares. */
  readonly settings: readonly Setting[];
}

/**
 * @returns a function for one request, which asks once for each record that a change is decided on
 * @throws InvalidRequest `settings_refused` with the sentence of the provider, and what `ask` throws
 */
export function createSettingsCheck(
  ask: AskProvider,
  organization: Organization,
  signal: AbortSignal,
): (checked: CheckedSettings) => Promise<void> {
  let asked: string | undefined;
  return async ({ record, change, settings }) => {
    const { provider, version, servingVersion, revision } = record;
    // Another version may declare other settings, and would judge values that are not meant for it.
    if (version === undefined || version !== servingVersion) return;
    const present = `${version} ${revision}`;
    if (asked === present) return;
    asked = present;
    const values = settingsAfter(record, change, settings);
    const reply = await ask(organization, { event_type: 'CHECK', provider, ...values }, signal);
    if (reply.kind === 'refused') throw settingsRefusal(reply.message, change);
  };
}

function settingsRefusal(message: string, { set }: CheckedSettings['change']): InvalidRequest {
  const secrets = set.filter(({ sensitive }) => sensitive).map(({ text }) => text);
  const violation = {
    loc: ['body', 'values'],
    msg: createSecretMask(secrets).text(message),
    type: settingsRefused,
  };
  return new InvalidRequest([violation], { code: settingsRefused });
}

/**
 * Pure. @returns the values of a change as they would be, in the stored form: those that the API knows, and the names of secret
 * ones that stay, which only the pods know
 */
export function settingsAfter(
  { entries, values }: Pick<SettingsRecord, 'entries' | 'values'>,
  { set, remove }: CheckedSettings['change'],
  settings: readonly Setting[],
): { settings: Readonly<Record<string, string>>; unchanged: readonly string[] } {
  const changed = new Map(set.map(({ name, text }) => [name, text]));
  const kept = new Set(entries.map(({ name }) => name).filter((name) => !remove.includes(name)));
  const known: Record<string, string> = {};
  const unchanged: string[] = [];
  for (const setting of settings) {
    const { name } = setting;
    const text = changed.get(name);
    const value = values[name];
    if (text !== undefined) known[name] = text;
    else if (!kept.has(name)) continue;
    else if (value === undefined || setting.isSensitive) unchanged.push(name);
    else known[name] = settingText(setting, value);
  }
  return { settings: known, unchanged };
}
