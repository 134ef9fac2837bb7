// Runs in the pod of a provider: loads its code, serves it until SIGTERM, then lets running requests finish.
import { setTimeout as pause } from 'node:timers/promises';
import { jsonLines } from '../../sdk/log.ts';
import { serve } from '../../sdk/serve.ts';
import { placeSdk } from '../sdk-package/place.ts';
import { loadProvider } from './load.ts';

export interface RunOptions {
  /** The unpacked artifact. Its parent folder is ours: `fairlead/provider` is placed there unless it exists already. */
  readonly codeFolder: string;
  /** Name of the deployed provider. */
  readonly provider: string;
  /** Base URL of the Fairlead whose events are trusted. */
  readonly fairlead: string;
  /** The one organization whose events are accepted. */
  readonly organization: string;
  /** Defaults to `0.0.0.0`; if several pods share a machine, the pod's own address. */
  readonly host?: string;
  /** 8080 */
  readonly port?: number;
  /** The time for senders to notice that this pod ends, before it stops accepting events; 2 s. */
  readonly noticeMs?: number;
  /** The time for running handlers, before their signals abort; 20 s. */
  readonly graceMs?: number;
  /** Aborts to stop the provider. */
  readonly stop: AbortSignal;
}

/**
 * Serves a provider until `stop`.
 * @throws LoadFailure; the error of `listen`
 */
export async function runProvider({
  codeFolder,
  provider: name,
  fairlead,
  organization,
  host = '0.0.0.0',
  port = 8080,
  noticeMs = 2_000,
  graceMs = 20_000,
  stop,
}: RunOptions): Promise<void> {
  await placeSdk(codeFolder);
  const provider = await loadProvider(codeFolder, name);
  const served = await serve(provider, { fairlead, host, port, organizations: [organization] });
  jsonLines.info('The provider accepts events', { provider: name, url: served.url });
  await aborted(stop);
  jsonLines.info('The provider is stopping', { provider: name });
  served.drain();
  await pause(noticeMs);
  await served.close(graceMs);
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
