// Computes the command, paths and environment of a container. There is no image: the command comes from the pod, its paths
// map to real ones, and the environment inherits only the search path. Pure.
import { dirname, join } from 'node:path';
import { expand } from './environment.ts';
import { type Mount, pathMapper } from './paths.ts';
import type { Container } from './pod.ts';
import { ContainerProblem } from './problem.ts';

/** Where the code of an image is on this machine; in the image it is in `/app`. */
export type ImageRoots = Readonly<Record<string, string>>;

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** A command of a probe, prepared in the same way. */
  prepared(command: readonly string[]): readonly string[];
}

export interface LaunchContext {
  readonly container: Container;
  readonly imageRoots: ImageRoots;
  readonly mounts: readonly Mount[];
  readonly environment: Readonly<Record<string, string>>;
  /** Private to the pod; `home` and `tmp` in it must exist. */
  readonly folder: string;
  readonly hostname: string;
  /** The machine's search path, for programs that Node does not include. */
  readonly searchPath: string;
  /** Variables of every container. The pod's own values take precedence. */
  readonly variables: Readonly<Record<string, string>>;
}

const imageFolder = '/app';

/** @throws ContainerProblem */
export function launchOf(context: LaunchContext): Launch {
  const { container, mounts, environment, folder, searchPath, hostname, variables } = context;
  const root = rootOf(context);
  const home = join(folder, 'home');
  const tmp = mounts.find(({ path }) => path === '/tmp')?.target ?? join(folder, 'tmp');
  const mapped = pathMapper([
    { path: imageFolder, target: root },
    { path: messagePath(container), target: messageFile(folder, container.name) },
    ...mounts,
  ]);
  // Expanded first and mapped once: a mapped path may look like a path of the container.
  const prepared = (words: readonly string[]) =>
    words.map((word) => mapped(expand(word, environment)));
  const given = Object.entries(environment).map(([name, value]) => [name, mapped(value)]);
  const env: Record<string, string> = {
    HOME: home,
    TMPDIR: tmp,
    HOSTNAME: hostname,
    ...variables,
    ...Object.fromEntries(given),
  };
  // `node` is our own, whatever the machine has.
  env['PATH'] = `${dirname(process.execPath)}:${env['PATH'] ?? searchPath}`;
  const [command, ...args] = prepared([...(container.command ?? []), ...(container.args ?? [])]);
  if (container.command === undefined || container.command.length === 0 || command === undefined) {
    throw new ContainerProblem(
      'CreateContainerConfigError',
      'the local node does not support image entrypoints: set `command`',
    );
  }
  const { workingDir = '' } = container;
  return { command, args, env, cwd: workingDir === '' ? root : mapped(workingDir), prepared };
}

function rootOf({ container, imageRoots }: LaunchContext): string {
  const root = Object.hasOwn(imageRoots, container.image) ? imageRoots[container.image] : undefined;
  if (root !== undefined) return root;
  const known = Object.keys(imageRoots).join(', ');
  throw new ContainerProblem(
    'ErrImageNeverPull',
    `the local node runs host processes and has only these images: ${known}; image ${container.image} not found`,
  );
}

function messagePath({ terminationMessagePath = '/dev/termination-log' }: Container): string {
  return terminationMessagePath;
}

/** Returns the termination message path of a container. */
export function messageFile(folder: string, container: string): string {
  return join(folder, 'messages', container);
}

/** @throws ContainerProblem for fields that this node does not support */
export function refuseUnsupported(container: Container, isInit: boolean): void {
  const { startupProbe, readinessProbe, livenessProbe } = container;
  const grpc = [startupProbe, readinessProbe, livenessProbe].some((probe) => probe?.grpc);
  const what = grpc
    ? 'gRPC probes'
    : isInit && container.restartPolicy === 'Always' && 'sidecar init containers';
  if (what === false) return;
  throw new ContainerProblem(
    'CreateContainerConfigError',
    `the local node does not support ${what}`,
  );
}
