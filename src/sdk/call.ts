// The arguments of handlers, and of `start` and `check`.
import type { Progress } from '../domain/progress/value.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Known } from './planning/results.ts';

export type Awaitable<T> = T | Promise<T>;
export type AnyObject = Readonly<Record<string, unknown>>;

/** Writes log lines of a handler with the event that they belong to. */
export interface HandlerLog {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** Names a resource of an organization. */
export interface Named {
  readonly organization: string;
  readonly project: string;
  readonly resource: string;
  readonly name: string;
  /**
   * The organization, the project and the name in one text, `acme/shop/logs`, which no other resource of the type has. Store it with what
   * you create, such as in a tag, and compare it with `ownedBy`.
   */
  readonly owner: string;
}

/** The arguments of every handler. */
export interface Call<Config, Settings = AnyObject> extends Named {
  /** The configuration, migrated to the newest version and parsed by the schema: its defaults are filled in. */
  readonly config: Config;
  /** The settings of the provider, parsed by their schema; an empty object when it declares none. */
  readonly settings: Settings;
  /**
   * The idempotency key: the same for every attempt of one event, different for every other event. Pass it to systems that
   * accept one. A handler may be called again after it did its work, if its answer was lost.
   */
  readonly key: string;
  /**
   * Aborted when the handler has run for `timeoutSeconds` of its type, when Fairlead closes the connection, when the provider
   * stops, or, with `cancellable`, when the resource is deleted. End soon then: no other attempt of this event begins here before
   * the handler has ended, or its limit has passed.
   */
  readonly signal: AbortSignal;
  readonly log: HandlerLog;
  /** Counts from 1. */
  readonly attempt: number;
  /**
   * Greater than in every earlier delivery for this resource and for deleted resources of the same name. Store it beside what
   * you create, and refuse a delivery with a lower one: it is a late delivery of a controller that no longer leads.
   */
  readonly sequence: number;
  /**
   * The context of the last `later`; null in the first call of an event. The first call of `delete` may have the context of a
   * create or update that had not ended when Fairlead stopped waiting for it.
   */
  readonly context: JsonObject | null;
  /**
   * The trace of the request that caused the event, as the header `traceparent` of W3C Trace Context; null without one. Pass it to
   * systems that the handler calls.
   */
  readonly traceparent: string | null;
  /**
   * Reports how far the handler is, for the user who declared the resource: `fairlead apply --wait`, `fairlead why` and the
   * console show it. Call it as often as you like: at most one report a second is sent. It fails no handler: what does not fit is
   * logged instead. In tests it throws a RangeError.
   *
   * @example
   * ```ts
   * for (const [done, row] of rows.entries()) {
   *   progress({ done, total: rows.length, message: 'Copying rows' });
   *   await copy(row);
   * }
   * ```
   */
  readonly progress: (progress: Progress) => void;
}

/** `Previous` and `Outputs` are `unknown` when the type has a `version` above 1 and no `migrations`. */
export interface UpdateCall<Config, Outputs, Settings = AnyObject, Previous = Config>
  extends Call<Config, Settings> {
  /** The configuration of the last success. */
  readonly previousConfig: Previous;
  /** The outputs of the last success. */
  readonly outputs: Outputs;
}

export interface DeleteCall<Config, Outputs, Settings = AnyObject, Previous = Config>
  extends Call<Config, Settings> {
  /** The configuration of the last success, which describes what exists; null when there was none. */
  readonly previousConfig: Previous | null;
  /** The outputs of the last success; empty when there was none, although something may exist. */
  readonly outputs: Partial<Outputs>;
}

export interface CancelCall<Config, Outputs, Settings = AnyObject, Previous = Config>
  extends DeleteCall<Config, Outputs, Settings, Previous> {
  /** The `key` of the calls that began the operation. */
  readonly operationKey: string;
}

/** `Config` and `Outputs` are `unknown` when the type has a `version` above 1 and no `migrations`. */
export interface ObserveCall<Config, Outputs, Settings = AnyObject, Adopt = JsonObject>
  extends Call<Partial<Config>, Settings> {
  /** The outputs of the last success; empty when there was none. */
  readonly outputs: Partial<Outputs>;
  /** Identifies an object that Fairlead imports, or has imported; null for one that it created. */
  readonly adopt: Adopt | null;
}

/** The member that calls have besides when the type declares an `identity`. */
export interface WithIdentity<Identity> {
  /**
   * Identifies the object: by the outputs of the last success, for an import by `adopt`, and before there is an object by `forNew` of
   * the identity; null when that says nothing.
   */
  readonly identity: Identity;
}

/** The argument of `list`. */
export interface ListCall<Settings = AnyObject> {
  /** The settings of the provider, parsed by their schema; an empty object when it declares none. */
  readonly settings: Settings;
  /** The `cursor` that the call before returned; null in the first one. */
  readonly cursor: string | null;
  /** Aborted when the time for the call is over, or when the provider stops. */
  readonly signal: AbortSignal;
  readonly log: HandlerLog;
  readonly organization: string;
}

/** A resource of the type that the same apply writes. */
export interface PlannedBeside<Config, Previous = Config> {
  readonly project: string;
  readonly name: string;
  readonly config: Known<Config>;
  readonly previous: Previous | null;
}

/**
 * The argument of `plan`. `Previous` and `Outputs` are `unknown` when the type has a `version` above 1 and no `migrations`.
 */
export interface PlanCall<Config, Outputs, Settings = AnyObject, Previous = Config> extends Named {
  /**
   * The configuration that is applied, in the newest version and parsed by the schema, as far as it is known: the value of a reference
   * to a resource that has no such output yet is absent, and so is a list with one. `unknown` has the places.
   */
  readonly config: Known<Config>;
  /** The configuration of the last success; null when `create` would be called, also for an object that is replaced. */
  readonly previous: Previous | null;
  /** The outputs of the last success; empty with `previous`. */
  readonly outputs: Partial<Outputs>;
  /** JSON Pointers of the values in `config` that are not known yet, such as `/subnet`; usually none. */
  readonly unknown: readonly string[];
  /** The other resources of the type that the same apply writes, for what they need together, such as a quota. */
  readonly beside: readonly PlannedBeside<Config, Previous>[];
  /** The settings of the provider, parsed by their schema; an empty object when it declares none. */
  readonly settings: Settings;
  /** Aborted after two seconds, when the provider stops, and when the request is answered. */
  readonly signal: AbortSignal;
  readonly log: HandlerLog;
}

/** The argument of `start` and `check`. */
export interface StartCall<Settings = AnyObject> {
  /** The settings of the provider, parsed by their schema. */
  readonly settings: Settings;
  readonly log: HandlerLog;
  /** Aborted when the provider stops, or when the time for the call is over. */
  readonly signal: AbortSignal;
}

/**
 * @param tag what is stored with an object; nothing is nobody's
 * @returns whether the object belongs to the resource of a call
 * @example
 * ```ts
 * if (found !== undefined && !ownedBy(found.tags.owner, call)) fail('already_exists', `${found.id} is not ours`);
 * ```
 */
export function ownedBy(tag: string | null | undefined, { owner }: Pick<Named, 'owner'>): boolean {
  return tag === owner;
}

export function ownerOf({ organization, project, name }: Omit<Named, 'owner'>): string {
  return `${organization}/${project}/${name}`;
}

type AnyCall = WithIdentity<unknown> &
  UpdateCall<unknown, unknown> &
  CancelCall<unknown, unknown> &
  ObserveCall<unknown, unknown> &
  ListCall &
  Omit<PlanCall<unknown, unknown>, 'config'>;

/**
 * Results that `start` may return: they are passed to every handler beside the members of its call, so they have no member of these names.
 * Without `then`, the compiler would accept a promise of anything as such an object.
 */
export type NotInCall = { readonly [Name in keyof AnyCall | 'then']?: never };

const callMembers: Readonly<Record<keyof AnyCall, true>> = {
  config: true,
  previousConfig: true,
  outputs: true,
  settings: true,
  key: true,
  operationKey: true,
  signal: true,
  log: true,
  organization: true,
  project: true,
  resource: true,
  name: true,
  owner: true,
  identity: true,
  attempt: true,
  sequence: true,
  context: true,
  traceparent: true,
  progress: true,
  adopt: true,
  cursor: true,
  previous: true,
  unknown: true,
  beside: true,
};

/** @returns whether every handler has a member of the name in its argument already */
export function isCallMember(name: string): boolean {
  return Object.hasOwn(callMembers, name);
}
