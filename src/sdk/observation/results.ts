// The results of `observe` and `list`.

/** A value as far as a handler can read it: members may be missing, at any depth. */
export type Readable<T> = T extends readonly (infer Item)[]
  ? readonly Readable<Item>[]
  : T extends object
    ? { readonly [Member in keyof T]?: Readable<T[Member]> | undefined }
    : T;

// Members of a config may have any name, so a symbol identifies a `Gone`. A provider may have a bundled copy of this file.
const mark = Symbol.for('fairlead.gone');

/** The object does not exist. */
export interface Gone {
  readonly [mark]: true;
}

/** The object that exists, as far as it can be read. */
export interface Observed<Config, Outputs> {
  /** In the form of the config that people write. An omitted value counts as unknown, never as changed. */
  readonly config: Readable<Config>;
  /** Values that cannot be read are left out. */
  readonly outputs: Partial<Outputs>;
}

/** One page of the objects that exist. */
export interface Listed<Adopt, Config> {
  /** At most 1000. */
  readonly items: readonly ListedObject<Adopt, Config>[];
  /** For the next page; absent on the last one. At most 4096 characters. */
  readonly cursor?: string | undefined;
}

export interface ListedObject<Adopt, Config> {
  /** Identifies the object in an import. */
  readonly adopt: Adopt;
  /** A name for its resource. */
  readonly name?: string | undefined;
  /** In the form that people write, as far as listing shows it. */
  readonly config?: Readable<Config> | undefined;
}

/**
 * Says that the object does not exist. Return it from `observe` only when the backing service has said so: when it does not answer,
 * or refuses to, throw an error. Nothing else counts as gone.
 *
 * @returns what `observe` returns
 * @example
 * ```ts
 * async observe({ adopt, outputs, organization, name }) {
 *   const found = await cloud.find(adopt?.id ?? outputs.id ?? tagOf(organization, name));
 *   if (found === undefined) return gone();
 *   return { config: { size: found.size }, outputs: { url: found.url } };
 * }
 * ```
 */
export function gone(): Gone {
  return { [mark]: true };
}

export function isGone(value: unknown): value is Gone {
  return typeof value === 'object' && value !== null && mark in value;
}
