// The configs with which a type is checked.
import type { Provider, ResourceType } from '../provider.ts';
import { registrationsOf } from '../registrations.ts';
import { type Findings, shown } from './findings.ts';

export interface TypeCase<Config = object> {
  /** The configuration as a user would send it; fields with defaults are optional. */
  readonly config: Config;
  /** Another configuration for the same resource, if the type can be changed. */
  readonly changed?: Config;
}

export function unknownType({ types }: Provider, name: string): string {
  const known = [...types.keys()].join(', ') || 'none';
  return `type: expected one of ${known}, saw "${name}"`;
}

/** @returns whether Fairlead would accept the configs */
export function isUsable(
  provider: Provider,
  type: ResourceType,
  { given: { config, changed }, found }: { given: TypeCase; found: Findings },
): boolean {
  try {
    registrationsOf({ ...provider, types: new Map([[type.name, type]]) });
  } catch (thrown) {
    found.add(`schema: expected JSON Schemas, saw that ${shown(thrown)}`, thrown);
  }
  const results = Object.entries({ config, changed }).map(([what, value]) => {
    const parsed = value === undefined ? undefined : type.config.safeParse(value);
    if (parsed === undefined || parsed.success) return true;
    found.add(`${what}: expected a value that matches the schema, saw ${shown(parsed.error)}`);
    return false;
  });
  return results.every((fits) => fits);
}
