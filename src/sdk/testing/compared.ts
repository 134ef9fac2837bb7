// Compares what a handler observed with a declared config, as Fairlead does.
import { compare, type ValueComparison } from '../../domain/observation/compare.ts';
import { withDefaults } from '../../domain/schemas/declared.ts';
import { marksOf, walk } from '../../domain/secrets/marks.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { ResourceType } from '../provider.ts';
import { registrationOf } from './contract/schemas.ts';

interface ComparedConfigs {
  /** As people write it. */
  readonly declared: JsonObject;
  readonly actual: JsonObject;
}

export function compared(
  type: ResourceType,
  { declared: given, actual }: ComparedConfigs,
): ValueComparison {
  const provider = { name: 'testing', types: new Map([[type.name, type]]) };
  const schema = registrationOf(provider, type.name)?.schema;
  const declared = type.compareDefaults === true ? withDefaults({ config: given, schema }) : given;
  const secrets: string[] = [];
  for (const value of [declared, actual]) {
    walk(marksOf(schema ?? {}), value, (secret, path) => {
      secrets.push(path);
      return secret;
    });
  }
  return compare({ declared, actual, schema, secrets, ignore: [] });
}
