import type { EventBody } from '../../../domain/event.js';
import type { Processes } from './process.js';
export type HandlerName = 'create' | 'update' | 'delete' | 'observe';
export interface Faults {
    loseAnswer(): void;
    crashAfter(handler: HandlerName): void;
    /**
     * @param succeeded whether the answer is a success
     * @returns whether the answer is lost; a new process has started then, if the fault is a crash
     */
    take(event: EventBody, succeeded: boolean): Promise<boolean>;
}
export declare function createFaults(processes: Processes): Faults;
