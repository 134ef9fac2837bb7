// Runs K3s in a container, with an image of the local Docker on its node. Modelled on the K3s module of testcontainers,
// which adds nothing else. It has never run yet: no Docker was available when it was written.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GenericContainer, type StartedTestContainer, Wait } from 'testcontainers';
import type { RealCluster } from './cluster.ts';
import { run } from './program.ts';

const apiPort = 6443;
const k3s = process.env['FAIRLEAD_K3S_IMAGE'] ?? 'rancher/k3s:v1.34.1-k3s1';

/** A kubelet needs the cgroups of the machine; a private namespace has none that it may divide. */
class K3sContainer extends GenericContainer {
  constructor(image: string) {
    super(image);
    // Missing in the types, which cover an older Docker API.
    Object.assign(this.hostConfig, { CgroupnsMode: 'host' });
    this.withPrivilegedMode()
      .withBindMounts([{ source: '/sys/fs/cgroup', target: '/sys/fs/cgroup' }])
      .withTmpFs({ '/run': 'rw', '/var/run': 'rw' })
      .withExposedPorts(apiPort)
      .withCommand(['server', '--disable=traefik', '--tls-san=localhost'])
      .withWaitStrategy(Wait.forLogMessage(/Node controller sync successful/))
      .withStartupTimeout(180_000);
  }
}

export async function startK3s(image: string): Promise<RealCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-k3s-'));
  const container = await new K3sContainer(k3s).start();
  const close = async () => {
    await container.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await give(container, image, join(folder, 'image.tar'));
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, await kubeconfigOf(container), { mode: 0o600 });
    return { kubeconfig, close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

async function give(container: StartedTestContainer, image: string, file: string): Promise<void> {
  await run('docker', ['save', '--output', file, image]);
  await container.copyFilesToContainer([{ source: file, target: '/image.tar' }]);
  await inside(container, ['ctr', '--namespace', 'k8s.io', 'images', 'import', '/image.tar']);
}

async function kubeconfigOf(container: StartedTestContainer): Promise<string> {
  const text = await inside(container, ['cat', '/etc/rancher/k3s/k3s.yaml']);
  const address = `https://${container.getHost()}:${container.getMappedPort(apiPort)}`;
  return text.replace(`https://127.0.0.1:${apiPort}`, address);
}

async function inside(container: StartedTestContainer, words: string[]): Promise<string> {
  const { exitCode, output } = await container.exec(words);
  if (exitCode !== 0) throw new Error(`${words.join(' ')}\n${output}`);
  return output;
}
