// Pure. Which version of a type an apply means, what refuses it, and what warns about it.
import { InvalidRequest } from '../../domain/errors.ts';
import { typeName } from '../../domain/identity.ts';
import type { FittingVersion } from '../../domain/schemas/fitting-version.ts';
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

const maxNamed = 5;

/** @returns what a request learns whose config has an earlier version, and names none */
export function acceptedAs(type: VersionedDefinition, { version, keeps }: FittingVersion): string {
  const accepted = `The config is accepted as version ${version} of type ${typeName(type)}`;
  if (keeps.length === 0) {
    return `${accepted}, and the newest is ${type.typeVersion}. Rewrite it with fairlead migrate -f FILE`;
  }
  const named = keeps.slice(0, maxNamed).map((path) => path.join('.'));
  const listed = [...named, ...(keeps.length > maxNamed ? ['…'] : [])].join(', ');
  return `${accepted}: a newer version has another default of ${listed}, which cannot change once the resource exists. Declare it to use version ${type.typeVersion}`;
}

/** @param version that the request gives. @returns what a request learns that gives an earlier version */
export function earlierVersion(
  type: VersionedDefinition | undefined,
  version: number | undefined,
): string | undefined {
  if (type === undefined || version === undefined || version >= type.typeVersion) return undefined;
  return `Version ${version} of type ${typeName(type)} is an earlier one; the newest is ${type.typeVersion}`;
}
