// Which values of a config are secret because they are secret outputs of other resources. Pure.
import { atPointer, type JsonObject, type JsonValue, pointer } from '../../lib/json.ts';
import { slashed } from '../identity.ts';
import type { Dependency } from '../lifecycle.ts';
import { referencesIn } from '../references/references.ts';
import { textsIn } from './marks.ts';
import { bounded, type ReceivedSecrets, type Stored, withoutSecrets } from './resource-secrets.ts';
import type { TypeSchemas } from './type-schemas.ts';

/** The outputs of a resource, and which of them are secret. */
export interface OutputSecrets {
  readonly outputs: JsonObject;
  /** JSON Pointers in the outputs; the empty one stands for all. */
  readonly places: readonly string[];
}

/** @returns what viewers do not see of the outputs of a resource */
export function outputSecrets(resource: Stored, schemas: TypeSchemas | undefined): OutputSecrets {
  const { masked } = withoutSecrets(resource, schemas);
  const root = '/outputs';
  const places = masked.filter((path) => path === root || path.startsWith(`${root}/`));
  return { outputs: resource.outputs, places: places.map((path) => path.slice(root.length)) };
}

/**
 * @param secretsOf the secrets of a resource that the config refers to; undefined when it has no outputs
 * @returns the places and texts of secret outputs in the config once its references are resolved
 */
export function receivedSecrets(
  config: JsonObject,
  secretsOf: (dependency: Dependency) => OutputSecrets | undefined,
): ReceivedSecrets {
  const places = new Set<string>();
  const texts = new Set<string>();
  for (const { place, value } of insertedSecrets(config, secretsOf)) {
    places.add(place);
    for (const text of textsIn(value)) texts.add(text);
  }
  return { places: bounded([...places]), texts: [...texts] };
}

function* insertedSecrets(
  config: JsonObject,
  secretsOf: (dependency: Dependency) => OutputSecrets | undefined,
): Iterable<{ readonly place: string; readonly value: JsonValue }> {
  const references = referencesIn(config);
  const used = new Map(references.map(({ to }) => [slashed(to), to]));
  const secrets = new Map([...used].map(([name, to]) => [name, secretsOf(to)]));
  for (const { to, path, at } of references) {
    const { places = [], outputs } = secrets.get(slashed(to)) ?? {};
    const inserted = path.reduce(pointer, '');
    const target = at.map(String).reduce(pointer, '');
    for (const secret of places.filter((each) => overlap(inserted, each))) {
      const below = secret.slice(inserted.length);
      const value = atPointer(outputs, `${inserted}${below}`) ?? null;
      yield { place: `${target}${below}`, value };
    }
  }
}

/** Of two places, one may be in the other. */
function overlap(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
}
