import { type EventBody, type ObservedBody } from '../../domain/event.js';
import type { Progress } from '../../domain/progress/value.js';
import { type JsonObject } from '../../lib/json.js';
import type { AnyObject, HandlerLog } from '../call.js';
import { type ProgressReceiver } from '../progress.js';
import type { Provider } from '../provider.js';
export type Ending = Succeeded | Failed | {
    readonly kind: 'unanswered';
    readonly afterMs: number;
};
interface Succeeded {
    readonly kind: 'succeeded';
    readonly outputs: JsonObject;
    /** The body of the answer to an OBSERVE. */
    readonly observed?: ObservedBody;
}
export interface Failed {
    readonly kind: 'failed';
    /** Fairlead would not retry. */
    readonly terminal: boolean;
    readonly code: string;
    readonly message: string;
    /** The thrown error with its stack. */
    readonly thrown?: unknown;
}
/** The handler returned `later`, or called `retry`. */
export interface Later {
    readonly kind: 'later';
    readonly delayMs: number;
    readonly context: JsonObject | null;
    readonly progress: Progress | undefined;
}
/** The values that a handler receives besides the event. */
export interface Handling {
    readonly settings: AnyObject;
    readonly started: AnyObject;
    readonly log: HandlerLog;
    readonly signal: AbortSignal;
    /** Receives what the handler reports while it runs. */
    readonly onProgress?: ProgressReceiver['accept'];
}
export declare function step(provider: Provider, event: EventBody, { log, onProgress, ...handling }: Handling): Promise<Exclude<Ending, {
    kind: 'unanswered';
}> | Later>;
export {};
