// The faults that a test asks for: an answer that is lost, and a process that ends after the work of a handler.
import type { EventBody } from '../../../domain/event.ts';
import type { Processes } from './process.ts';

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

export function createFaults(processes: Processes): Faults {
  let losesAnswer = false;
  const crashes = new Set<string>();
  return {
    loseAnswer() {
      losesAnswer = true;
    },
    crashAfter(handler) {
      crashes.add(handler);
    },
    async take({ event_type }, succeeded) {
      if (succeeded && crashes.delete(event_type.toLowerCase())) {
        await processes.crash();
        return true;
      }
      const isLost = losesAnswer;
      losesAnswer = false;
      return isLost;
    },
  };
}
