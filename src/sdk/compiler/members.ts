// Members that the compiler checks: options of a type that need another one, outputs that its schema does not have, and values that
// events cannot carry, because they are JSON.

/** The type of an option that has no effect: nothing has it, and the editor shows its member. */
interface NoEffect<Sentence extends string> {
  readonly error: Sentence;
}

type WithoutObserve =
  NoEffect<'it has no effect without the handler observe: add observe, or omit it'>;

/**
 * Makes the compiler infer the names of the options that a type has, as `Used`.
 * @typeParam Used the names; whatever is none of them is refused as an unknown option
 */
export type UsedOptions<Used extends PropertyKey> = {
  readonly [Option in Used]?: unknown;
} & ('observe' extends Used
  ? unknown
  : {
      readonly [Option in 'observeEvery' | 'compareDefaults' | 'adopt' | 'list']?: WithoutObserve;
    });

/**
 * Outputs that a handler returns, whose members the compiler infers as `Names`: one that the schema does not have is refused. Names
 * that only some of the returned objects have are not.
 */
export type OutputsNamed<Outputs, Names extends string> = Outputs & {
  readonly [Name in Names]?: unknown;
} & (unknown extends Outputs
    ? unknown
    : { readonly [Name in Exclude<Names, keyof Outputs>]?: NoSuchOutput });

type NoSuchOutput = NoEffect<'the schema of the outputs has no such member'>;

// Schemas whose values events cannot carry: they are JSON.

type NotJson =
  | bigint
  | symbol
  | Date
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>
  | ((...args: never) => unknown);

/** Places of values that are no JSON, such as `tags[].since`; at most five levels deep, since schemas may contain themselves. */
type PlaceOfNotJson<
  T,
  Path extends string,
  Depth extends readonly unknown[] = [],
> = unknown extends T
  ? never
  : T extends NotJson
    ? Path
    : Depth['length'] extends 5
      ? never
      : T extends readonly (infer Item)[]
        ? PlaceOfNotJson<Item, `${Path}[]`, [...Depth, 1]>
        : T extends object
          ? {
              [Name in keyof T & string]: PlaceOfNotJson<T[Name], `${Path}.${Name}`, [...Depth, 1]>;
            }[keyof T & string]
          : never;

/** Nothing for a schema of JSON; otherwise a sentence, which no schema is. */
export type JsonOnly<T, What extends string> = [PlaceOfNotJson<T, What>] extends [never]
  ? unknown
  : `${PlaceOfNotJson<T, What>} must be JSON: use texts or numbers, such as z.iso.datetime() for a time`;
