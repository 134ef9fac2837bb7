// The gate before a delivery: named limits, each of which an event passes in order, and one lease for what it took of them. An event that
// a limit queues gives back what it took before, and its key is handed out once it may pass.
import type { Key } from '../../../kube/api.ts';

/** An event of a provider that is due. */
export interface DeliveryRequest {
  readonly key: Key;
  /** `namespace/name`. */
  readonly provider: Key;
  readonly type: string;
  /** Events of the type at a time, as it declares; undefined without a limit. */
  readonly limit: number | undefined;
  /** Unique to this attempt. */
  readonly attempt?: string;
  /** A forced deletion waits for no declared limit, and for no wait that the provider requests. */
  readonly isForced?: boolean;
  /** Its handler may run for long, or is cancelled by a deletion. */
  readonly isLong?: boolean;
  /** It may end the process. */
  readonly isSuspect?: boolean;
}

/** The result of a delivery for its provider. `nothing`: it was aborted here. */
export type DeliveryOutcome<Silence> =
  | 'answered'
  | 'nothing'
  /** No answer at all. */
  | { readonly silence: Silence }
  /** Answered with the wish to wait so long with everything. */
  | { readonly holdMs: number };

export type NoPassage<Silence> =
  /** The key is handed out once there is a place. */
  | { readonly enter: 'queued' }
  /** There is no place, and the key waits in no line. */
  | { readonly enter: 'busy' }
  /** Another event tried the provider meanwhile without an answer: its result applies to this attempt, too. */
  | { readonly enter: 'refused'; readonly silence: Silence };

export type LimitEntry<Silence = never> =
  | { readonly enter: 'go' }
  /** The limit takes no place for it. */
  | { readonly enter: 'free' }
  | NoPassage<Silence>;

export interface DeliveryLimit<Silence = never> {
  enter(request: DeliveryRequest): LimitEntry<Silence>;
  /** Gives back the place of a request that entered. */
  leave(request: DeliveryRequest, outcome: DeliveryOutcome<Silence>): void;
  /** The place of a key, or the one in its line, is not wanted any more. */
  forget?(request: DeliveryRequest): void;
  /** The provider works on an event. */
  alive?(provider: Key): void;
  /** A key that waits for a later limit keeps its place: others could not pass either. */
  readonly isKept?: true;
}

/** The places that a delivery has taken. */
export interface DeliveryLease<Silence> {
  /** The provider works on the event: it is not down, although its answer may take long. */
  alive(): void;
  /** Records what the delivery shows about its provider; `nothing` until then. */
  ended(outcome: DeliveryOutcome<Silence>): void;
  release(): void;
}

export type Passage<Silence> =
  | { readonly enter: 'go'; readonly lease: DeliveryLease<Silence> }
  | NoPassage<Silence>;

export interface DeliveryGate<Silence = never> {
  enter(request: DeliveryRequest): Passage<Silence>;
  /** Gives back what a key keeps while it waits. Call it when its event is not due any more. */
  forget(key: Key): void;
}

/** @param limits in the order in which they are passed */
export function createGate<Silence>(
  limits: Readonly<Record<string, DeliveryLimit<Silence>>>,
): DeliveryGate<Silence> {
  const all = Object.values(limits);
  const waiting = new Map<Key, DeliveryRequest>();

  function leaseOf(
    request: DeliveryRequest,
    entered: readonly DeliveryLimit<Silence>[],
  ): DeliveryLease<Silence> {
    let outcome: DeliveryOutcome<Silence> = 'nothing';
    return {
      alive() {
        for (const limit of all) limit.alive?.(request.provider);
      },
      ended(shown) {
        outcome = shown;
      },
      release() {
        for (const limit of entered.toReversed()) limit.leave(request, outcome);
      },
    };
  }

  function giveBack(
    request: DeliveryRequest,
    entered: readonly DeliveryLimit<Silence>[],
    isKept: boolean,
  ): void {
    for (const limit of entered.toReversed()) {
      if (!(isKept && limit.isKept)) limit.leave(request, 'nothing');
    }
    if (isKept) waiting.set(request.key, request);
  }

  return {
    enter(request) {
      waiting.delete(request.key);
      const entered: DeliveryLimit<Silence>[] = [];
      for (const [at, limit] of all.entries()) {
        const entry = limit.enter(request);
        switch (entry.enter) {
          case 'free':
            break;
          case 'go':
            entered.push(limit);
            break;
          case 'queued':
            for (const later of all.slice(at + 1)) later.forget?.(request);
            giveBack(request, entered, true);
            return entry;
          case 'busy':
          case 'refused':
            giveBack(request, entered, false);
            return entry;
        }
      }
      return { enter: 'go', lease: leaseOf(request, entered) };
    },
    forget(key) {
      const request = waiting.get(key);
      if (request === undefined) return;
      waiting.delete(key);
      for (const limit of all) limit.forget?.(request);
    },
  };
}
