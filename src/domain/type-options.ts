// The options of a type: how Fairlead delivers and observes its events. A type has those that it declares, and the others are the
// defaults. Whatever has an option derives it from its row here: with what authors of providers read of it, and with what everybody
// else does, which is its meaning below. Pure.
import {
  bodyOf,
  count,
  flag,
  type GivenBody,
  type Rules,
  type SomeBody,
  type Stored,
  sparse,
  storedOf,
  text,
  valuesIn,
  withoutDefaults,
} from '../lib/fields.ts';
import {
  defaultInterval,
  intervalMs,
  intervalPattern,
  intervalRule,
} from './observation/interval.ts';

export const typeOptionFields = {
  /**
   * How long a handler may run, in whole seconds from 1 to 3600; default 30. `serve` reports every few seconds that it still
   * runs. Work that something else does, such as a cloud, needs no long limit: return `later`.
   */
  timeoutSeconds: count({ max: 3_600 }),
  /**
   * How often, and after which waits, Fairlead tries a failed event again: `attempts` in total, from 1 to 20, and random waits
   * of up to 1, 2, 4, … seconds, each at most `maxDelaySeconds`, from 1 to 600. One of the two is enough. The defaults are
   * those of the installation: 8 attempts and 60 seconds, unless its administrator has changed them. `fail` and answers that no
   * retry can change end the event at once.
   */
  retry: sparse({
    /** Attempts of one event in total, from 1 to 20. */
    attempts: count({ max: 20 }),
    /** The longest random wait between two attempts, in whole seconds from 1 to 600. */
    maxDelaySeconds: count({ max: 600 }),
  }),
  /**
   * True: a deletion aborts `signal` of a `create` or `update` that runs for the resource, with an Error as its `reason`, and calls
   * `delete` when that call has ended. Default false: the deletion waits for the call, and `signal` stays as it is. The result or error
   * of an aborted call is no failure: outputs are passed to `delete`, and with `later` the operation goes on.
   *
   * @example
   * ```ts
   * cancellable: true,
   * async create({ config, signal }) {
   *   return { url: await render(config, { signal }) };   // rejects when the signal is aborted
   * },
   * ```
   */
  cancellable: flag,
  /** Whether a deletion asks the provider to end an operation under way. */
  cancelsOperations: flag,
  /**
   * How many events of the type Fairlead delivers at a time, from 1 to 1000, however many pods the provider has. Others wait for
   * their turn, and are not charged for it. Default: no limit of the type.
   */
  concurrency: count({ max: 1_000 }),
  /**
   * How long work may take that the handlers report with `later` or `retry`, in whole seconds from 60 to 86400: from the first of
   * them until the event fails for good. Default: the limit of the installation, two hours unless its administrator has changed it.
   */
  operationLimitSeconds: count({ min: 60, max: 86_400 }),
  /** Whether the provider observes objects of the type. */
  observe: flag,
  /**
   * How often Fairlead observes a resource of the type that is ready: a whole number with `s`, `m`, `h` or `d`, from a minute to
   * seven days, such as `"10m"`; default an hour. A resource can have an interval of its own. It needs the handler `observe`.
   */
  observeEvery: text,
  /**
   * True: a value that people did not declare is compared with the default of the schema, too, when an object is observed. A change of
   * one by somebody else is then drift, as with `public: z.boolean().default(false)`. Default false: only declared values are compared.
   * A value that `observe` leaves out stays unknown. It needs the handler `observe`.
   */
  compareDefaults: flag,
  /** Whether the provider lists the objects of the type that exist. */
  listable: flag,
  /** Whether the provider has rules about configs of the type before they are stored. */
  plan: flag,
};

export const typeOptionRules: Rules<typeof typeOptionFields> = {
  timeoutSeconds: {
    meaning:
      'Seconds that a handler may run while its provider sends 102 every few seconds. Default: 30.',
  },
  retry: {
    meaning: 'How often, and after which waits, a failed event of the type is tried again.',
    members: {
      attempts: {
        meaning: 'Attempts of one event in total. The default of the installation when absent.',
      },
      maxDelaySeconds: {
        meaning:
          'Longest random wait between two attempts, in seconds. The default of the installation when absent.',
      },
    },
    example: { attempts: 12, max_delay_seconds: 300 },
  },
  cancellable: {
    meaning: 'Whether a deletion ends the handler in flight with a CANCEL event.',
  },
  cancelsOperations: {
    meaning:
      'Whether a deletion ends an operation under way with a CANCEL event, before it sends the DELETE.',
  },
  concurrency: {
    meaning:
      'Events of the type that are delivered at a time, across all pods. No limit of its own by default.',
  },
  operationLimitSeconds: {
    meaning:
      'Seconds that an operation of the type may take. The limit of the installation by default.',
  },
  observe: {
    meaning:
      'Whether the provider observes objects of the type: drift, imports, read-only resources.',
  },
  observeEvery: {
    meaning: `How often a resource of the type is observed. Default: ${defaultInterval}.`,
    maxLength: 7,
    pattern: intervalPattern,
    rule: intervalRule,
    isValid: (text) => intervalMs(text) !== undefined,
    example: '10m',
  },
  compareDefaults: {
    meaning:
      'Whether values that are not declared are compared with the defaults of the schema, when an object is observed.',
  },
  listable: { meaning: 'Whether the provider lists the objects of the type that exist.' },
  plan: {
    meaning: 'Whether the provider is asked about configs of the type before they are stored.',
  },
};

/** The options that a type declares: an absent one has its default. */
export type DeclaredTypeOptions = Stored<typeof typeOptionFields>;
export type DeclaredTypeOptionsBody = SomeBody<typeof typeOptionFields>;

/** @param body where null, false and an absent member mean the same */
export function typeOptionsIn(body: GivenBody<typeof typeOptionFields>): DeclaredTypeOptions {
  const given = valuesIn(typeOptionFields, body);
  return storedOf(typeOptionFields, withoutDefaults(typeOptionFields, given));
}

/** @returns only the members that the type declares */
export function typeOptionsBody(options: DeclaredTypeOptions): DeclaredTypeOptionsBody {
  const declared = withoutDefaults(typeOptionFields, options);
  return bodyOf(typeOptionFields, declared) as DeclaredTypeOptionsBody;
}
