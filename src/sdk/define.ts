// Defines providers: a name and types, each with schemas, three handlers and optional ones.
import type { z } from 'zod';
import { typeOptionFields } from '../domain/type-options.ts';
import { firstTypeVersion } from '../domain/type-version.ts';
import { withoutUndefined } from '../lib/json.ts';
import type { Declaration, DeclarationOptions, ProviderOptions, Startable } from './declaration.ts';
import { requireVersions } from './migrations/from.ts';
import { requireObservation } from './observation/declared.ts';
import type { AnyAdopt, ObjectSchema, TypeOptions } from './options.ts';
import type { Provider, ResourceType } from './provider.ts';
import { requireTypeOptions, requireWhole } from './type-options.ts';

/** Two types have the same name. `code` identifies the error to programs that imported another copy of this class. */
export class DuplicateType extends TypeError {
  readonly code = 'FAIRLEAD_DUPLICATE_TYPE';
}

type DefineOptions = Omit<Provider, 'name' | 'types'>;

const providerPattern = /^[a-z0-9](?:[-a-z0-9]{0,38}[a-z0-9])?$/;
const typePattern = /^[a-z][a-z0-9_-]{0,62}$/;

/**
 * Declares a type of resources: two schemas, three handlers and, as far as it can, `cancel`, `observe` and `list`.
 *
 * @param name the type in `provider/type/name`: lower-case letters, digits, `_` and `-`, beginning with a letter; at most
 * 63 characters
 * @param options the description, the schemas of configuration and outputs, and the handlers
 * @returns the type, for `provider`
 * @throws TypeError when Fairlead would reject the name, or an option is of another type
 * @throws RangeError when Fairlead would reject the number of an option, or the interval `observeEvery`
 * @example
 * ```ts
 * const bucket = resource('bucket', {
 *   description: 'A bucket in the object store.',
 *   config: z.object({ region: z.string().default('eu-central-1') }),
 *   outputs: z.object({ url: z.string() }),
 *   async create({ name, config, key }) {
 *     return { url: await store.ensureBucket(name, config.region, key) };
 *   },
 *   update({ outputs }) {
 *     return outputs;
 *   },
 *   async delete({ name }) {
 *     await store.removeBucket(name);
 *   },
 * });
 * ```
 */
export function resource<
  C extends ObjectSchema,
  O extends ObjectSchema,
  S extends ObjectSchema = ObjectSchema,
  A extends ObjectSchema = AnyAdopt,
>(name: string, options: TypeOptions<C, O, S, A>): ResourceType {
  if (!typePattern.test(name)) throw new TypeError(`"${name}" is not a valid type name`);
  requireTypeOptions(name, options);
  requireObservation(name, options);
  // The types of arguments and outputs are erased here; the runtime parses them with the schemas before every call.
  return { ...options, name } as unknown as ResourceType;
}

/**
 * Declares a provider. It, or the result of its `types`, must be the default export of its package.
 *
 * @param name a DNS label of at most 40 characters
 * @param declared settings, `start`, `stop` and `check` of the provider, whose types follow; or all of its types, made by the
 * function `resource`
 * @returns the declaration; with types the provider, for `serve`, for `testProvider` and for the runtime of Fairlead
 * @throws TypeError when Fairlead would reject the name, or when a type has other settings than the provider
 * @throws RangeError when Fairlead would reject `concurrency`
 * @throws DuplicateType when two types have the same name
 * @example
 * ```ts
 * const redis = provider('redis', {
 *   settings: z.object({ url: z.url(), password: z.string().meta({ sensitive: true }) }),
 *   async start({ settings }) {
 *     return { client: await connect(settings) };
 *   },
 *   async stop({ client }) {
 *     await client.close();
 *   },
 *   async check({ settings, signal }) {
 *     await ping(settings, signal);
 *   },
 * });
 * const database = redis.resource('database', { … });
 * export default redis.types(database);
 * ```
 * @example
 * ```ts
 * export default provider('storage', [bucket]);
 * ```
 */
export function provider(
  name: string,
  declared: readonly ResourceType[] | ProviderOptions,
): Provider;
export function provider<S extends z.ZodObject = z.ZodObject, Started extends Startable = void>(
  name: string,
  declared?: DeclarationOptions<S, Started>,
): Declaration<z.output<S>, Started>;
export function provider(name: string, declared: object = {}): object {
  if (!providerPattern.test(name)) throw new TypeError(`"${name}" is not a valid provider name`);
  if (Array.isArray(declared)) return assembled(name, declared, {});
  const { types, settings, concurrency, start, stop, check } =
    declared as Partial<ProviderOptions> & DefineOptions;
  const options = withoutUndefined({ settings, concurrency, start, stop, check }) as DefineOptions;
  requireWhole(`Provider ${name}: concurrency`, concurrency, typeOptionFields.concurrency);
  requireFunctions(name, options);
  return types === undefined ? declaration(name, options) : assembled(name, types, options);
}

function requireFunctions(name: string, options: DefineOptions): void {
  for (const member of ['start', 'stop', 'check'] as const) {
    if (options[member] === undefined || typeof options[member] === 'function') continue;
    throw new TypeError(`Provider ${name}: ${member} must be a function`);
  }
}

/** The options of the declaration that made a type: its handlers need what the `start` of this one returned. */
const declaredBy = new WeakMap<ResourceType, DefineOptions>();

function declaration(name: string, options: DefineOptions): Declaration<never, unknown> {
  return {
    name,
    resource(typeName, typeOptions) {
      requireVersions(typeName, typeOptions);
      const { version = firstTypeVersion } = typeOptions;
      const type = resource(typeName, { ...typeOptions, version } as never);
      declaredBy.set(type, options);
      return type;
    },
    types: (...types) => assembled(name, types, options),
  };
}

function assembled(name: string, types: readonly ResourceType[], options: DefineOptions): Provider {
  const { settings } = options;
  const byName = new Map(types.map((each) => [each.name, each]));
  const second = types.find((each, at) => types.findIndex(({ name: n }) => n === each.name) < at);
  if (second !== undefined) {
    throw new DuplicateType(`Provider ${name} has two types with the same name: ${second.name}`);
  }
  const foreign = types.find((each) => ![undefined, options].includes(declaredBy.get(each)));
  if (foreign !== undefined) {
    throw new TypeError(
      `Type ${foreign.name} was not declared by provider ${name}; make it with resource of the declaration whose types it belongs to`,
    );
  }
  const other = types.find((each) => each.settings !== undefined && each.settings !== settings);
  if (other !== undefined) {
    throw new TypeError(
      `Type ${other.name} has other settings than provider ${name}; pass the same schema to both`,
    );
  }
  return { ...options, name, types: byName };
}
