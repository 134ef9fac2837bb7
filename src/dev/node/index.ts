// Runs the pods that the scheduler assigns to the local node as processes of this machine, so that Jobs and Deployments
// work without containers. It isolates nothing: a pod has all rights of the user who started it. CPU and memory limits are
// not enforced, and only images whose code is on this machine, and pods as Fairlead makes them, are supported.
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Informer, Key } from '../../kube/api.ts';
import type { StreamingClient } from '../../kube/client.ts';
import { createController, watchCache } from '../../kube/controller.ts';
import { createInformer } from '../../kube/informer/informer.ts';
import { createWorkqueue } from '../../kube/queue/workqueue.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { endOrphanProcesses } from '../orphan-processes.ts';
import { createProcessKeeper, endOrphans } from '../processes.ts';
import { type Addresses, createAddresses } from './addresses.ts';
import { type Backoff, defaultBackoff } from './container-exit.ts';
import type { ImageRoots } from './launch.ts';
import { loggedRuns, logPath, runToRead } from './log-file.ts';
import { type FoundLog, type LogAddress, serveLogs } from './log-server.ts';
import { type Pod, podKind } from './pod.ts';
import { podFolder, podsFolder, removePodFolder } from './pod-runtime.ts';
import { createPods, type Pods } from './pods.ts';
import { machineOf, registerNode } from './register.ts';
import { isContainerWaiting, isOver } from './status.ts';

export interface LocalNodeOptions {
  readonly client: StreamingClient;
  readonly clock: Clock;
  readonly log: Log;
  /** A number in [0, 1). */
  readonly random: () => number;
  /** The control plane's data folder, whose serving certificate the node shares; the node's own data is in `node` below. */
  readonly dataFolder: string;
  /** Defaults to `fairlead-local`. */
  readonly name?: string;
  /** Image → folder with the code that the image has in `/app`. */
  readonly imageRoots: ImageRoots;
  /** Where to find programs that Node does not include. */
  readonly searchPath: string;
  /** Variables for every container: how this machine reaches external networks. */
  readonly network?: Readonly<Record<string, string>>;
  /** The port of the log server; defaults to any free port. */
  readonly logPort?: number;
  readonly backoff?: Backoff;
  /** Milliseconds until a failed container start is retried; defaults to 5 s. */
  readonly retryMs?: number;
}

export interface LocalNode {
  readonly name: string;
  readonly logPort: number;
  /** Ends every process; the next start resumes the pods. */
  stop(): Promise<void>;
}

const stopGraceMs = 5_000;
const readyMs = 30_000;

/** @throws KubeError when the node cannot be registered; nothing is left running then */
export async function startNode(options: LocalNodeOptions): Promise<LocalNode> {
  const stack = new AsyncDisposableStack();
  try {
    return await assembleNode(stack, options);
  } catch (thrown) {
    await stack.disposeAsync();
    throw thrown;
  }
}

async function assembleNode(
  stack: AsyncDisposableStack,
  options: LocalNodeOptions,
): Promise<LocalNode> {
  const { client, clock, log, random, dataFolder, name = 'fairlead-local' } = options;
  const folder = join(dataFolder, 'node');
  mkdirSync(podsFolder(folder), { recursive: true, mode: 0o700 });
  await endOrphans(folder);
  endOrphanProcesses(podsFolder(folder));
  const keeper = createProcessKeeper(folder, podsFolder(folder));
  stack.defer(() => keeper.close());
  const informer = createInformer<Pod>({
    client,
    kind: podKind,
    selector: { fieldSelector: `spec.nodeName=${name}` },
    log,
    clock,
    random,
  });
  stack.defer(() => informer.stop());
  const queue = createWorkqueue({ clock, random });
  const machine = machineOf(folder);
  const { backoff = defaultBackoff, retryMs = 5_000, imageRoots, searchPath } = options;
  const { network = {} } = options;
  const addresses = createAddresses(folder);
  const pods = createPods({
    surroundings: {
      client,
      clock,
      keeper,
      imageRoots,
      searchPath,
      variables: { ...compileCache(folder), ...network },
      backoff,
      retryMs,
    },
    informer,
    addresses,
    nodeFolder: folder,
    wake: (key: Key) => queue.add(key),
  });
  stack.defer(() => pods.end(stopGraceMs));
  const logs = await serveLogs({
    tls: servingCertificate(dataFolder),
    port: options.logPort ?? 0,
    find: (address) => findLog(address, { informer, pods, folder }),
    now: () => clock.now().getTime(),
  });
  stack.defer(() => logs.close());
  await informer.start();
  await removeForeignFolders(folder, informer);
  keepAddresses(addresses, informer);
  await pods.reportAfterStart();
  const controller = createController({
    reconciler: pods,
    sources: [watchCache(informer)],
    queue,
    clock,
    log,
    graceMs: readyMs,
  });
  stack.defer(() => controller.stop());
  await controller.start(new AbortController().signal);
  const registration = await registerNode({
    client,
    clock,
    log,
    name,
    machine,
    logPort: logs.port,
  });
  stack.defer(() => registration.stop());
  log.info(
    { node: name, images: Object.keys(imageRoots) },
    'The local node runs pods as host processes without isolation',
  );
  return { name, logPort: logs.port, stop: () => stack.disposeAsync() };
}

/** Node cannot create certificates; the API server made one for itself, and does not verify that of a kubelet. */
function servingCertificate(dataFolder: string): { key: Buffer; cert: Buffer } {
  const file = (ending: string) => readFileSync(join(dataFolder, 'certs', `apiserver.${ending}`));
  return { key: file('key'), cert: file('crt') };
}

/**
 * Halves the CPU time of a container's start. Shared by all organizations: a pod that writes into it gains nothing, because it
 * may as well write the modules themselves. Emptied, because it would keep the modules of all pods there ever were.
 */
function compileCache(folder: string): Readonly<Record<string, string>> {
  const compiled = join(folder, 'compiled');
  rmSync(compiled, { recursive: true, force: true });
  return { NODE_COMPILE_CACHE: compiled };
}

function findLog(
  { namespace, pod: name, container, previous }: LogAddress,
  { informer, pods, folder }: { informer: Informer<Pod>; pods: Pods; folder: string },
): FoundLog | string {
  const pod = informer.get(`${namespace}/${name}`);
  if (pod === undefined) return `pod "${name}" not found`;
  const { uid = '' } = pod.metadata;
  const { initContainers = [], containers } = pod.spec;
  // Also restricts the name, which becomes part of a path, to containers of the pod.
  if (![...initContainers, ...containers].some((each) => each.name === container)) {
    return `container ${container} not found in pod ${name}`;
  }
  const place = podFolder(folder, uid);
  const view = pods.runtime(uid)?.view();
  const waits = view !== undefined && isContainerWaiting(pod, view, container);
  const run = runToRead(loggedRuns(place, container), { previous, isWaiting: waits });
  if (run === undefined) {
    return previous
      ? `previous terminated container "${container}" in pod "${name}" not found`
      : `container "${container}" in pod "${name}" is waiting to start`;
  }
  const live = previous ? undefined : pods.runtime(uid)?.log(container);
  return { path: logPath(place, container, run), live };
}

/** Runs before any new pod could get one of them. */
function keepAddresses(addresses: Addresses, informer: Informer<Pod>): void {
  for (const pod of informer.items()) {
    const { metadata, status } = pod;
    if (status?.podIP === undefined || isOver(pod)) continue;
    addresses.take(metadata.uid ?? '', status.podIP);
  }
}

/** Removes pods that were deleted while the node was down. */
async function removeForeignFolders(folder: string, informer: Informer<Pod>): Promise<void> {
  const known = new Set([...informer.items()].map(({ metadata }) => metadata.uid));
  for (const uid of readdirSync(podsFolder(folder))) {
    if (known.has(uid)) continue;
    await removePodFolder(folder, uid);
  }
}
