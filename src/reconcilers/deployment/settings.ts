// Pure. Computes which settings the pods of a version get.
import type { PodSettings } from '../../providers/workloads/settings-volume.ts';
import { declaredBy } from '../../store/providers/setting-names.ts';
import { isSettingsSecretOf, settingsSecretOf } from '../../store/providers/settings-secret.ts';
import type { Observed } from './observe.ts';

type SettingsSource = Pick<Observed, 'provider' | 'build'>;

/** @returns undefined when the version declares no settings */
export function podSettingsOf({ provider, build }: SettingsSource): PodSettings | undefined {
  const names = declaredBy(build).map(({ name }) => name);
  if (names.length === 0) return undefined;
  const { metadata, spec } = provider;
  const { settings, settingsSecret } = spec;
  return {
    secretName:
      settingsSecret ?? settings?.secret ?? settingsSecretOf(spec.provider, metadata.uid ?? ''),
    names,
    revision: settingsSecret === undefined ? settings?.revision : undefined,
    isForeign: settingsSecret !== undefined,
  };
}

/** @returns the name of a Secret that is not one of the provider's settings, and that its pods must not mount */
export function strangeSecret({ provider }: Pick<SettingsSource, 'provider'>): string | undefined {
  const { provider: name, settings, settingsSecret } = provider.spec;
  if (settings === undefined || settingsSecret !== undefined) return undefined;
  return isSettingsSecretOf(name, settings.secret) ? undefined : settings.secret;
}
