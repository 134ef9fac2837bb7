import type { Provider } from '../provider.js';
import type { ServeOptions } from './serve-options.js';
export interface ServedProvider {
    readonly port: number;
    readonly url: string;
    /** Answers `/readyz` with 503 from now on, so that no new events are sent; events that still arrive are accepted. */
    drain(): void;
    /** Accepts no new event, waits for handlers, and aborts their signals after `graceMs`; 10 s. */
    close(graceMs?: number): Promise<void>;
}
/**
 * Checks the settings with `check` of the provider, calls its `start`, and serves it over HTTP or HTTPS until `close`, which calls
 * `stop`. A provider that Fairlead runs needs no such call; this is for one that runs
 * elsewhere, with its address as the endpoint of its Provider object.
 *
 * Until `close`, an uncaught error, an unhandled rejection and `process.exit` of a handler's code end the process only after the
 * other handlers, or `crashGraceMs`. The event of that handler fails at once, with the code `crashed`; other events are refused. A
 * listener of the program for `uncaughtException` decides itself. Errors of other code end the process as usual.
 *
 * Until `close`, the last lines that a handler writes to its `log`, standard output and standard error are part of the answer when
 * its event fails, for the dead letter. They are written as before.
 *
 * @param provider the provider, made by `provider`
 * @param options the address to listen on, and the Fairlead whose events are accepted
 * @returns the server, as soon as it listens
 * @throws the error of `listen`, such as EADDRINUSE
 * @throws InvalidSettings when the settings do not fit their schema
 * @throws StartFailure when `check` or `start` throws
 * @example
 * ```ts
 * const served = await serve(storage, { fairlead: 'https://fairlead.example.org', port: 8080 });
 * process.once('SIGTERM', () => void served.close());
 * ```
 */
export declare function serve(provider: Provider, options?: ServeOptions): Promise<ServedProvider>;
