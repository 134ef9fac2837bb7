import { type HandlerLog, type Provider } from '../define.js';
export interface TypeCase {
    /** As a user would send it: what has a default may be left out. */
    readonly config: object;
    /** Another configuration for the same resource, if the type can be changed. */
    readonly changed?: object;
}
export interface CheckOptions {
    /** Name of the resource; one of its own for every run when absent. */
    readonly name?: string;
    /** `testing` */
    readonly organization?: string;
    /** What one event may take, from its first delivery to its end; 30 s. */
    readonly timeoutMs?: number;
    /** What a handler may take to end when its signal is aborted; 5 s. */
    readonly cancelMs?: number;
    /** The longest pause before a handler that said `later` is asked again; 1 s. */
    readonly maximumDelayMs?: number;
    /** Where handlers log to; nowhere when absent. */
    readonly log?: HandlerLog;
}
/**
 * Checks every type of a provider, one after the other, with `checkType`. It needs neither a cluster nor a network of its own.
 *
 * @param provider the provider, made by `provider`
 * @param cases a configuration for each of its types
 * @param options names, times and the log of the check
 * @returns when every check has passed
 * @throws AggregateError with one Error for each broken promise of the provider; its message lists them all
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
 * before and during a call, delete twice, delete of what never was, and a type that the provider does not have. The
 * resource is deleted at the end, also when something is broken.
 *
 *     await checkType(postgres, 'database', { config: { name: 'orders' } });
 *
 * @throws AggregateError with one Error for every broken promise; its message lists them all
 */
export declare function checkType(provider: Provider, type: string, given: TypeCase, options?: CheckOptions): Promise<void>;
