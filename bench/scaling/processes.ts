// The processes of Fairlead in the model. Queue, workers, rate limiter, limiter of providers and shards are the real code; what they
// wait for is modelled: the thread of the process, its connections to the API server, and the providers.
import { FairleadError } from '../../src/domain/errors.ts';
import type { Organization } from '../../src/domain/identity.ts';
import {
  createRateLimiter,
  type RateLimiter,
  type RateSettings,
} from '../../src/http/limits/rate-limit.ts';
import { type Key, type Outcome, settled } from '../../src/kube/api.ts';
import { type Controller, createController, type Source } from '../../src/kube/controller.ts';
import { createWorkqueue } from '../../src/kube/workqueue.ts';
import { silentLog } from '../../src/lib/log.ts';
import {
  createProviderLimiter,
  defaultConcurrentDeliveries,
} from '../../src/reconcilers/resource/provider-limiter.ts';
import type { ApiServer } from './api-server.ts';
import type { Costs } from './figures.ts';
import { logNormal, type Random } from './random.ts';
import { createSlots, type Slots, type Thread } from './stations.ts';
import type { VirtualTime } from './virtual-time.ts';
import { type State, state, type World } from './world.ts';

export interface Surroundings {
  readonly time: VirtualTime;
  readonly world: World;
  readonly costs: Costs;
  readonly apiServer: ApiServer;
  readonly random: Random;
}

/** Connections of one process to the API server; see kube/transport.ts. */
const connections = 32;

export interface Process {
  readonly thread: Thread;
  /** Writes over one of the connections of the process. */
  write(resource: number, next: State, done: () => void): void;
  stop(): void;
}

export function createProcess({ time, costs, apiServer }: Surroundings, thread: Thread): Process {
  const pool: Slots = createSlots(connections);
  let isStopped = false;
  return {
    thread,
    write(resource, next, done) {
      pool.enter((leave) => {
        if (isStopped) return;
        time.after(costs.networkMs / 2, () => {
          apiServer.write(resource, next, () => {
            time.after(costs.networkMs / 2, () => {
              leave();
              if (!isStopped) done();
            });
          });
        });
      });
    },
    stop() {
      isStopped = true;
    },
  };
}

export interface ApiProcess {
  /** Answers an apply: undefined once the Resource is stored, or the seconds after which to try again. */
  apply(resource: number, answered: (retryAfter: number | undefined) => void): void;
}

interface ApiProcessOptions {
  readonly process: Process;
  readonly rates: RateSettings;
  readonly replicas: () => number;
}

export function createApiProcess(
  { time, world, costs, apiServer }: Surroundings,
  { process, rates, replicas }: ApiProcessOptions,
): ApiProcess {
  const limiter = createRateLimiter({ rates, clock: time.clock, replicas });
  apiServer.watch(() => process.thread.charge(costs.eventMs));
  return {
    apply(resource, answered) {
      const retryAfter = refusal(limiter, world, resource);
      if (retryAfter !== undefined) {
        answered(retryAfter);
        return;
      }
      process.thread.run(costs.applyMs, () => {
        process.write(resource, state.pending, () => answered(undefined));
      });
    },
  };
}

/** The limiter sets headers of the response; nobody reads them here. */
const response = { setHeader: () => undefined } as unknown as Parameters<RateLimiter['take']>[2];

/** @returns the seconds after which to try again */
function refusal(limiter: RateLimiter, world: World, resource: number): number | undefined {
  const namespace = world.namespaceOf(world.organizationOf[resource] ?? 0);
  const organization = { issuer: 'https://issuer.test', id: namespace, namespace } as Organization;
  try {
    limiter.take(organization, 'default', response);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof FairleadError) || thrown.code !== 'too_many_requests') throw thrown;
    return thrown.retryAfter ?? 1;
  }
}

export interface ControllerProcess {
  /** Returns the controller of a shard for one term: it sweeps existing Resources first. */
  controllerOf(shard: number): Controller;
  /** Starts the work on a shard, for good. */
  lead(shard: number): void;
  /** Enqueues a Resource that waits already, as when its provider answers again. */
  wake(resource: number): void;
  /** Stops like a crash: nothing that was under way is recorded. */
  kill(): void;
  readonly led: ReadonlySet<number>;
}

interface ControllerProcessOptions {
  readonly process: Process;
  readonly workers: number;
  /** The shard of each organization. */
  readonly shardOfOrganization: Int32Array;
  /** The group of a key in the queue, instead of its namespace: for comparisons. */
  readonly groupOf?: (key: Key) => string;
}

type Enqueue = (keys: Iterable<Key>, priority: 'fresh' | 'sweep') => void;

export function createControllerProcess(
  surroundings: Surroundings,
  options: ControllerProcessOptions,
): ControllerProcess {
  const { time, world, costs, apiServer, random } = surroundings;
  const { process, workers, shardOfOrganization, groupOf } = options;
  /** The cache of this process. */
  const seen = new Uint8Array(world.states);
  /** The shards that are worked on. */
  const shards = new Map<number, Enqueue>();
  const dying = new AbortController();

  apiServer.watch((resource, next) => {
    if (dying.signal.aborted) return;
    process.thread.charge(costs.eventMs);
    if ((seen[resource] ?? 0) < next) seen[resource] = next;
    shards.get(shardOf(resource))?.([world.keyOf(resource)], 'fresh');
  });

  function shardOf(resource: number): number {
    return shardOfOrganization[world.organizationOf[resource] ?? 0] ?? 0;
  }

  const compute = (ms: number) => new Promise<void>((done) => process.thread.run(ms, done));
  const answer = () => {
    const ms = costs.networkMs + logNormal(random, costs.answerMs, costs.answerSpread);
    return new Promise<void>((done) => time.after(ms, done));
  };
  const write = (resource: number, next: State) =>
    new Promise<void>((done) => {
      process.write(resource, next, () => {
        // As the informer remembers own writes.
        seen[resource] = next;
        done();
      });
    });

  function controllerOf(shard: number): Controller {
    const { clock, timers } = time;
    const queue = createWorkqueue({ clock, timers, random, workers, ...(groupOf && { groupOf }) });
    const limiter = createProviderLimiter<never>({
      width: () => defaultConcurrentDeliveries,
      onFree: (key) => queue.add(key),
    });
    const part = costs.lifecycleMs / 3;

    /** Claim, delivery, result: as the reconciler of resources does when nothing fails. */
    async function reconcile(key: Key): Promise<Outcome> {
      const resource = world.resourceOf(key);
      if (seen[resource] === state.pending) {
        await compute(part);
        await write(resource, state.processing);
      }
      if (seen[resource] !== state.processing) return settled;
      const provider = `${key.slice(0, key.indexOf('/'))}/noop`;
      if (limiter.enter(provider, { key, attempt: key }).enter !== 'go') return settled;
      await compute(part);
      await answer();
      limiter.leave(provider, 'answered');
      await compute(part);
      await write(resource, state.ready);
      return settled;
    }

    return createController({
      reconciler: { name: 'resource', reconcile },
      sources: [sourceOf(shard)],
      queue,
      clock,
      timers,
      log: silentLog,
      concurrency: workers,
    });
  }

  function sourceOf(shard: number): Source {
    return {
      ready: () => Promise.resolve(),
      subscribe(enqueue) {
        shards.set(shard, enqueue);
        enqueue(keysOf(shard), 'sweep');
        return () => shards.delete(shard);
      },
    };
  }

  /** Every existing key is swept, whether or not it needs work. */
  function* keysOf(shard: number): Iterable<Key> {
    for (const [organization, its] of shardOfOrganization.entries()) {
      if (its === shard) yield* keysIn(organization);
    }
  }

  function* keysIn(organization: number): Iterable<Key> {
    const end = world.firstOf[organization + 1] ?? 0;
    for (let resource = world.firstOf[organization] ?? 0; resource < end; resource += 1) {
      if (seen[resource] !== state.absent) yield world.keyOf(resource);
    }
  }

  return {
    controllerOf,
    lead: (shard) => void controllerOf(shard).start(dying.signal),
    wake(resource) {
      seen[resource] = world.states[resource] ?? state.absent;
      shards.get(shardOf(resource))?.([world.keyOf(resource)], 'fresh');
    },
    kill() {
      process.stop();
      dying.abort();
      shards.clear();
    },
    get led() {
      return new Set(shards.keys());
    },
  };
}
