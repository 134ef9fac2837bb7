// Runs in the pod of a provider: loads its code, serves it until SIGTERM, then lets running requests finish.
import { readFile, realpath } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { aborted } from '../../lib/abort.ts';
import { jsonLines } from '../../sdk/logs/log.ts';
import { StartFailure } from '../../sdk/serve/lifetime.ts';
import { serve } from '../../sdk/serve/serve.ts';
import { placeSdk } from '../place-sdk.ts';
import { loadProvider } from './load.ts';
import { readSettingsFolder, type SettingsFilesOptions } from './settings.ts';

interface RunOptions {
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
  /** The files of the settings. */
  readonly settings?: RunSettings | undefined;
  /** Where it accepts events over TLS, besides `port`. */
  readonly secure?: SecureOptions | undefined;
  /** The time for senders to notice that this pod ends, before it stops accepting events; 2 s. */
  readonly noticeMs?: number;
  /**
   * The time for running handlers, before their signals abort; 20 s. After a crash the others have 30 s, or this when it is given
   * and shorter.
   */
  readonly graceMs?: number | undefined;
  /** Aborts to stop the provider. */
  readonly stop: AbortSignal;
}

interface RunSettings extends SettingsFilesOptions {
  /** Ends the provider when the files change, so that it is started again with the new values. */
  readonly isWatched: boolean;
  /** The longest pause before that: several pods should not end together; 30 s. */
  readonly spreadMs?: number;
  /** The time for readiness probes to fail; a deletion is noticed sooner; 8 s. */
  readonly noticeMs?: number;
}

interface SecureOptions {
  readonly port: number;
  /** Paths of PEM files. */
  readonly certificate: string;
  readonly key: string;
}

const defaultGraceMs = 20_000;
const crashGraceMs = 30_000;

/**
 * Serves a provider until `stop`, or until its settings change.
 * @throws LoadFailure, InvalidSettings, StartFailure; the error of `listen`
 */
export async function runProvider({
  codeFolder,
  provider: name,
  fairlead,
  organization,
  host = '0.0.0.0',
  port = 8080,
  secure,
  noticeMs = 2_000,
  graceMs,
  settings,
  stop,
}: RunOptions): Promise<void> {
  await placeSdk(codeFolder);
  const provider = await loadProvider(codeFolder, name);
  const files = settings === undefined ? undefined : await readSettingsFolder(provider, settings);
  const served = await serve(provider, {
    signal: stop,
    fairlead,
    host,
    port,
    organizations: [organization],
    settings: files?.values ?? {},
    codeFolder: await realpath(codeFolder),
    crashGraceMs: Math.min(graceMs ?? crashGraceMs, crashGraceMs),
    ...(secure === undefined ? {} : { tls: await readTls(secure) }),
  }).catch((thrown: unknown) => {
    // By a probe, or because another version takes its place.
    throw stop.aborted ? stoppedEarly() : thrown;
  });
  jsonLines.info('The provider accepts events', { provider: name, url: served.url });
  const { spreadMs = 30_000, noticeMs: unreadyMs = 8_000 } = settings ?? {};
  const change = settings?.isWatched === true ? files?.changed(stop) : undefined;
  await Promise.race([aborted(stop), ...(change === undefined ? [] : [change])]);
  if (!stop.aborted) {
    jsonLines.info('The settings have changed; the provider ends to be started again', {
      provider: name,
    });
    await pause(Math.random() * spreadMs, undefined, { signal: stop }).catch(() => undefined);
  }
  jsonLines.info('The provider is stopping', { provider: name });
  served.drain();
  await pause(stop.aborted ? noticeMs : unreadyMs);
  await served.close(graceMs ?? defaultGraceMs);
}

function stoppedEarly(): StartFailure {
  const message = 'it was stopped before it was ready; check and start have 60 seconds together';
  return new StartFailure(message, '');
}

async function readTls({ port, certificate, key }: SecureOptions) {
  return { port, cert: await readFile(certificate, 'utf8'), key: await readFile(key, 'utf8') };
}
