// Pure. Rules about a config that changes what cannot change. Over HTTP an apply is refused; kubectl can write it, and an output that
// the config refers to can change. Nothing is sent then, and no dead letter is written.
import { referencesIn } from '../../domain/references/references.ts';
import type { FieldPath } from '../../domain/schemas/immutable-fields.ts';
import type { JsonObject } from '../../lib/json.ts';
import { isPaused } from '../../store/resources/options.ts';
import { replacementDue } from '../../store/resources/state.ts';
import type { Decision, Situation } from './situation.ts';

/** Before an event is claimed. */
export function refuseImmutableChange(situation: Situation): Decision | undefined {
  const { changedImmutables, resolution } = situation;
  if (changedImmutables.length === 0 || replacementDue(situation.resource) !== undefined)
    return undefined;
  return { do: 'refuse', message: changedInWords(situation), references: resolution.hash };
}

/** A settled resource is refused when an output has another value now, once for each value. */
export function refuseImmutableOutput(situation: Situation): Decision | undefined {
  const { resource, resolution, unready, changedImmutables } = situation;
  const { status, spec } = resource;
  // The replacement that failed was to change it, and runs again with the other output.
  if (replacementDue(resource) !== undefined) return undefined;
  const unclear = unready.length > 0 || resolution.unresolved.length > 0 || isPaused(spec);
  if (unclear || changedImmutables.length === 0 || status?.references === resolution.hash) {
    return undefined;
  }
  return { do: 'refuse', message: changedInWords(situation), references: resolution.hash };
}

function changedInWords({ resource, changedImmutables }: Situation): string {
  const config = resource.spec.config as JsonObject;
  const references = [...referencesIn(config)];
  const named = changedImmutables.map((path) => {
    const field = ['config', ...path].join('.');
    const used = references.filter(({ at }) => startsWith(at.map(String), path));
    if (used.length === 0) return field;
    return `${field}, which refers to ${[...new Set(used.map(({ text }) => text))].join(', ')},`;
  });
  const [what, it] = named.length === 1 ? ['has', 'the value'] : ['have', 'the values'];
  return `${named.join('; ')} ${what} another value than what exists, and cannot change. Restore ${it}, or request a replacement: apply with replace=true, or raise spec.replace`;
}

function startsWith(path: FieldPath, beginning: FieldPath): boolean {
  return beginning.every((name, index) => path[index] === name);
}
