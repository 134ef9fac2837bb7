// A resource of a test, as its author uses it.
import type { Progress } from '../../../domain/progress/value.ts';
import type { HandlerName } from './faults.ts';
import type { LogLine } from './log.ts';

/** Outputs as users read them. */
// biome-ignore lint/suspicious/noExplicitAny: tests read members without a cast
export type Outputs = Readonly<Record<string, any>>;

export interface Refused {
  readonly state: 'failed';
  /** The code of `fail`; `handler_error` for anything else that was thrown, after the last attempt. */
  readonly code: string;
  readonly message: string;
}

/** `plan` of the type has refused the config, or an immutable field changes: nothing is stored, no handler is called, and the resource stays as it is. */
export interface PlanRefused {
  readonly state: 'refused';
  /** The refusals, by their places in the config as JSON Pointers. */
  readonly refusals: readonly { readonly path: string; readonly message: string }[];
  /** Places that cannot change while the object exists: an apply with `replace` deletes it, and creates it again. */
  readonly replaces: readonly string[];
}

export type Applied =
  | { readonly state: 'ready'; readonly outputs: Outputs }
  | Refused
  | PlanRefused;
export type Deleted = { readonly state: 'deleted' } | Refused;

/** The result of the handler `observe`. */
export type ObservedObject =
  | {
      readonly exists: true;
      // biome-ignore lint/suspicious/noExplicitAny: tests read members without a cast
      readonly config: Readonly<Record<string, any>>;
      readonly outputs: Outputs;
      /** Where the config differs from that of the last success, as Fairlead compares them; secrets are not compared. */
      readonly changes: readonly ObservedChange[];
    }
  | { readonly exists: false };

export interface ObservedChange {
  /** JSON Pointer of the value in the config. */
  readonly path: string;
  readonly declared: unknown;
  readonly actual: unknown;
}

export interface Late {
  /** Whether the handler failed, as it should. */
  readonly refused: boolean;
  /**
   * Whether the late delivery changed anything: as `observe` tells; without it, false when it was refused or answered with the
   * newest outputs, true when it was answered with its own, and `unknown` when both are the same.
   */
  readonly changed: boolean | 'unknown';
  /** The code of the failure. */
  readonly code?: string;
  readonly message?: string;
}

/** A resource before the first `apply`, when an earlier version of the provider made it. */
export interface StoredValues {
  /** The version of the type by which the values were stored; 1. */
  readonly typeVersion?: number;
  readonly config: object;
  readonly outputs: object;
}

export interface ResourceSettings {
  /** The resource exists already, with these values: the first `apply` is an update, whose previous values are migrated. */
  readonly stored?: StoredValues;
  /** Reads what exists in the backing service for the resource, for `late`. The result is compared as JSON. */
  readonly observe?: () => unknown;
}

export interface KitApplyOptions<Version extends number | undefined = number | undefined> {
  /** The version of the type that the config is of; the newest one when absent. */
  readonly typeVersion?: Version;
  /** The object is deleted and created again. */
  readonly replace?: boolean;
}

export interface KitResource<Config = object, Adopt = object> {
  readonly state: 'absent' | 'processing' | 'ready' | 'failed';
  /** The outputs of the last success; empty before it. */
  readonly outputs: Outputs;
  /** The progress that the handler last reported for the last event, also with `later`. */
  readonly progress: Progress | null;
  /** The lines that handlers wrote to their `log` for the last event. */
  readonly log: readonly LogLine[];
  /** How often handlers were called for the last event. */
  readonly calls: number;
  /**
   * Creates or updates the resource, and waits until that has ended. Failures that Fairlead retries are retried. A config that a
   * ready resource has already changes nothing. A config that `plan` of the type refuses, and a change of an immutable
   * field without `replace`, is refused before anything happens.
   *
   * @throws Error when `plan` throws, or takes more than two seconds: Fairlead accepts the config then, with a warning
   */
  apply<Version extends number | undefined = undefined>(
    config: Version extends number ? object : Config,
    options?: KitApplyOptions<Version>,
  ): Promise<Applied>;
  /**
   * Imports an object that exists: the handler `observe` gets what identifies it, and nothing is created or changed. The resource is
   * ready with the outputs that the handler returned; when it returned `gone()`, it is failed with the code `NOT_FOUND`.
   *
   * @param config what the resource declares
   * @throws Error when the resource exists already
   * @example
   * ```ts
   * const old = kit.resource('bucket', 'old');
   * await old.adopt({ id: 'bkt-1' }, { region: 'eu' });
   * assert.partialDeepStrictEqual(await old.observe(), { exists: true, changes: [] });
   * ```
   */
  adopt(adopt: Adopt, config: Config): Promise<Applied>;
  /**
   * Calls the handler `observe` once. Nothing is recorded.
   *
   * @returns what the handler returned, and where it differs from the config of the last success
   * @throws Error when the handler failed: nothing was observed
   */
  observe(): Promise<ObservedObject>;
  /** Deletes the resource, and waits until that has ended. @throws Error when it does not exist */
  delete(): Promise<Deleted>;
  /**
   * Delivers the event before the last successful one once more, as a controller that no longer leads may: with its lower
   * `sequence`. The handler must refuse it, or change nothing.
   *
   * @throws Error before two events have succeeded
   */
  late(): Promise<Late>;
  /** The next answer of a handler is lost: Fairlead calls it again with the same key. */
  loseAnswer(): void;
  /** The process ends after the next success of the handler, before its answer arrives. Another process receives the event again. */
  crashAfter(handler: HandlerName): void;
}
