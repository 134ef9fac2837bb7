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
}

interface LaunchContext {
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
  const root = imageRoot(context);
  const home = join(folder, 'home');
  const tmp = mounts.find(({ path }) => path === '/tmp')?.target ?? join(folder, 'tmp');
  const mapped = pathMapper([
    { path: imageFolder, target: root },
    { path: '/dev/termination-log', target: messageFile(folder, container.name) },
    ...mounts,
  ]);
  // Expanded first and mapped once: a mapped path may look like a path of the container.
  const prepared = (word: string) => mapped(expand(word, environment));
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
  const [command, ...args] = container.command;
  return { command: prepared(command), args: args.map(prepared), env, cwd: root };
}

function imageRoot({ container, imageRoots }: LaunchContext): string {
  const root = Object.hasOwn(imageRoots, container.image) ? imageRoots[container.image] : undefined;
  if (root !== undefined) return root;
  const known = Object.keys(imageRoots).join(', ');
  throw new ContainerProblem(
    'ErrImageNeverPull',
    `the local node runs host processes and has only these images: ${known}; image ${container.image} not found`,
  );
}

/** Returns the termination message path of a container. */
export function messageFile(folder: string, container: string): string {
  return join(folder, 'messages', container);
}
