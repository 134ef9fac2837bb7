// Compares what a handler observed with a declared config, as Fairlead does.
import { type Comparison, compare } from '../../domain/observation/compare.ts';
import { appliedSecretPlaces } from '../../domain/secrets/resource-secrets.ts';
import { configOnly } from '../../domain/secrets/type-schemas.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { ResourceType } from '../provider.ts';
import { registrationOf } from './contract/schemas.ts';

interface Values {
  /** As people write it. */
  readonly declared: JsonObject;
  readonly actual: JsonObject;
}

export function compared(type: ResourceType, { declared, actual }: Values): Comparison {
  const provider = { name: 'testing', types: new Map([[type.name, type]]) };
  const schema = registrationOf(provider, type.name)?.schema;
  const places = (value: JsonObject) =>
    appliedSecretPlaces({ declared: [], applied: [] }, configOnly(schema ?? {}), value);
  const secrets = [...places(declared), ...places(actual)];
  return compare({ declared, actual, schema, secrets, ignore: [] });
}
