import type { ServerResponse } from 'node:http';
import type { Progress } from '../../domain/progress/value.js';
export interface SignsOfLife {
    /** Begins to send to a connection. @returns a function that ends it */
    sendTo(res: ServerResponse): () => void;
    /** Sends progress: at most once a second, and the last one always while the handler runs. */
    report(progress: Progress): void;
}
interface SignsOfLifeOptions {
    /** When the handler counts as ended, on the monotonic clock. */
    readonly until: number;
    /** Milliseconds between two signs of life. */
    readonly everyMs: number;
}
/** A proxy may drop interim responses: the delivery then has the time of any other, and shows no progress. */
export declare function createSignsOfLife({ until, everyMs }: SignsOfLifeOptions): SignsOfLife;
export {};
