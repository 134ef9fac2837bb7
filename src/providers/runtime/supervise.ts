// Runs in the pod of a provider: serves its events until SIGTERM, then lets running handlers end. The code of the author runs in children.
import { readFile, realpath } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { aborted } from '../../lib/abort.ts';
import type { ChildOptions } from './messages.ts';
import { print, printed } from './supervisor/output.ts';
import { createPool } from './supervisor/pool.ts';
import { servePool } from './supervisor/serve.ts';

export interface SuperviseOptions extends ChildOptions {
  /** Base URL of the Fairlead whose events are trusted. */
  readonly fairlead: string;
  /** The one organization whose events are accepted. */
  readonly organization: string;
  /** Defaults to `0.0.0.0`; if several pods share a machine, the pod's own address. */
  readonly host?: string;
  /** 8080 */
  readonly port?: number;
  /** Where it accepts events over TLS, besides `port`. */
  readonly secure?: SecureOptions | undefined;
  /** The limit of the container in MiB: two children share it. */
  readonly memoryMi?: number;
  /** A process that ends without an event within this time of the start ends the pod, as Kubernetes expects it of a bad version; 15 s. */
  readonly earlyMs?: number;
  /** The time for senders to notice that this pod ends, before it stops accepting events; 2 s. */
  readonly noticeMs?: number;
  /** The time for running handlers, before their events are answered as interrupted; 20 s. */
  readonly graceMs?: number | undefined;
  /** Aborts to stop the provider. */
  readonly stop: AbortSignal;
}

interface SecureOptions {
  readonly port: number;
  /** Paths of PEM files. */
  readonly certificate: string;
  readonly key: string;
}

/**
 * Serves a provider until `stop`.
 * @returns the exit code: 0 after `stop`, else 1
 * @throws the error of `listen`
 */
export async function supervise(options: SuperviseOptions): Promise<number> {
  const { provider, codeFolder, settings, secure, memoryMi, stop } = options;
  const { fairlead, organization, host = '0.0.0.0', port = 8080 } = options;
  const { noticeMs = 2_000, graceMs = 20_000, earlyMs = 15_000 } = options;
  const log = (level: string, message: string, fields: object) => {
    const entry = { level, time: new Date().toISOString(), message, provider };
    print('stdout', `${JSON.stringify({ ...entry, ...fields })}\n`);
  };
  const pool = createPool({
    child: { codeFolder, provider, settings },
    codeFolder: await realpath(codeFolder).catch(() => codeFolder),
    ...{ memoryMi, earlyMs, log },
  });
  await Promise.race([pool.started, aborted(stop)]);
  if (stop.aborted || !(await pool.started)) {
    // The child has printed why.
    await pool.stop();
    await printed();
    return 1;
  }
  const tls = secure === undefined ? undefined : await readTls(secure);
  const served = await servePool(pool, { provider, fairlead, organization, host, port, tls });
  log('info', 'The provider accepts events', { url: served.url });
  await Promise.race([aborted(stop), pool.givenUp]);
  const isGivenUp = !stop.aborted;
  log('info', 'The provider is stopping', {});
  served.drain();
  if (!isGivenUp) await pause(noticeMs);
  await served.close(isGivenUp ? 0 : graceMs);
  await printed();
  return isGivenUp ? 1 : 0;
}

async function readTls({ port, certificate, key }: SecureOptions) {
  return { port, cert: await readFile(certificate, 'utf8'), key: await readFile(key, 'utf8') };
}
