import type { HandlerLog, Provider } from './define.js';
export interface ServeOptions {
    /** Base address of the Fairlead whose events are believed; `http://localhost:8000`. */
    readonly fairlead?: string;
    /** 8080; 0 for any free one. */
    readonly port?: number;
    /** `127.0.0.1`; in a pod `0.0.0.0`. */
    readonly host?: string;
    /** The organizations that may use this provider; all when absent. */
    readonly organizations?: readonly string[];
    readonly log?: HandlerLog;
}
export interface ServedProvider {
    readonly port: number;
    readonly url: string;
    /** Answers `/readyz` with 503 from now on, so that nobody sends anything new; takes what comes all the same. */
    drain(): void;
    /** Takes no new event, lets handlers end, and aborts their signals after `graceMs`; 10 s. */
    close(graceMs?: number): Promise<void>;
}
/**
 * Serves a provider until `close`.
 * @throws the error of `listen`, such as EADDRINUSE
 */
export declare function serve(provider: Provider, options?: ServeOptions): Promise<ServedProvider>;
