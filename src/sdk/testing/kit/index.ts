// The test kit: a provider in a process of its own making, and resources that are applied and deleted as by Fairlead, without a
// cluster or network.
import type { AnyObject, HandlerLog } from '../../call.ts';
import type { SettingsOf, TypeNameOf, WrittenOf } from '../../declaration.ts';
import type { Provider, ResourceType } from '../../provider.ts';
import { type ContractCase, contract } from '../contract/index.ts';
import { listedPage } from '../observation.ts';
import { silent } from '../silent.ts';
import type { Clock } from './clock.ts';
import { createFaults } from './faults.ts';
import type { KitResource, ResourceSettings } from './kit-resource.ts';
import { createOwners } from './owners.ts';
import { startProcesses } from './process.ts';
import { createResource } from './resource.ts';

export interface KitOptions<Settings = AnyObject> {
  /** The settings that the provider declares; defaults are filled in. */
  readonly settings?: Settings;
  /**
   * `virtual`, the default: the waits of Fairlead take no time, those after `later` and before a retry. Timers in the code of the
   * provider, and limits of handlers, are real. `real`: waits as with Fairlead, for operations of a service that need their time.
   */
  readonly clock?: Clock;
  /** `testing` */
  readonly organization?: string;
  /** The log of the handlers, of `start` and of `check`; none when absent. */
  readonly log?: HandlerLog;
}

/** An object that the handler `list` returned. */
export interface KitListed<Adopt = object> {
  readonly adopt: Adopt;
  readonly name?: string;
  readonly config?: object;
  /** The name of the resource of the kit that has the object, by `identity` of the type; null without one. */
  readonly managedBy: string | null;
}

export interface Kit<P extends Provider = Provider> extends AsyncDisposable {
  /** @returns the resource; the same one for the same type and name. @throws TypeError when the provider has no such type */
  resource<Type extends TypeNameOf<P>>(
    type: Type,
    name: string,
    settings?: ResourceSettings,
  ): KitResource<WrittenOf<P, Type>['config'], WrittenOf<P, Type>['adopt']>;
  /**
   * Calls the handler `list` for one page after the other, as `fairlead import --list` does.
   *
   * @returns the objects of all pages
   * @throws Error when the type has no such handler, when it returned no page, and when it returned a cursor twice
   * @example
   * ```ts
   * const free = (await kit.list('bucket')).filter(({ managedBy }) => managedBy === null);
   * assert.deepEqual(free.map(({ adopt }) => adopt), [{ id: 'made-by-hand' }]);
   * ```
   */
  list<Type extends TypeNameOf<P>>(
    type: Type,
  ): Promise<readonly KitListed<WrittenOf<P, Type>['adopt']>[]>;
  /**
   * Checks what Fairlead expects of a type: see `ContractCase`.
   *
   * @throws AggregateError with one Error for each promise that is broken; its message lists them all, and what to do
   * @example
   * ```ts
   * await kit.contract('database', { config: { prefix: 'a' }, changed: { prefix: 'b' } });
   * ```
   */
  contract<Type extends TypeNameOf<P>>(
    type: Type,
    given: ContractCase<WrittenOf<P, Type>['config']>,
  ): Promise<void>;
  /** Calls `stop`, so that the process of the tests can end. `await using` does it, too. */
  close(): Promise<void>;
}

/**
 * Starts a provider for tests: calls its `check` and `start` once. Handlers run through the code that serves events.
 *
 * @param provider the provider, made by `provider`
 * @param options settings, clock, organization and log
 * @returns the kit; close it
 * @throws InvalidSettings when the settings do not fit their schema
 * @throws what `check` or `start` throws
 * @example
 * ```ts
 * await using kit = await testKit(storage, { settings: { url } });
 * const orders = kit.resource('bucket', 'orders');
 * assert.partialDeepStrictEqual(await orders.apply({ region: 'eu' }), { state: 'ready' });
 * orders.crashAfter('update');
 * assert.partialDeepStrictEqual(await orders.apply({ region: 'us' }), { state: 'ready' });
 * assert.equal((await orders.late()).changed, false);
 * assert.deepEqual(await orders.delete(), { state: 'deleted' });
 * ```
 */
export async function testKit<P extends Provider>(
  provider: P,
  options: KitOptions<SettingsOf<P>> = {},
): Promise<Kit<P>> {
  const { settings = {}, clock = 'virtual', organization = 'testing', log = silent } = options;
  const processes = await startProcesses(provider, { settings, log });
  const resources = new Map<string, KitResource>();
  const owners = createOwners();
  return {
    resource(typeName, name, resourceSettings = {}) {
      const type = requiredType(provider, typeName);
      const key = `${typeName}/${name}`;
      const faults = createFaults(processes);
      const common = { provider, type, processes, clock, log, faults, owners };
      const found =
        resources.get(key) ?? createResource({ organization, name }, common, resourceSettings);
      resources.set(key, found);
      return found;
    },
    async list(typeName) {
      const type = requiredType(provider, typeName);
      const listed: KitListed[] = [];
      const cursors = new Set<string | null>();
      let cursor: string | null | undefined = null;
      while (cursor !== undefined) {
        if (cursors.has(cursor)) throw new Error(`list returned the cursor "${cursor}" twice`);
        cursors.add(cursor);
        const page = await listedPage({ provider, processes, organization, log }, type, cursor);
        for (const item of page.items) {
          listed.push({ ...item, managedBy: owners.having(type, item.adopt) ?? null });
        }
        cursor = page.cursor;
      }
      return listed as never;
    },
    contract: (type, given) =>
      contract({ provider, processes, clock, log, organization }, type, given as ContractCase),
    close: () => processes.close(),
    [Symbol.asyncDispose]: () => processes.close(),
  };
}

function requiredType({ name, types }: Provider, type: string): ResourceType {
  const found = types.get(type);
  if (found !== undefined) return found;
  const known = [...types.keys()].join(', ') || 'none';
  throw new TypeError(`Provider ${name} has no type "${type}"; its types are: ${known}`);
}
