// Finds whether an object is left behind after a CREATE that failed for good, and after a deletion by force: by one observation, and
// nobody has to guess.
import type { Resource } from '../../crds/resource.ts';
import type { DeclaredTypeOptions } from '../../domain/type-options.ts';
import { firstTypeVersion } from '../../domain/type-version.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Turns } from '../resource/delivery/turns.ts';
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
  readonly turns: Pick<Turns, 'enterIfFree' | 'leave'>;
  /** Returns whether the provider answers, and has a slot that no event needs. */
  readonly hasSpare: (provider: string) => boolean;
}

/** A failure that is to be recorded waits for it. */
const limitMs = 10_000;

export function createLeakCheck(deps: LeakCheckDeps): LeakCheck {
  return async ({ resource, organizationId, observe, concurrency: limit, config }) => {
    const { metadata, spec, status } = resource;
    const provider = `${metadata.namespace ?? ''}/${spec.provider}`;
    const isAskable = observe === true && organizationId !== undefined;
    if (!isAskable || !deps.hasSpare(provider)) return undefined;
    // Where it would be one more at a time than the provider allows, nobody can say.
    const turn = `${metadata.namespace ?? ''}/${metadata.name} leak check`;
    const request = { provider, type: spec.resource, limit, isForced: false };
    if (!deps.turns.enterIfFree(turn, request)) return undefined;
    const schemaVersion = status?.event?.typeVersion ?? firstTypeVersion;
    const question = { resource, organizationId, config, schemaVersion, limitMs };
    try {
      const answer = await askProvider(question, deps, AbortSignal.timeout(limitMs));
      return answer?.kind === 'observed' ? answer.exists : undefined;
    } finally {
      deps.turns.leave(turn);
    }
  };
}
