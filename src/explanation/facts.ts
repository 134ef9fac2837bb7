// Types of an explanation: the facts that it is made from, and the explanation itself. Plain values, without I/O.

import type { AttemptError } from '../crds/claimed-event.ts';
import type { Resource } from '../crds/resource.ts';
import type { EventType } from '../domain/event.ts';
import type { LinkKind, LinkState, NextAction } from '../domain/explanation.ts';
import type { Dependency } from '../domain/lifecycle.ts';
import type { Progress } from '../domain/progress/value.ts';
import type { DeploymentState } from '../domain/providers/deployment.ts';
import type { Unready } from '../store/resources/dependencies/unready-dependency.ts';

/** A resource on the way from the explained one to the cause, and the dependency of it that leads on. */
export interface Step {
  readonly resource: Resource;
  /** The worst dependency that is not ready, when the resource waits for its dependencies. */
  readonly waitsFor?: (Unready & { readonly dependency: Dependency }) | undefined;
}

/** From the explained resource to the one that waits for no other. */
export type ChainPath = readonly [Step, ...Step[]];

export interface ProviderFacts {
  readonly provider: string;
  readonly state: 'missing' | DeploymentState;
  /** Reason of its Ready condition. */
  readonly reason: string | null;
  readonly message: string | null;
  readonly since: string | null;
  readonly version: string | null;
  /** Whether it runs elsewhere, at an endpoint. */
  readonly external: boolean;
  readonly previousVersion: string | null;
  /** The newest build whose code reads the content of the resource; absent when none does, and unless that is what it waits for. */
  readonly readingVersion?: string | undefined;
  /** The build of its version, or its newest one when no version was deployed. */
  readonly build: BuildFacts | undefined;
  /** Required settings without a value. */
  readonly missingSettings: readonly string[];
  /** Since when it answers that its clock differs from that of Fairlead; null while it does not. */
  readonly skewedSince: string | null;
  /** Since when no drift of its resources is corrected, and why; null while drift is corrected. */
  readonly correctionsHeld: { readonly since: string; readonly message: string } | null;
  /** Settings that were set since its version took over, and with which it was never ready. */
  readonly newSettings: readonly string[];
}

/** The endpoint, type and limit for the events of the last resource of a path: also known for a confined caller. */
export interface DeliveryFacts {
  /** Whether an endpoint takes events of its provider. */
  readonly isServed: boolean;
  /** Whether its type is registered. */
  readonly isRegistered: boolean;
  /** How long its handler may run. */
  readonly limitSeconds: number;
  /** When a window of observations of its provider that begins from now on ends, in milliseconds since 1970. */
  readonly windowEnd: number;
  /** A clause about what may hold up an event of it that is due. */
  readonly heldUp?: string | undefined;
  /** Whether the settings of its provider do not work any more. */
  readonly areSettingsRefused?: boolean;
}

export interface BuildFacts {
  readonly jobName: string;
  readonly version: string;
  readonly phase: 'pending' | 'building' | 'success' | 'failed';
  readonly error: string | null;
  readonly since: string | null;
}

/** Other dead letters with the cause are counted up to this number: each is a few kilobytes. */
export const maxCounted = 100;

export interface DeadLetterFacts {
  readonly eventId: string;
  /** `provider/resource/name` of its resource. */
  readonly resource: string;
  readonly provider: string;
  readonly cause: string;
  /** Other dead letters with the cause, at most `maxCounted`; null for a caller who is confined to a project. */
  readonly sameCause: number | null;
  /** The last lines of its handler, with secrets masked. */
  readonly log: readonly string[];
}

/** An explanation shows the last lines; the dead letter has more. */
export const maxLogLines = 10;

export interface Facts {
  readonly path: ChainPath;
  readonly delivery: DeliveryFacts;
  /** Provider of the last resource of the path. */
  readonly provider: ProviderFacts | undefined;
  /** Dead letter of the last resource of the path. */
  readonly deadLetter: DeadLetterFacts | undefined;
  /** `provider/resource/name` of the resources that use the explained one. */
  readonly users: readonly string[];
  /** The attempts of an event of the last resource of the path. */
  readonly maxAttempts: number;
  /** A caller who is confined to a project sees no builds, deployments and dead letters. */
  readonly confined: boolean;
  /** `provider/resource/name` of a resource whose event ended the process, when the connection of the last one was lost. */
  readonly culprit?: string | undefined;
  /** `provider/resource/name` of the resource that a missing one most likely means. */
  readonly meant?: string | undefined;
}

export interface Link {
  readonly kind: LinkKind;
  readonly ref: string;
  readonly state: LinkState;
  readonly reason: string | null;
  readonly message: string | null;
  readonly since: string | null;
  /** Field of the resource above through which it depends on this one. */
  readonly via: string | null;
}

/** A step that brings the resource on. */
export interface NextStep {
  readonly do: NextAction;
  /** A sentence: when and why to take it. */
  readonly why: string;
  readonly resource?: string;
  readonly provider?: string;
  readonly type?: string;
  readonly cause?: string;
  readonly version?: string;
  readonly jobName?: string;
  readonly projectId?: string;
  readonly eventId?: string;
  /** Names of the settings to set. */
  readonly settings?: readonly string[];
  /** Time from which on a log shows the failure. */
  readonly since?: string;
  /** Whether the log is that of the process before the one that runs. */
  readonly previous?: boolean;
  /** Time until which waiting helps. */
  readonly until?: string;
}

export interface EventFacts {
  readonly eventId: string;
  readonly eventType: EventType;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly nextAttemptAt: string | null;
  /** Since when the attempt is due: it is under way, or about to begin. Null when it is not. */
  readonly dueSince: string | null;
  /** How long an attempt may run; null when the event is not under way. */
  readonly limitSeconds: number | null;
  /** The report of the provider while the event is under way. */
  readonly progress: Progress | null;
  /** Errors of the attempts that failed so far. */
  readonly errors: readonly AttemptError[];
}

export interface Explanation {
  /** One sentence. */
  readonly summary: string;
  readonly resource: string;
  readonly state: Link['state'];
  readonly reason: string;
  /** The deepest cause first, the explained resource last. */
  readonly chain: readonly Link[];
  readonly event: EventFacts | undefined;
  readonly deadLetter: DeadLetterFacts | undefined;
  /** The end of the log of the dead letter, for whoever may read that. */
  readonly log: readonly string[];
  readonly users: readonly string[];
  readonly next: readonly NextStep[];
}

/** The resources that wait for the same cause in the end. */
export interface CauseGroup {
  /** One sentence about the resource that is nearest to the cause. */
  readonly summary: string;
  readonly cause: Link;
  readonly count: number;
  /** `provider/resource/name` of the first of them. */
  readonly resources: readonly string[];
  readonly deadLetter: DeadLetterFacts | undefined;
  readonly next: readonly NextStep[];
}
