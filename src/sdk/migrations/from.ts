// Declares the steps between the versions of a type.
import type { z } from 'zod';
import { maxEarlierVersions, maxTypeVersion } from '../../domain/type-version.ts';
import type { AnyObject } from '../call.ts';
import { requireWhole } from '../type-options.ts';

type VersionSchema = z.ZodType<AnyObject>;

/** A step from one version of a type to the next one; made by `from(…).to(…)`. */
export interface Migration<From extends number = number> {
  readonly from: From;
  readonly config: z.ZodType;
  readonly outputs: z.ZodType;
  readonly migrateConfig: (config: never) => unknown;
  readonly migrateOutputs: (outputs: never) => unknown;
}

interface MigrationStep<
  C extends VersionSchema,
  O extends VersionSchema,
  NextConfig,
  NextOutputs,
  From extends number,
> extends Migration<From> {
  readonly config: C;
  readonly outputs: O;
  readonly migrateConfig: (config: z.input<C>) => NextConfig;
  readonly migrateOutputs: (outputs: z.output<O>) => NextOutputs;
}

interface Begun<C extends VersionSchema, O extends VersionSchema, From extends number> {
  /**
   * @param migrateConfig receives what people declared, and returns it as they write it in the next version: a member with a default
   * may be missing in both
   * @param migrateOutputs returns the outputs of the next version
   */
  to<const NextConfig extends AnyObject, const NextOutputs extends AnyObject>(
    migrateConfig: (config: z.input<C>) => NextConfig,
    migrateOutputs: (outputs: z.output<O>) => NextOutputs,
  ): MigrationStep<C, O, Mutable<NextConfig>, Mutable<NextOutputs>, From>;
}

/** Literals keep their types by `const`, which makes lists read-only; those of schemas are not. */
type Mutable<T> = T extends object ? { -readonly [Member in keyof T]: Mutable<T[Member]> } : T;

/** The values that a step must return for the schemas that follow it. */
interface LeadsTo<C extends z.ZodType, O extends z.ZodType> {
  readonly migrateConfig: (config: never) => z.input<C>;
  readonly migrateOutputs: (outputs: never) => z.input<O>;
}

/** The version that a step leads to. */
type VersionAfter<From extends number> = [...OnesUpTo<From>, 1]['length'];
type OnesUpTo<N extends number, Ones extends readonly 1[] = []> = Ones['length'] extends N
  ? Ones
  : OnesUpTo<N, readonly [...Ones, 1]>;

/** Nothing if a step leads to a version; otherwise a sentence, which no step is. A number that is no literal is not known. */
type LeadsToVersion<From extends number, To> = number extends From
  ? unknown
  : number extends To
    ? unknown
    : VersionAfter<From> extends To
      ? unknown
      : `from(${From}, …) leads to version ${VersionAfter<From> & number}, not to version ${To & number}: migrations have no gap`;

/**
 * The steps `M`, each with the results that the schemas of the next step accept, and the last one with those of the type, whose version
 * is `V`.
 */
export type Migrations<
  M extends readonly Migration[],
  C extends z.ZodType,
  O extends z.ZodType,
  V extends number = number,
> = M extends readonly [
  infer First extends Migration,
  infer Second extends Migration,
  ...infer Others extends readonly Migration[],
]
  ? readonly [
      First &
        LeadsTo<Second['config'], Second['outputs']> &
        LeadsToVersion<First['from'], Second['from']>,
      ...Migrations<readonly [Second, ...Others], C, O, V>,
    ]
  : M extends readonly [infer Last extends Migration]
    ? readonly [Last & LeadsTo<C, O> & LeadsToVersion<Last['from'], V>]
    : M;

/**
 * Begins a step from one version of a type to the next one. It must be pure: it runs whenever a stored value of that version is
 * needed, and when people migrate their files. Of a config it receives what people declared, without defaults: what is left out stays
 * left out, and has the default of the newest version.
 *
 * @param version the version that the step begins from; it leads to `version + 1`
 * @param schemas the schemas of that version: stored values must fit them; outputs are parsed
 * @returns an object whose `to` takes the step for configs and the step for outputs
 * @throws RangeError when the version is not a whole number from 1 to 999
 * @example
 * ```ts
 * from(1, { config: ConfigV1, outputs: OutputsV1 }).to(
 *   ({ size }) => ({ sizeGb: size }),
 *   (outputs) => ({ ...outputs, region: 'eu' }),
 * );
 * ```
 */
export function from<const From extends number, C extends VersionSchema, O extends VersionSchema>(
  version: From,
  { config, outputs }: { readonly config: C; readonly outputs: O },
): Begun<C, O, From> {
  requireWhole('from: the version', version, { min: 1, max: maxTypeVersion - 1 });
  return {
    to: (migrateConfig, migrateOutputs) =>
      ({ from: version, config, outputs, migrateConfig, migrateOutputs }) as never,
  };
}

interface VersionedDeclaration {
  readonly version?: number | undefined;
  readonly migrations?: readonly Migration[] | undefined;
}

/**
 * @throws RangeError when the version of a type, or the number of its migrations, is beyond the limits
 * @throws TypeError when its migrations are no chain that ends at the version
 */
export function requireVersions(
  type: string,
  { version = 1, migrations = [] }: VersionedDeclaration,
): void {
  requireWhole(`Type ${type}: version`, version, { min: 1, max: maxTypeVersion });
  if (migrations.length > maxEarlierVersions) {
    throw new RangeError(
      `Type ${type} has ${migrations.length} migrations; it may have ${maxEarlierVersions}. Remove the oldest`,
    );
  }
  for (const [at, { from: earlier }] of migrations.entries()) {
    const next = migrations[at + 1]?.from ?? version;
    if (next > earlier + 1) {
      throw new TypeError(
        `Type ${type} has no migration from version ${earlier + 1}; add from(${earlier + 1}, …) so that its migrations lead to version ${version} without a gap`,
      );
    }
    if (next <= earlier) {
      throw new TypeError(
        `Type ${type}: from(${earlier}, …) does not come before ${at + 1 < migrations.length ? `from(${next}, …)` : `version ${version}`}; list the migrations from the oldest up to the version before ${version}`,
      );
    }
  }
}
