// Defines providers: a name and types, each with schemas, three handlers and optional ones.
import type { z } from 'zod';
import { defaultTimeoutSeconds } from '../domain/event.ts';
import { typeOptionFields } from '../domain/type-options.ts';
import { firstTypeVersion } from '../domain/type-version.ts';
import { withoutUndefined } from '../lib/json.ts';
import type { ProviderName } from './compiler/texts.ts';
import type { Declaration, DeclarationOptions, Startable } from './declaration.ts';
import { requireIdentity } from './identity.ts';
import { requireVersions } from './migrations/from.ts';
import { requireObservation } from './observation/declared.ts';
import type { Provider, ResourceType } from './provider.ts';
import { requireTypeOptions, requireWhole } from './type-options.ts';

/** Two types have the same name. `code` identifies the error to programs that imported another copy of this class. */
export class DuplicateType extends TypeError {
  readonly code = 'FAIRLEAD_DUPLICATE_TYPE';
}

type DefineOptions = Omit<Provider, 'name' | 'types'>;

const providerPattern = /^[a-z0-9](?:[-a-z0-9]{0,38}[a-z0-9])?$/;
/** A process that is blocked for a second has a successor first. */
const blockedLimit = { min: 2, max: typeOptionFields.timeoutSeconds.max };
const typePattern = /^[a-z][a-z0-9_-]{0,62}$/;

/**
 * Declares a provider. The result of its `types` must be the default export of its package; it is also for `serve` and `testProvider`.
 *
 * @param name a DNS label of at most 40 characters
 * @param declared settings, `start`, `stop` and `check` of the provider, whose types follow
 * @throws TypeError when Fairlead would reject the name
 * @throws RangeError when Fairlead would reject `concurrency` or `blockedLimitSeconds`
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
 */
export function provider<
  S extends z.ZodObject = z.ZodObject,
  Started extends Startable = void,
  const Name extends string = string,
>(
  name: ProviderName<Name>,
  declared: DeclarationOptions<S, Started> = {},
): Declaration<z.output<S>, Started, z.input<S>> {
  if (!providerPattern.test(name)) throw new TypeError(`"${name}" is not a valid provider name`);
  const { settings, concurrency, blockedLimitSeconds, start, stop, check } = declared;
  const given = { settings, concurrency, blockedLimitSeconds, start, stop, check };
  // The types of arguments are erased here; the runtime parses them with the schemas before every call.
  const options = withoutUndefined(given) as unknown as DefineOptions;
  requireWhole(`Provider ${name}: concurrency`, concurrency, typeOptionFields.concurrency);
  requireWhole(`Provider ${name}: blockedLimitSeconds`, blockedLimitSeconds, blockedLimit);
  requireFunctions(name, options);
  return {
    name,
    resource(typeName, typeOptions) {
      const type = resource(typeName, typeOptions as never);
      declaredBy.set(type, options);
      // Names and values of types are only for the compiler.
      return type as never;
    },
    types: (...types) => assembled(name, types, options),
  };
}

/** The time of a handler stands still while its process is blocked, so this limit is the only one of that time: no handler may block for longer than the longest one may run. */
function requireBlockedLimit(name: string, types: readonly ResourceType[], limit = 0): void {
  const times = types.map(({ timeoutSeconds = defaultTimeoutSeconds }) => timeoutSeconds);
  const longest = Math.max(...times);
  if (types.length === 0 || limit <= longest) return;
  throw new RangeError(
    `Provider ${name}: blockedLimitSeconds is ${limit}; it must be at most ${longest}, the longest timeoutSeconds of its types`,
  );
}

function requireFunctions(name: string, options: DefineOptions): void {
  for (const member of ['start', 'stop', 'check'] as const) {
    if (options[member] === undefined || typeof options[member] === 'function') continue;
    throw new TypeError(`Provider ${name}: ${member} must be a function`);
  }
}

/** The options of the declaration that made a type: its handlers need what the `start` of this one returned. */
const declaredBy = new WeakMap<ResourceType, DefineOptions>();

function resource(
  name: string,
  options: Omit<ResourceType, 'name' | 'version' | 'identity'> & {
    readonly version?: number;
    readonly identity?: unknown;
  },
): ResourceType {
  requireVersions(name, options);
  if (!typePattern.test(name)) throw new TypeError(`"${name}" is not a valid type name`);
  requireTypeOptions(name, options);
  requireObservation(name, options);
  requireOnceOnly(name, options);
  const { version = firstTypeVersion, identity: given, ...others } = options;
  const identity = requireIdentity(name, given);
  if (identity === undefined) return { ...others, name, version };
  if (others.adopt !== undefined) {
    throw new TypeError(`Type ${name}: the schema of its identity is that of adopt; omit adopt`);
  }
  return { ...others, adopt: identity.schema, identity, name, version };
}

function requireOnceOnly(
  type: string,
  { onceOnly, outputs }: Pick<ResourceType, 'onceOnly' | 'outputs'>,
) {
  if (onceOnly === undefined) return;
  if (!Array.isArray(onceOnly) || onceOnly.length === 0) {
    throw new TypeError(`Type ${type}: onceOnly must be a list with the names of outputs`);
  }
  const { shape } = outputs as { readonly shape?: object };
  const unknown = onceOnly.find((name) => shape !== undefined && !Object.hasOwn(shape, name));
  if (unknown === undefined) return;
  throw new TypeError(`Type ${type}: onceOnly has "${String(unknown)}", which is no output`);
}

function assembled(name: string, types: readonly ResourceType[], options: DefineOptions): Provider {
  const byName = new Map(types.map((each) => [each.name, each]));
  const second = types.find((each, at) => types.findIndex(({ name: n }) => n === each.name) < at);
  if (second !== undefined) {
    throw new DuplicateType(`Provider ${name} has two types with the same name: ${second.name}`);
  }
  const foreign = types.find((each) => declaredBy.get(each) !== options);
  if (foreign !== undefined) {
    throw new TypeError(
      `Type ${foreign.name} was not declared by provider ${name}; make it with resource of the declaration whose types it belongs to`,
    );
  }
  requireBlockedLimit(name, types, options.blockedLimitSeconds);
  return { ...options, name, types: byName };
}
