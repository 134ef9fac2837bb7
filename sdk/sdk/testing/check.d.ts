import type { AnyObject, HandlerLog } from '../call.js';
import type { Provider } from '../provider.js';
import { type TypeCase } from './case.js';
export interface CheckOptions {
    /** Name of the resource; a new one for every run when absent. */
    readonly name?: string;
    /** `testing` */
    readonly organization?: string;
    /** The settings that the provider declares; defaults are filled in. */
    readonly settings?: AnyObject;
    /** Time limit of one event, from its first delivery to its end; the `timeoutSeconds` of its type, or 30 s. */
    readonly timeoutMs?: number;
    /** Time limit for a handler to end after its signal is aborted; 5 s. */
    readonly cancelMs?: number;
    /** The longest pause before a handler that returned `later` is called again; 1 s. */
    readonly maximumDelayMs?: number;
    /** The log of the handlers; none when absent. */
    readonly log?: HandlerLog;
}
/**
 * Checks every type of a provider, one after the other, with `checkType`. It needs neither a cluster nor a network of its own.
 *
 * @param provider the provider, made by `provider`
 * @param cases a configuration for each of its types
 * @param options names, times and the log of the check
 * @returns when every check has passed
 * @throws AggregateError with one Error for each broken rule; its message lists them all
 * @example
 * ```ts
 * it('keeps its promises', async () => {
 *   await testProvider(storage, {
 *     bucket: { config: { region: 'eu-central-1' }, changed: { region: 'eu-west-1' } },
 *   });
 * });
 * ```
 */
export declare function testProvider(provider: Provider, cases: Readonly<Record<string, TypeCase>>, options?: CheckOptions): Promise<void>;
/**
 * Checks one type: create twice with one key, update without a change, update to `changed`, a signal that is aborted
 * before and during a call, delete twice, delete of a resource that never existed, and an unknown type. The resource is
 * deleted at the end, also when a rule is broken.
 *
 *     await checkType(postgres, 'database', { config: { name: 'orders' } });
 *
 * @throws AggregateError with one Error for every broken rule; its message lists them all
 */
export declare function checkType(provider: Provider, type: string, given: TypeCase, options?: CheckOptions): Promise<void>;
