// The options of `serve`: their declarations need no types of Node.js, which authors may not have installed.
import type { AnyObject, HandlerLog } from '../call.ts';

export interface ServeOptions {
  /** Base address of the trusted Fairlead; `http://localhost:8000`. */
  readonly fairlead?: string;
  /** 8080; 0 for any free one. */
  readonly port?: number;
  /** `127.0.0.1`; in a pod `0.0.0.0`. */
  readonly host?: string;
  /** The organizations that may use this provider; all when absent. */
  readonly organizations?: readonly string[];
  /** The settings that the provider declares; defaults are filled in. */
  readonly settings?: AnyObject;
  readonly log?: HandlerLog;
  /**
   * Milliseconds between signs of life (102) while a handler runs; 5000. It must be well below the `FAIRLEAD_EVENT_TIMEOUT_MS` of
   * Fairlead.
   */
  readonly heartbeatMs?: number;
  /** Serves over TLS 1.3. */
  readonly tls?: ServeTls;
  /** Milliseconds for the other handlers to end, when one ends the process; 30000. */
  readonly crashGraceMs?: number;
  /** The folder of the code, without symbolic links: places in errors are shown relative to it; the working directory. */
  readonly codeFolder?: string;
  /** Aborted to give up while the provider starts; later, call `close`. */
  readonly signal?: AbortSignal;
}

export interface ServeTls {
  /** Certificate, followed by those of intermediate authorities, as PEM. */
  readonly cert: string;
  /** Private key as PEM. */
  readonly key: string;
  /** A port besides `port`, which then stays unencrypted. Without it, `port` uses TLS. */
  readonly port?: number;
}
