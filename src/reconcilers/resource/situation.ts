// The decisions about a Resource and their input. The rules share these types.

import type { ClaimedEvent } from '../../crds/claimed-event.ts';
import type { Reason } from '../../crds/conditions.ts';
import type { RetryPolicy } from '../../domain/retry.ts';
import type { RuleOf } from '../../lib/first-match.ts';
import type { Receipt } from '../../store/dead-letters/orphan-receipts.ts';
import type { AnswerOf, UnrecordedAnswer } from './delivery/unrecorded-answers.ts';
import type { WaitAsked } from './hold.ts';
import type { Observed } from './observe.ts';

export type Decision =
  | { readonly do: 'nothing' }
  /** Record that the content cannot be sent: only another content, or another request, can change that. */
  | {
      readonly do: 'refuse';
      readonly message: string;
      /** Hash of the outputs of other resources in the refused content. */
      readonly references: string | undefined;
    }
  /** Record in the status why nothing happens; `stalled`: only a person can change that. */
  | {
      readonly do: 'explain';
      readonly reason: Reason;
      readonly message: string;
      readonly stalled?: boolean;
      /** When to look again, if nothing triggers a pass before. */
      readonly until?: Date;
      /** The event whose answer is recorded so. */
      readonly answered?: ClaimedEvent;
    }
  | { readonly do: 'wait'; readonly until: Date }
  /** Record the intent without a call. */
  | { readonly do: 'claim'; readonly event: ClaimedEvent }
  | { readonly do: 'send'; readonly event: ClaimedEvent; readonly endpoint: string }
  /** Record the outputs; the resource is ready. */
  | {
      readonly do: 'recordSuccess';
      readonly event: ClaimedEvent;
      readonly unrecorded: UnrecordedAnswer<'succeeded'>;
    }
  /** Record what an import found; the resource is ready. */
  | {
      readonly do: 'recordImport';
      readonly event: ClaimedEvent;
      readonly unrecorded: UnrecordedAnswer<'observed'>;
    }
  /** Record that the object is only observed, and was not yet. */
  | { readonly do: 'acceptReadOnly' }
  /** The middle of a replacement: forget the old object, and claim the CREATE of the new one. */
  | {
      readonly do: 'createAnew';
      readonly event: ClaimedEvent;
      /** The event whose success is recorded so. */
      readonly deleted: ClaimedEvent;
    }
  /** The same, while what the new object uses is not ready. */
  | {
      readonly do: 'forgetOld';
      readonly deleted: ClaimedEvent;
      readonly reason: Reason;
      readonly message: string;
      readonly stalled?: boolean;
    }
  /** Record that the operation continues, and the time of the next poll. */
  | {
      readonly do: 'deferOperation';
      readonly event: ClaimedEvent;
      readonly answer: AnswerOf<'later'>;
    }
  /** Record the failed attempt and when the next one is due. */
  | {
      readonly do: 'scheduleRetry';
      readonly event: ClaimedEvent;
      readonly answer: AnswerOf<'failed'>;
      /** The event is not to blame: the attempt is repeated and not counted. */
      readonly isFree?: boolean;
    }
  /** Record when the provider wants to get the event again. No attempt is spent. */
  | { readonly do: 'hold'; readonly event: ClaimedEvent; readonly answer: WaitAsked }
  /** Record that the operation could not be cancelled; it is polled to its end. */
  | {
      readonly do: 'giveUpCancellation';
      readonly event: ClaimedEvent;
      readonly answer: AnswerOf<'failed'>;
    }
  /** Write a dead letter, then the failed status. */
  | {
      readonly do: 'fail';
      readonly event: ClaimedEvent;
      readonly failure: Failure;
      /** Hash of the outputs of other resources that the event failed with. */
      readonly references: string | undefined;
      /** The identity of the object of another resource that a CREATE found. */
      readonly identity?: string | undefined;
    }
  /** Record an Event that the resource expires soon. */
  /** Request the deletion of the resource. */
  | { readonly do: 'expire' }
  /** Raise the counter in the spec: a new generation, and with it a new event. */
  | { readonly do: 'runAgain'; readonly message: string }
  /** Add the finalizer. */
  | { readonly do: 'protect' }
  /** Remove the finalizer. */
  | { readonly do: 'release' }
  /** Write an orphan receipt of what may remain outside, and remove the finalizer. */
  | { readonly do: 'abandon'; readonly why: Receipt['reason'] };

/** A delivery is no write: see deliver.ts. */
export type Action = Exclude<Decision, { do: 'send' }>;

export interface Failure {
  readonly code: string;
  readonly message: string;
  /** The last lines that the provider logged for the event. */
  readonly log?: readonly string[];
  readonly reason: Reason;
}

export interface Situation extends Observed {
  readonly now: Date;
  /** For events of the type. */
  readonly policy: RetryPolicy;
}

export type Rule = RuleOf<[Situation], Decision>;
