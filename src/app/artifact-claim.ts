// Claims the place of the artifacts for this installation, also when it removes nothing there: another one must know of it.
import type { ArtifactStore } from '../domain/providers/artifact.ts';
import type { KubeClient } from '../kube/api.ts';
import { pause, systemTimers } from '../kube/timers.ts';
import type { Log } from '../lib/log.ts';
import { namespaceKind } from '../store/kinds.ts';

interface ClaimDeps {
  readonly client: KubeClient;
  readonly artifacts: Pick<ArtifactStore, 'claim'>;
  readonly systemNamespace: string;
  readonly log: Log;
}

/** The interval at which another installation reads claims. */
const intervalMs = 60 * 60_000;
const retryMs = 60_000;
/** A store that does not answer must not hold up the start or the end of a process for longer. */
const patienceMs = 5_000;

/** Claims once, and then again every hour, because an administrator of another installation may have removed the claim. */
export async function startClaiming(stack: AsyncDisposableStack, deps: ClaimDeps): Promise<void> {
  const stopping = new AbortController();
  const first = claimOnce(deps);
  const claiming = keepClaiming(first, deps, stopping.signal);
  stack.defer(async () => {
    stopping.abort();
    await Promise.race([claiming, pause(systemTimers, patienceMs)]);
  });
  // An upload before the claim would be a sign of another user.
  await Promise.race([first, pause(systemTimers, patienceMs, stopping.signal)]);
}

async function keepClaiming(
  first: Promise<boolean>,
  deps: ClaimDeps,
  signal: AbortSignal,
): Promise<void> {
  for (let claimed = await first; !signal.aborted; claimed = await claimOnce(deps)) {
    await pause(systemTimers, claimed ? intervalMs : retryMs, signal);
    if (signal.aborted) return;
  }
}

async function claimOnce({ client, artifacts, systemNamespace, log }: ClaimDeps): Promise<boolean> {
  try {
    const { metadata } = await client.get(namespaceKind, { name: systemNamespace });
    if (metadata.uid !== undefined) await artifacts.claim(metadata.uid);
    return true;
  } catch (thrown) {
    log.warn(
      { error: thrown },
      'The artifact store cannot be claimed; it is tried again in a minute',
    );
    return false;
  }
}
