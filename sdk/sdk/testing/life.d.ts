import { type EventBody } from '../../domain/event.js';
import type { JsonObject } from '../../lib/json.js';
import type { HandlerLog } from '../call.js';
import type { Provider, ResourceType } from '../provider.js';
import type { Findings } from './findings.js';
import type { Process } from './kit/process.js';
import { type Ending, type Handling } from './step.js';
export interface Life {
    readonly type: ResourceType;
    readonly name: string;
    readonly organization: string;
    readonly config: JsonObject;
    readonly changed: JsonObject | undefined;
    readonly found: Findings;
    readonly cancelMs: number;
    /** @param event what differs from a create with `config`; with a `sequence` only if it is late */
    readonly send: (event: Partial<EventBody>, how?: Partial<Pick<Delivery, 'signal' | 'timeoutMs' | 'once'>>) => Promise<Ending>;
    /** @returns the `sequence` of the last delivery that was not late */
    readonly sequence: () => number;
}
export interface LifeOptions {
    readonly name?: string | undefined;
    readonly organization?: string | undefined;
    readonly config: JsonObject;
    readonly changed: JsonObject | undefined;
    readonly found: Findings;
    /** The process that receives the events. */
    readonly process: () => Process;
    readonly log: HandlerLog;
    readonly timeoutMs?: number | undefined;
    readonly cancelMs?: number | undefined;
    readonly maximumDelayMs: number;
}
export declare function createLife(provider: Provider, type: ResourceType, options: LifeOptions): Life;
interface LifeChange {
    readonly outputs: JsonObject;
    /** The first config of the resource when absent. */
    readonly previous?: JsonObject;
    readonly config?: JsonObject;
}
/** @returns an update, without a change unless `config` is another one than `previous` */
export declare function updateOf(life: Life, { outputs, previous, config }: LifeChange): {
    readonly event_type: 'UPDATE';
    readonly previous_config: JsonObject;
    readonly previous_schema_version: number;
    readonly config: JsonObject;
    readonly outputs: JsonObject;
};
export declare function newKey(): string;
export declare function newName(): string;
interface Delivery extends Omit<Handling, 'signal'> {
    /** Time limit of one event, including `later`. */
    readonly timeoutMs: number;
    /** Longest pause before the next call, regardless of the requested delay. */
    readonly maximumDelayMs: number;
    /** @returns the `sequence` of the next call of a handler, unless the event has one */
    readonly nextSequence: () => number;
    /** Aborts the handler's signal. */
    readonly signal?: AbortSignal;
    /** True: another call that the handler asks for is not made. */
    readonly once?: boolean;
}
export {};
