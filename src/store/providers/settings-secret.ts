// Names the Secret with the settings of a provider.
import { sha256Hex } from '../../domain/identity.ts';

/** Returns whether a Secret is one that Fairlead makes for the settings of a provider, and not one of somebody else. */
export function isSettingsSecretOf(provider: string, name: string): boolean {
  return name.startsWith(`provider-${provider}-settings-`);
}

/** Unique to the Provider object: the Secret of a deleted one of the same name exists until it is collected. */
export function settingsSecretOf(provider: string, uid: string): string {
  return `provider-${provider}-settings-${sha256Hex(uid).slice(0, 8)}`;
}
