import type { HandlerLog } from '../../call.js';
import type { Provider, ResourceType } from '../../provider.js';
import type { Registration } from '../../registrations.js';
import type { TypeCase } from '../case.js';
import type { Findings } from '../findings.js';
import { type Clock } from '../kit/clock.js';
import type { Processes } from '../kit/process.js';
import { type Life, type LifeOptions } from '../life.js';
export interface ObservedResource {
    readonly organization: string;
    readonly name: string;
}
export interface ContractCase extends TypeCase {
    /** The configuration of a second resource beside the first one; `config` when absent. */
    readonly other?: object;
    /**
     * Reads what exists in the backing service for a resource; results are compared as JSON. With it, mistakes are found that outputs
     * do not show, such as a duplicate.
     */
    readonly observe?: (resource: ObservedResource) => unknown;
    /** Settings with which the backing service cannot be reached, such as the address of a closed port. */
    readonly unreachable?: Readonly<Record<string, unknown>>;
    /** False: a late delivery does no harm, such as for a type that makes nothing, and need not be refused. Default true. */
    readonly fenced?: boolean;
    /** Names of outputs that differ after a change and back, such as a revision. */
    readonly volatile?: readonly string[];
    /** Time limit for a handler to end after its signal is aborted; 5 s. */
    readonly cancelMs?: number;
    /** Configs of earlier versions of the type, by the number of the version: the migrations must accept them. */
    readonly earlier?: Readonly<Record<number, object | readonly object[]>>;
}
export interface ContractKit {
    readonly provider: Provider;
    readonly processes: Processes;
    readonly clock: Clock;
    readonly log: HandlerLog;
    readonly organization: string;
}
export interface ContractSubject {
    readonly kit: ContractKit;
    readonly type: ResourceType;
    /** The registration that a build records of the type; undefined when its schemas cannot be converted, which is a finding already. */
    readonly registration: Registration | undefined;
    readonly given: ContractCase;
    readonly found: Findings;
    /** @returns a new resource; with a name of its own, in the organization of the kit */
    resource(differing?: Partial<LifeOptions>): Life;
    /** @returns a new resource whose handlers must see `config` and `changed` as sent */
    watchedResource(): Life;
    /** @returns what exists for a resource; undefined without `observe` */
    observe(resource: ObservedResource): Promise<unknown>;
}
export declare function createSubject(kit: ContractKit, type: ResourceType, { given, found }: {
    readonly given: ContractCase;
    readonly found: Findings;
}): ContractSubject;
