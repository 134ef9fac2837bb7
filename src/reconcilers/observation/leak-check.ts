// Finds whether an object is left behind after a CREATE that failed for good, and after a deletion by force: by one observation, and
// nobody has to guess.
import type { Resource } from '../../crds/resource.ts';
import type { DeclaredTypeOptions } from '../../domain/type-options.ts';
import { firstTypeVersion } from '../../domain/type-version.ts';
import { keyFor } from '../../kube/api.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { DeliveryGate } from '../resource/delivery/gate.ts';
import { type AskDeps, askProvider } from './ask.ts';

/** @returns whether the object exists; undefined when nobody can say */
export type LeakCheck = (asked: LeakQuestion) => Promise<boolean | undefined>;

export interface LeakQuestion extends Pick<DeclaredTypeOptions, 'observe' | 'concurrency'> {
  readonly resource: Resource;
  /** Undefined: the namespace belongs to no organization. */
  readonly organizationId: string | undefined;
  /** The config that was sent, with references resolved. */
  readonly config: JsonObject;
}

interface LeakCheckDeps extends AskDeps {
  readonly gate: Pick<DeliveryGate, 'enter'>;
}

/** A failure that is to be recorded waits for it. */
const limitMs = 10_000;

export function createLeakCheck(deps: LeakCheckDeps): LeakCheck {
  return async ({ resource, organizationId, observe, concurrency: limit, config }) => {
    const { metadata, spec, status } = resource;
    const provider = `${metadata.namespace ?? ''}/${spec.provider}`;
    const isAskable = observe === true && organizationId !== undefined;
    if (!isAskable) return undefined;
    const key = `${keyFor(metadata)} leak check`;
    const passage = deps.gate.enter({ key, provider, type: spec.resource, limit });
    // Where it would be one more at a time than the provider allows, nobody can say.
    if (passage.enter !== 'go') return undefined;
    const schemaVersion = status?.event?.typeVersion ?? firstTypeVersion;
    const question = { resource, organizationId, config, schemaVersion, limitMs };
    try {
      const answer = await askProvider(question, deps, AbortSignal.timeout(limitMs));
      return answer?.kind === 'observed' ? answer.exists : undefined;
    } finally {
      passage.lease.release();
    }
  };
}
