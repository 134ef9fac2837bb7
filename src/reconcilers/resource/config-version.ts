// Pure. The versions of its type that a config and outputs have: for a claim, a success and messages.
import { firstTypeVersion, storedVersion } from '../../domain/type-version.ts';
import { declaredHashOf } from '../../store/resources/content.ts';
import type { UnrecordedAnswer } from './delivery/unrecorded-answers.ts';
import type { Observed } from './observe.ts';
import type { Situation } from './situation.ts';

/** @returns what a claim records about the version: the first one is that of a claim that names none */
export function claimedVersion({ resource, configVersion }: Situation) {
  const version = storedVersion(configVersion);
  const declared = declaredHashOf(resource.spec);
  return version === undefined ? { declared } : { declared, typeVersion: version };
}

/** The versions of what a success stores; the first one is absent, and removes what was there. */
export interface ContentVersions {
  readonly appliedTypeVersion: number | undefined;
  readonly outputsTypeVersion: number | undefined;
}

export const firstVersions: ContentVersions = {
  appliedTypeVersion: undefined,
  outputsTypeVersion: undefined,
};

/** Outputs have the version of the type that served, unless the provider names another one. */
export function contentVersions({
  answer,
  schemaVersion,
  typeVersion,
}: UnrecordedAnswer<'succeeded'>): ContentVersions {
  return {
    appliedTypeVersion: storedVersion(schemaVersion),
    outputsTypeVersion: storedVersion(answer.outputsTypeVersion ?? typeVersion),
  };
}

/** @returns a sentence about why another version than that of the config decides; nothing when none does */
export function versionInWords({
  resource: { spec, status },
  typeVersion: serving,
  judgedVersion,
}: Pick<Observed, 'resource' | 'typeVersion' | 'judgedVersion'>): string {
  const version = status?.event?.typeVersion ?? firstTypeVersion;
  if (judgedVersion === undefined || judgedVersion === version) return '';
  const type = `type ${spec.provider}/${spec.resource}`;
  const fitting = `apply a config that fits version ${serving}`;
  return version > serving
    ? `. The config has version ${version} of ${type}, and version ${serving} serves: deploy a version of the provider that has version ${version}, or ${fitting}`
    : `. The config has version ${version} of ${type}, from which version ${serving} does not migrate: ${fitting}`;
}
