// The results of `plan`: what it refuses, what cannot change, and outputs that are known before the event.

/** A place in the config, as a JSON Pointer such as `/size` or `/disks/0/size`; the empty text is the whole config. */
export type ConfigPath = '' | `/${string}`;

/** A config as far as it is known when `plan` is called: a value that a reference will supply is absent, and so is a list with one. */
export type Known<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [Member in keyof T]?: Known<T[Member]> | undefined }
    : T;

// Outputs may have members of any name, so symbols identify these. A provider may have a bundled copy of this file.
const refusalMark = Symbol.for('fairlead.refusal');
const replacementMark = Symbol.for('fairlead.replacement');

/** The config is not accepted. */
export interface PlanRefusal {
  readonly [refusalMark]: true;
  readonly path: string;
  readonly message: string;
}

/** A value cannot change while the object exists. */
export interface PlanReplacement {
  readonly [replacementMark]: true;
  readonly path: string;
}

type Said<Outputs> = PlanRefusal | PlanReplacement | Partial<Outputs>;

/** The results that `plan` may return; nothing accepts the config. */
export type Planned<Outputs> = Said<Outputs> | readonly Said<Outputs>[] | undefined;

/**
 * Refuses a config before anything is stored: the apply fails with the sentence at the place in the config. Return it from `plan`, in a
 * list when there are several.
 *
 * @param path the place in the config, as a JSON Pointer; `''` for the whole config
 * @param sentence what is wrong and what to do, for the user who declared the resource; at most 500 characters, without secrets
 * @returns what `plan` returns
 * @throws TypeError when the path is no JSON Pointer, or the sentence is empty
 * @example
 * ```ts
 * plan({ config, previous }) {
 *   if (previous !== null && config.sizeGb !== undefined && config.sizeGb < previous.sizeGb) {
 *     return refuse('/sizeGb', `A disk cannot shrink; it has ${previous.sizeGb} GiB`);
 *   }
 * }
 * ```
 */
export function refuse(path: ConfigPath, sentence: string): PlanRefusal {
  if (typeof sentence !== 'string' || sentence.trim() === '') {
    throw new TypeError('refuse: the sentence is empty; say what is wrong, and what to do');
  }
  return { [refusalMark]: true, path: requiredPath('refuse', path), message: sentence };
}

/**
 * Says that a value cannot change while the object exists, as `immutable` in the schema says of each change of a field: the apply is
 * refused, unless it permits that the object is deleted and created again. Return it from `plan`, in a list when there are several. For
 * a resource without an object it means nothing.
 *
 * @param path the place in the config, as a JSON Pointer
 * @returns what `plan` returns
 * @throws TypeError when the path is no JSON Pointer
 * @example
 * ```ts
 * plan({ config, previous }) {
 *   // Only from one family of machines to another one.
 *   if (previous !== null && familyOf(config.machine) !== familyOf(previous.machine)) return replace('/machine');
 * }
 * ```
 */
export function replace(path: ConfigPath): PlanReplacement {
  return { [replacementMark]: true, path: requiredPath('replace', path) };
}

export function isRefusal(value: unknown): value is PlanRefusal {
  return typeof value === 'object' && value !== null && refusalMark in value;
}

export function isReplacement(value: unknown): value is PlanReplacement {
  return typeof value === 'object' && value !== null && replacementMark in value;
}

const maxPathLength = 256;

function requiredPath(name: string, path: unknown): string {
  const isPointer = typeof path === 'string' && (path === '' || path.startsWith('/'));
  if (isPointer && path.length <= maxPathLength) return path;
  throw new TypeError(
    `${name}: ${quoted(path)} is no place in the config; use a JSON Pointer of at most ${maxPathLength} characters, such as "/size"`,
  );
}

function quoted(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : typeof value;
}
