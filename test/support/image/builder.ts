// Builds an image and runs a program in it as a pod does: as an unprivileged user, with a read-only root, without a network.
import { join } from 'node:path';
import { run, works } from '../cluster/program.ts';

export interface Builder {
  build(reference: string, folder: string, base: string): Promise<void>;
  /** @returns digests of its layers, unpacked, the lowest first */
  layers(reference: string): Promise<readonly string[]>;
  /** Writes it as an archive that `docker load` reads. */
  save(reference: string, file: string): Promise<void>;
  /** @returns the output of the program */
  run(reference: string, command: readonly string[]): Promise<string>;
}

const nobody = '65532:65532';

const docker: Builder = {
  async build(reference, folder, base) {
    await run('docker', ['build', '--build-arg', `BASE_IMAGE=${base}`, '-t', reference, folder]);
  },
  async layers(reference) {
    const format = '{{json .RootFS.Layers}}';
    const { output } = await run('docker', ['image', 'inspect', '--format', format, reference]);
    return JSON.parse(output) as string[];
  },
  async save(reference, file) {
    await run('docker', ['save', '--output', file, reference]);
  },
  async run(reference, [program = '', ...words]) {
    const bounds = ['--rm', '--read-only', '--network=none', '--cap-drop=ALL', '--user', nobody];
    const { output, complaint } = await run('docker', [
      ...['run', ...bounds, '--security-opt=no-new-privileges'],
      ...['--entrypoint', program, reference, ...words],
    ]);
    return output + complaint;
  },
};

const buildah: Builder = {
  async build(reference, folder, base) {
    await run('buildah', ['bud', '--build-arg', `BASE_IMAGE=${base}`, '-t', reference, folder]);
  },
  async layers(reference) {
    const { output } = await run('buildah', ['inspect', '--type', 'image', reference]);
    const { OCIv1 } = JSON.parse(output) as { OCIv1: { rootfs: { diff_ids: string[] } } };
    return OCIv1.rootfs.diff_ids;
  },
  async save(reference, file) {
    await run('buildah', ['push', reference, `docker-archive:${file}:${reference}`]);
  },
  async run(reference, command) {
    const container = (await run('buildah', ['from', '--pull-never', reference])).output.trim();
    try {
      const root = (await run('buildah', ['mount', container])).output.trim();
      // `buildah run` has no read-only root.
      const script =
        'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec chroot --userspec="$@"';
      const env = ['/usr/bin/env', '-i', 'PATH=/usr/local/bin:/usr/bin:/bin', 'HOME=/'];
      const { output, complaint } = await run('unshare', [
        ...['--mount', '--net', 'sh', '-c', script, root, nobody, root, ...env, ...command],
      ]);
      return output + complaint;
    } finally {
      await run('buildah', ['rm', container]);
    }
  },
};

/** @returns undefined where nothing can build images */
export async function findBuilder(): Promise<Builder | undefined> {
  if (await works('docker', 'info')) return docker;
  // Without root it could build, but not mount.
  if (process.getuid?.() === 0 && (await works('buildah', '--version'))) return buildah;
  return undefined;
}

export const projectFolder = join(import.meta.dirname, '../../..');
