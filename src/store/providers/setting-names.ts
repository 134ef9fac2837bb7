// Computes which settings of a provider are missing, and which were changed last. Pure.
import type { Build } from '../../crds/build.ts';
import { findCondition } from '../../crds/conditions.ts';
import type { Provider } from '../../crds/provider.ts';
import { type Setting, settingsIn } from '../../domain/schemas/setting-schema.ts';
import type { JsonObject } from '../../lib/json.ts';

/** @returns the settings that the code of a build declares */
export function declaredBy(build: Build | undefined): readonly Setting[] {
  return settingsIn(build?.status?.settings as JsonObject | undefined);
}

/** @returns names of required settings without a value; none when others keep the values, which the pods then check */
export function missingSettings({
  provider,
  build,
}: {
  readonly provider: Provider;
  readonly build: Build | undefined;
}): readonly string[] {
  const { settings, settingsSecret } = provider.spec;
  if (settingsSecret !== undefined) return [];
  const set = new Set(settings?.entries.map(({ name }) => name));
  return declaredBy(build)
    .filter(({ name, isRequired }) => isRequired && !set.has(name))
    .map(({ name }) => name);
}

/** A change of settings makes the provider unready within seconds, and clocks differ by some. */
const slackMs = 60_000;

/** @returns names of the settings that were set after the wanted version had taken over, and with which it was never ready */
export function settingsSetSince({ spec, status }: Provider): readonly string[] {
  const { deployedVersion, deployedAt, conditions } = status ?? {};
  if (deployedAt === undefined || deployedVersion !== spec.version) return [];
  const ready = findCondition(conditions, 'Ready');
  const unreadySince = ready?.status === 'False' ? Date.parse(ready.lastTransitionTime) : 0;
  const since = Math.max(Date.parse(deployedAt), unreadySince - slackMs);
  const entries = spec.settings?.entries ?? [];
  return entries.filter(({ setAt }) => Date.parse(setAt) > since).map(({ name }) => name);
}
