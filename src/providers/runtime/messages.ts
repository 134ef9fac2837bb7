// Messages between the supervisor of a pod and the processes that run the code of its provider.
import type { Progress } from '../../domain/progress/value.ts';

/** The code of a child, in the first message to it. */
export interface ChildOptions {
  /** The unpacked artifact. Its parent folder is ours: `fairlead/provider` is placed there unless it exists already. */
  readonly codeFolder: string;
  /** Name of the deployed provider. */
  readonly provider: string;
  /** The files of the settings. */
  readonly settings?: ChildSettings | undefined;
}

export interface ChildSettings {
  readonly folder: string;
  /** How often to look; 5 s. */
  readonly intervalMs?: number;
  /** Reports when the files change, so that another child is started with the new values. */
  readonly isWatched: boolean;
}

export type ToChild =
  | { readonly kind: 'start'; readonly options: ChildOptions }
  | {
      readonly kind: 'run';
      readonly id: number;
      /** JSON whose signature was verified. */
      readonly body: Uint8Array;
      readonly traceparent: string | undefined;
      /** By `monotonicMs`. */
      readonly sentAt: number;
    }
  | {
      readonly kind: 'abort';
      readonly id: number;
      readonly message: string;
      /** The resource is being deleted. */
      readonly isDeleted: boolean;
    }
  /** Answered with the same when the event loop turns. */
  | { readonly kind: 'turn' }
  /** No `run` follows: the signals of running handlers are aborted, `stop` of the provider is called, and the child ends. */
  | { readonly kind: 'stop' };

/** The limits that the code of the provider declares. */
export interface ProviderLimits {
  /** The time of the handlers of each type. */
  readonly handlersMs: Readonly<Record<string, number>>;
  /** A child whose event loop has not turned for this long is killed; undefined: the limit of all providers. */
  readonly blockedMs?: number;
}

export type FromChild =
  /** `check` and `start` have succeeded. */
  | ({ readonly kind: 'ready' } & ProviderLimits)
  /** The handler is about to be called. */
  | { readonly kind: 'begun'; readonly id: number }
  /** The message was read too late: the handler is not called, since another child may have the event by now. */
  | { readonly kind: 'late'; readonly id: number }
  | { readonly kind: 'progress'; readonly id: number; readonly progress: Progress }
  /** Texts that are hidden in the output of the child: secrets of an event, or of the settings, without an id. Sent before any code of the author has them. */
  | { readonly kind: 'secrets'; readonly id?: number; readonly texts: readonly string[] }
  | ({ readonly kind: 'answer'; readonly id: number } & ChildAnswer)
  /** A handler has ended the process: it ends after the other handlers. */
  | { readonly kind: 'ending' }
  /** The settings have other values, which fit. */
  | { readonly kind: 'settings' }
  | { readonly kind: 'turn' };

/** All messages but those about its output, which the process of a child takes itself. */
export type ChildNews = Exclude<FromChild, { kind: 'secrets' }>;

export interface ChildAnswer {
  readonly status: number;
  /** JSON. */
  readonly body: string;
  readonly retryAfter?: number | undefined;
  /** The handler has ended the process. */
  readonly endsProcess?: boolean;
}

/** A child begins no event that was sent longer ago, and the supervisor gives none away that was sent more recently. */
export const staleMs = 1_000;

/** The clock that all processes of a machine share. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}

/** Where the id of the running event is read by the inspector, in a process whose event loop is blocked. */
export const runningEvent = 'fairlead.running';
