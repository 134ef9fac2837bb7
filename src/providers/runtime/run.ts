// Runs in the pod of a provider: loads its code, serves it until SIGTERM, then lets running requests finish.
import { setTimeout as pause } from 'node:timers/promises';
import { jsonLines } from '../../sdk/log.ts';
import { serve } from '../../sdk/serve.ts';
import { placeSdk } from '../sdk-package/place.ts';
import { loadProvider } from './load.ts';

export interface RunOptions {
  /** The unpacked artifact. Its parent folder is ours: `fairlead/provider` is placed there unless it is there already. */
  readonly codeFolder: string;
  /** Name of the provider that was deployed. */
  readonly provider: string;
  /** Base address of the Fairlead whose events are believed. */
  readonly fairlead: string;
  /** The one organization whose events are taken. */
  readonly organization: string;
  /** `0.0.0.0`; where several pods share a machine, the pod's own address. */
  readonly host?: string;
  /** 8080 */
  readonly port?: number;
  /** For whoever sends events to notice that this pod ends, before it takes no more; 2 s. */
  readonly noticeMs?: number;
  /** For running handlers to end, before their signals are aborted; 20 s. */
  readonly graceMs?: number;
  /** Aborted when it should end. */
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
  jsonLines.info('The provider takes events', { provider: name, url: served.url });
  await aborted(stop);
  jsonLines.info('The provider stops', { provider: name });
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
