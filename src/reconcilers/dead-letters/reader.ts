// Parses cached ConfigMaps as dead letters once per version, and relates them to their resources once per version of both:
// each needs a fingerprint of its text and a hash of its spec, and passes over thousands are frequent.
import type { Resource } from '../../crds/resource.ts';
import { inTimeSlices } from '../../lib/turns.ts';
import {
  type DeadLetterObject,
  fromConfigMap,
  type StoredDeadLetter,
} from '../../store/dead-letters/object.ts';
import { type DeadLetterState, deadLetterState } from '../../store/dead-letters/state.ts';

export interface DeadLetterReader {
  /** @returns undefined when the object is not a dead letter */
  read(object: DeadLetterObject): StoredDeadLetter | undefined;
  state(deadLetter: StoredDeadLetter, resource: Resource | undefined): DeadLetterState;
  /** Parses many ahead, and yields to the event loop in between. */
  readAhead(objects: Iterable<DeadLetterObject>): Promise<void>;
}

export function createDeadLetterReader(): DeadLetterReader {
  const known = new WeakMap<
    DeadLetterObject,
    { readonly deadLetter: StoredDeadLetter | undefined }
  >();
  const seen = new WeakMap<
    StoredDeadLetter,
    { resource: Resource | undefined; state: DeadLetterState }
  >();

  function read(object: DeadLetterObject): StoredDeadLetter | undefined {
    const found = known.get(object) ?? { deadLetter: fromConfigMap(object) };
    known.set(object, found);
    return found.deadLetter;
  }

  return {
    read,
    state(deadLetter, resource) {
      const before = seen.get(deadLetter);
      if (before !== undefined && before.resource === resource) return before.state;
      const state = deadLetterState(deadLetter, resource);
      seen.set(deadLetter, { resource, state });
      return state;
    },
    readAhead: (objects) => inTimeSlices(objects, read),
  };
}

/** Removes the largest part, which is only read individually. */
export function withoutPayload(object: DeadLetterObject): DeadLetterObject {
  const { payload: _payload, ...data } = object.data ?? {};
  return { ...object, data };
}
