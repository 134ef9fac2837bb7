// Which values of a config are secret because they are secret outputs of other resources. Pure.

import { type Budget, createBudget, stepsForMany } from '../../lib/budget.ts';
import { atPointer, type JsonObject, type JsonValue, pathsBelow, pointer } from '../../lib/json.ts';
import { slashed } from '../identity.ts';
import type { Dependency } from '../lifecycle.ts';
import { type Reference, referencesIn } from '../references/references.ts';
import { textsIn } from './marks.ts';
import {
  boundedPlaces,
  maxRecorded,
  type ReceivedSecrets,
  type StoredContents,
  withoutSecrets,
} from './resource-secrets.ts';
import type { TypeSchemas } from './type-schemas.ts';

/** The outputs of a resource, and which of them are secret. */
export interface OutputSecrets {
  readonly outputs: JsonObject;
  /** JSON Pointers in the outputs; the empty one stands for all. */
  readonly places: readonly string[];
}

/** @returns what viewers do not see of the outputs of a resource */
export function outputSecrets(
  resource: StoredContents,
  schemas: TypeSchemas | undefined,
  budget = createBudget(),
): OutputSecrets {
  const { masked } = withoutSecrets(resource, schemas, budget);
  return { outputs: resource.outputs, places: pathsBelow('/outputs', masked) };
}

/**
 * @param secretsOf the secrets of a resource that the config refers to; undefined when it has no outputs
 * @returns the places and texts of secret outputs in the config once its references are resolved
 */
export function receivedSecrets(
  config: JsonObject,
  secretsOf: (dependency: Dependency, budget: Budget) => OutputSecrets | undefined,
): ReceivedSecrets {
  const budget = createBudget(stepsForMany);
  const places = new Set<string>();
  const texts = new Set<string>();
  const secretsBelow = inserting(
    (to) => secretsOf(to, budget),
    (value) => {
      for (const text of textsIn(value)) texts.add(text);
    },
  );
  for (const reference of referencesIn(config)) {
    const below = secretsBelow(reference);
    if (below.length === 0 || places.size > maxRecorded) continue;
    const target = reference.at.map(String).reduce(pointer, '');
    for (const each of below) places.add(`${target}${each}`);
  }
  return { places: boundedPlaces([...places]), texts: [...texts] };
}

/**
 * @param found is called with each secret text or number, once for each place in the outputs
 * @returns what finds the JSON Pointers of secrets in the value of a reference; the empty one stands for all of it. A config may
 * have thousands of references to the same outputs.
 */
function inserting(
  secretsOf: (dependency: Dependency) => OutputSecrets | undefined,
  found: (value: JsonValue) => void,
): (reference: Reference) => readonly string[] {
  const seen = new Set<JsonValue>();
  function visit(value: JsonValue): void {
    if (typeof value !== 'object' || value === null) {
      found(value);
      return;
    }
    if (seen.has(value)) return;
    seen.add(value);
    for (const member of Object.values(value)) visit(member);
  }

  const resources = new Map<string, ReceivedSecretOutputs>();
  const known = new Map<string, readonly string[]>();
  return ({ to, path, text }) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const name = slashed(to);
    const { outputs, below } = resources.get(name) ?? secretOutputs(secretsOf(to));
    resources.set(name, { outputs, below });
    const rests = below(path);
    const inserted = path.reduce(pointer, '');
    for (const rest of rests) visit(atPointer(outputs, `${inserted}${rest}`) ?? null);
    known.set(text, rests);
    return rests;
  };
}

interface ReceivedSecretOutputs {
  readonly outputs: JsonObject;
  /** @returns the rest of each secret place below a path; the empty one where the path is at such a place, or in it */
  below(path: readonly string[]): readonly string[];
}

function secretOutputs(
  { outputs, places }: OutputSecrets = { outputs: {}, places: [] },
): ReceivedSecretOutputs {
  const secret = new Set(places);
  /** By the place itself and each one around it. */
  const rests = new Map<string, string[]>();
  for (const place of places) {
    for (let end = place.length; end >= 0; end = place.slice(0, end).lastIndexOf('/')) {
      const around = rests.get(place.slice(0, end)) ?? [];
      around.push(place.slice(end));
      rests.set(place.slice(0, end), around);
    }
  }
  return {
    outputs,
    below(path) {
      let at = '';
      for (const name of path) {
        if (secret.has(at)) return [''];
        if (!rests.has(at)) return [];
        at = pointer(at, name);
      }
      return secret.has(at) ? [''] : (rests.get(at) ?? []);
    },
  };
}
