import { type EventBody } from '../../../domain/event.js';
import type { Progress } from '../../../domain/progress/value.js';
import type { HandlerLog } from '../../call.js';
import type { Provider, ResourceType } from '../../provider.js';
import { type Ending, type Later } from '../step.js';
import { type Clock } from './clock.js';
import type { Faults } from './faults.js';
import type { Processes } from './process.js';
export interface Delivering {
    readonly provider: Provider;
    readonly type: ResourceType;
    readonly processes: Processes;
    readonly clock: Clock;
    readonly log: HandlerLog;
    readonly faults: Faults;
    /** @returns the `sequence` of the next delivery */
    readonly nextSequence: () => number;
    /** Receives each delivery before it is made. */
    readonly onDelivery: (event: EventBody) => void;
    /** Receives what a handler reports, also with `later`. */
    readonly onProgress: (progress: Progress) => void;
}
/** An event without what differs between its deliveries. */
export type KitEvent = Omit<EventBody, 'attempt' | 'sequence' | 'context'>;
type EndedCourse = Exclude<Ending, {
    kind: 'unanswered';
}>;
export declare function deliverToEnd(event: KitEvent, delivering: Delivering): Promise<EndedCourse>;
/** @returns the answer to one delivery; `TIMEOUT` when the handler runs beyond the limit of its type, which takes real time */
export declare function deliverOnce(event: EventBody, { provider, type, processes, log, onProgress }: Delivering): Promise<EndedCourse | Later>;
export {};
