// Finds a type by the name that a person wrote.
import type { ResourceDefinition } from '../../api/shapes.ts';
import { typeName } from '../../domain/identity.ts';
import { nearest } from '../../lib/nearest.ts';
import { notFound } from '../session/meant.ts';
import { usageError } from '../terminal/errors/cli-error.ts';

/** @throws CliError with the type that was perhaps meant */
export function typeNamed(types: readonly ResourceDefinition[], name: string): ResourceDefinition {
  const type = types.find((each) => typeName(each) === name);
  if (type !== undefined) return type;
  if (!/^[^/]+\/[^/]+$/.test(name))
    throw usageError(`"${name}" names no type: write PROVIDER/TYPE.`);
  throw notFound(`The type ${name} is not registered.`, {
    meant: nearest(name, types.map(typeName)),
    otherwise: 'The types that are: fairlead type list',
  });
}
