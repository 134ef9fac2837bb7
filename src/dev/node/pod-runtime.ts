// Holds the containers of one pod and their folder. It only executes what `decide` returns.
import { mkdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { StreamingClient } from '../../kube/client.ts';
import type { Clock } from '../../lib/clock.ts';
import { endOrphanProcesses } from '../orphan-processes.ts';
import type { ProcessKeeper } from '../processes.ts';
import { type Backoff, lostRun } from './container-exit.ts';
import { type ContainerRunner, createContainerRunner } from './container-runner.ts';
import { containerEnvironment } from './environment.ts';
import { type ImageRoots, type Launch, launchOf, messageFile } from './launch.ts';
import type { LogFile } from './log-file.ts';
import {
  type Container,
  type ContainerStatus,
  kubeTime,
  type Pod,
  unsupportedPart,
} from './pod.ts';
import type { ContainerView, PodProblem, PodView } from './pod-view.ts';
import { ContainerProblem } from './problem.ts';
import { namespaceSecrets } from './secrets.ts';
import { mountVolumes } from './volumes.ts';

/** The surroundings that every pod of the node needs. */
export interface PodSurroundings {
  readonly client: StreamingClient;
  readonly clock: Clock;
  readonly keeper: ProcessKeeper;
  readonly imageRoots: ImageRoots;
  readonly searchPath: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly backoff: Backoff;
  /** Milliseconds until a failed container start is retried. */
  readonly retryMs: number;
}

interface PodRuntimeOptions extends PodSurroundings {
  readonly pod: Pod;
  readonly folder: string;
  readonly ip: string;
  readonly onChange: () => void;
}

export interface PodRuntime {
  readonly ip: string;
  view(): PodView;
  /** Starts a container, or records why it cannot start. @throws KubeError when a read fails */
  start(pod: Pod, container: string): Promise<void>;
  /** Writes the volumes of running containers again. @throws ContainerProblem, KubeError */
  refreshVolumes(pod: Pod): Promise<void>;
  /** Begins to stop; `onChange` reports the end. */
  stop(containers: readonly string[], graceSeconds: number): void;
  /** Fails the pod, whatever its restart policy. */
  fail(verdict: PodProblem): void;
  release(): void;
  /** The log of a container's current run. */
  log(container: string): LogFile | undefined;
  /** Ends all processes; resolves when they have ended. Nothing starts afterwards. */
  end(graceMs: number): Promise<void>;
}

export function createPodRuntime(options: PodRuntimeOptions): PodRuntime {
  const { pod: first, folder, ip, clock, keeper, backoff, onChange } = options;
  const startTime = first.status?.startTime ?? kubeTime(clock.now());
  const init = runnersOf(first.spec.initContainers, first.status?.initContainerStatuses);
  const main = runnersOf(first.spec.containers, first.status?.containerStatuses);
  const all = new Map([...init, ...main]);
  let verdict: PodProblem | undefined;
  let released = false;
  let closed = false;

  function runnersOf(
    containers: readonly Container[] = [],
    statuses: readonly ContainerStatus[] = [],
  ): ReadonlyMap<string, ContainerRunner> {
    const runners = containers.map((container) => {
      const status = statuses.find(({ name }) => name === container.name);
      const before = restored(status, clock.now());
      const runner = createContainerRunner({
        container,
        ip,
        folder,
        keeper,
        clock,
        backoff,
        before,
        onChange() {
          endOrphanProcessesOfPod();
          onChange();
        },
      });
      return [container.name, runner] as const;
    });
    return new Map(runners);
  }

  async function prepare(pod: Pod, container: Container): Promise<Launch> {
    const unsupported = unsupportedPart(pod.spec);
    if (unsupported !== undefined) {
      throw new ContainerProblem(
        'CreateContainerConfigError',
        `the local node runs pods as Fairlead makes them, and ${unsupported}; a cluster runs others (--kubeconfig)`,
      );
    }
    const { client, imageRoots, searchPath, variables } = options;
    const { name: hostname, namespace = '' } = pod.metadata;
    const secrets = namespaceSecrets(client, namespace);
    const environment = await containerEnvironment(container, { ip, secrets });
    const mounts = await mountVolumes(container, { pod, folder, secrets });
    const place = { folder, hostname, searchPath, variables };
    const launch = launchOf({ container, imageRoots, mounts, environment, ...place });
    for (const name of ['home', 'tmp', 'messages']) {
      mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
    }
    rmSync(messageFile(folder, container.name), { force: true });
    return launch;
  }

  /** The leftovers of one container cannot be distinguished from the processes of another in the pod. */
  function endOrphanProcessesOfPod(): void {
    const runs = [...all.values()].some((each) => each.view().state.kind === 'running');
    if (!runs) endOrphanProcesses(folder);
  }

  return {
    ip,
    view: () => ({
      init: [...init.values()].map((each) => each.view()),
      main: [...main.values()].map((each) => each.view()),
      ip,
      startTime,
      verdict,
      released,
    }),
    async start(pod, name) {
      const runner = all.get(name);
      if (runner === undefined) return;
      try {
        const launch = await prepare(pod, runner.view().container);
        if (closed) return;
        endOrphanProcessesOfPod();
        runner.start(launch);
      } catch (thrown) {
        if (!(thrown instanceof ContainerProblem)) throw thrown;
        runner.refuse(thrown, options.retryMs);
      }
    },
    async refreshVolumes(pod) {
      const secrets = namespaceSecrets(options.client, pod.metadata.namespace ?? '');
      for (const runner of all.values()) {
        const { container, state } = runner.view();
        if (state.kind !== 'running') continue;
        await mountVolumes(container, { pod, folder, secrets });
      }
    },
    stop(containers, graceSeconds) {
      for (const name of containers) void all.get(name)?.stop(graceSeconds * 1_000);
    },
    fail(why) {
      verdict = why;
    },
    release() {
      released = true;
    },
    log: (name) => all.get(name)?.log,
    async end(graceMs) {
      closed = true;
      await Promise.all([...all.values()].map((each) => each.stop(graceMs)));
      endOrphanProcessesOfPod();
    },
  };
}

/** Restores the view of a container whose process ended with an earlier node from the pod's status. */
function restored(
  status: ContainerStatus | undefined,
  now: Date,
): Pick<ContainerView, 'state' | 'restarts' | 'last'> {
  const { restartCount: restarts = 0, state, lastState, containerID } = status ?? {};
  const last = lastState?.terminated;
  if (state?.terminated !== undefined) {
    return { state: { kind: 'ended', ended: state.terminated }, restarts, last };
  }
  if (state?.running !== undefined) {
    const ended = lostRun(state.running.startedAt, containerID, now);
    return { state: { kind: 'ended', ended }, restarts, last };
  }
  // In backoff: it continues from the end of the last run.
  if (last !== undefined)
    return { state: { kind: 'ended', ended: last }, restarts, last: undefined };
  return { state: { kind: 'new' }, restarts, last };
}

/** Returns the folder of a pod below the node's. */
export function podFolder(nodeFolder: string, uid: string): string {
  return join(nodeFolder, 'pods', uid);
}

/** Retries, because ending processes may still write. */
export async function removePodFolder(nodeFolder: string, uid: string): Promise<void> {
  await rm(podFolder(nodeFolder, uid), { recursive: true, force: true, maxRetries: 5 });
}

export function podsFolder(nodeFolder: string): string {
  return dirname(podFolder(nodeFolder, 'any'));
}
