// Pure. Which version of a type an apply means, what refuses it, and what warns about it.
import { InvalidRequest, type Violation } from '../../domain/errors.ts';
import { typeName } from '../../domain/identity.ts';
import { acceptedVersions } from '../../domain/type-version.ts';
import type { WantedVersion } from '../../store/interfaces.ts';
import type { DefinitionRecord } from '../../store/records.ts';

type VersionedDefinition = Pick<
  DefinitionRecord,
  'provider' | 'resource' | 'typeVersion' | 'earlierVersions'
>;

/** @returns the version by whose schema a config is validated; an error when the type does not accept the given one */
export function versionFor(
  type: VersionedDefinition,
  { given, kept }: WantedVersion,
): number | InvalidRequest {
  const accepted = acceptedVersions(type);
  if (given === undefined) {
    return kept !== undefined && accepted.includes(kept) ? kept : type.typeVersion;
  }
  if (accepted.includes(given)) return given;
  const [newest, ...earlier] = accepted;
  const listed = [...earlier.reverse(), `${newest}, the newest`].join(', ');
  const msg = `Type ${typeName(type)} does not accept version ${given}; it accepts ${listed}`;
  const violation = { loc: ['body', 'type_version'], msg, type: 'value_error', input: given };
  return new InvalidRequest([violation]);
}

/** @returns what a request learns whose config fits an earlier version instead of the newest */
export function fitsEarlier(type: VersionedDefinition, version: number): Violation {
  const msg = `The config fits version ${version} of type ${typeName(type)}, and version ${type.typeVersion} is the newest. Rewrite it with fairlead migrate -f FILE, or apply it with type_version: ${version}`;
  return { loc: ['body', 'type_version'], msg, type: 'value_error' };
}

/** @param version that the request gives. @returns what a request learns that gives an earlier version */
export function earlierVersion(
  type: VersionedDefinition | undefined,
  version: number | undefined,
): string | undefined {
  if (type === undefined || version === undefined || version >= type.typeVersion) return undefined;
  return `Version ${version} of type ${typeName(type)} is an earlier one; the newest is ${type.typeVersion}`;
}
