// Runs the controllers while this process is the leader, until it is stopped. Each term has its own controllers, whose
// writes need the lease.
import { setTimeout as pause } from 'node:timers/promises';
import type { Controller } from '../kube/controller.ts';
import { createLeaderElection, type LeaderElection } from '../kube/leader.ts';
import { requireLease, whileLeading } from '../kube/leader-client.ts';
import type { KubeDeps } from './caches.ts';

export interface LeadingOptions {
  readonly kubeDeps: KubeDeps;
  readonly namespace: string;
  /** Unique among candidates; stable over restarts of the same process, which then leads again at once. */
  readonly identity: string;
  /** Must complete before the controllers of a term start. */
  readonly prepare: (client: KubeDeps['client'], signal: AbortSignal) => Promise<void>;
  /**
   * Creates the controllers of one term, whose writes go through the client of `guarded`. `requireLead` is for other
   * external effects: it throws KubeError `aborted` unless this process is certainly the leader.
   */
  readonly controllers: (guarded: KubeDeps, requireLead: () => void) => readonly Controller[];
}

export interface Leading {
  readonly leading: boolean;
  /** Resolves when the work has ended and the lease is released. */
  stop(): Promise<void>;
}

const leaseName = 'fairlead-controller';

// An immediate failure would otherwise acquire and release the lease in a tight loop.
const pauseAfterErrorMs = 5_000;

export function keepLeading(options: LeadingOptions): Leading {
  const { kubeDeps } = options;
  let election: LeaderElection | undefined;
  const stopping = new AbortController();

  async function term(): Promise<void> {
    const { client, clock, random, log } = kubeDeps;
    const { namespace, identity } = options;
    const current = createLeaderElection({
      client,
      namespace,
      name: leaseName,
      identity,
      clock,
      random,
      log,
    });
    election = current;
    const guarded = { ...client, ...whileLeading(client, current) };
    await current.run({
      onStarted: async (signal) => {
        const requireLead = () => requireLease(current);
        const ours = { ...kubeDeps, client: guarded };
        await options.prepare(guarded, signal);
        await reconcile(options.controllers(ours, requireLead), signal);
      },
      onStopped: () => undefined,
    });
  }

  async function terms(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await term();
      } catch (thrown) {
        kubeDeps.log.error({ error: thrown }, 'The leader term failed; retrying');
        await pause(pauseAfterErrorMs, undefined, { signal: stopping.signal }).catch(
          () => undefined,
        );
      }
    }
  }

  const running = terms();
  return {
    get leading() {
      return election?.leading ?? false;
    },
    async stop() {
      stopping.abort();
      await election?.stop();
      await running;
    },
  };
}

async function reconcile(controllers: readonly Controller[], signal: AbortSignal): Promise<void> {
  try {
    await Promise.all(controllers.map((each) => each.start(signal)));
    if (!signal.aborted) {
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
  } finally {
    await Promise.all(controllers.map((each) => each.stop()));
  }
}
