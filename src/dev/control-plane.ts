// Runs a real Kubernetes control plane as child processes: etcd, kube-apiserver, kube-controller-manager, kube-scheduler.
// Data, certificates and keys stay in the data folder; port and token of kube-apiserver are new on every start. etcd has no
// port: it listens on sockets in a folder that only this user can enter.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { issueCertificate, makeAuthority } from '../certificates/issue.ts';
import { StartError } from '../domain/errors.ts';
import { loadCluster } from '../kube/config.ts';
import { createTransport } from '../kube/transport.ts';
import { freePort } from './ports.ts';
import {
  createProcessKeeper,
  endOrphans,
  type ProcessKeeper,
  type Supervised,
} from './processes.ts';

export const components = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
] as const;
export type Component = (typeof components)[number];

interface ControlPlaneOptions {
  readonly dataFolder: string;
  /** Path of each program. */
  readonly binaries: Readonly<Record<Component, string>>;
  /** Many tests need only etcd and kube-apiserver. */
  readonly components?: readonly Component[];
  /** For tests: takes less CPU and more memory, and loses data on a power failure. */
  readonly disposable?: boolean;
  readonly onRestart?: (component: Component) => void;
}

export interface ControlPlane {
  /** Path of an administrator's kubeconfig. */
  readonly kubeconfig: string;
  readonly url: string;
  /** Path of the socket on which etcd serves clients, gRPC and HTTP alike. */
  readonly etcdSocket: string;
  stopApiServer(): Promise<void>;
  startApiServer(): Promise<void>;
  stop(): Promise<void>;
}

const readyMs = 60_000;
const restartPauseMs = 500;

// Keeps an idle start, our own processes included, below 1 GiB. Never use GOMEMLIMIT: with thousands of resources the heap
// exceeds any limit for an idle start, and garbage collection then takes most of the CPU.
const memory: Readonly<Record<Component, Readonly<Record<string, string>>>> = {
  etcd: { GOGC: '100' },
  'kube-apiserver': { GOGC: '100' },
  'kube-controller-manager': { GOGC: '60' },
  'kube-scheduler': { GOGC: '60' },
};

/** Garbage is an eighth of the CPU of a busy kube-apiserver with 100, and a thirtieth with 400. This takes 200 MB more. */
const disposableMemory = { GOGC: '300' };

// Names relative to their folder, because a socket path has at most 107 bytes. etcd requires the form host:port for sockets
// too; the part after the colon is ignored.
const etcdClients = 'etcd-clients:1';
const etcdPeers = 'etcd-peers:1';

interface ControlPlaneLayout {
  readonly folder: string;
  readonly socketFolder: string;
  readonly apiPort: number;
  readonly options: ControlPlaneOptions;
}

export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const { dataFolder: folder } = options;
  const wanted = options.components ?? components;
  mkdirSync(join(folder, 'certs'), { recursive: true, mode: 0o700 });
  mkdirSync(join(folder, 'logs'), { recursive: true, mode: 0o700 });
  const socketFolder = join(folder, 'sockets');
  mkdirSync(socketFolder, { recursive: true, mode: 0o700 });
  await endOrphans(folder);
  const plan: ControlPlaneLayout = { folder, socketFolder, apiPort: await freePort(), options };
  await writeKeys(plan);
  const keeper = createProcessKeeper(folder);
  const running = new Map<Component, Supervised>();
  const held = new Set<Component>();
  let stopping = false;

  function launch(component: Component): void {
    const child = keeperStart(keeper, component, plan);
    running.set(component, child);
    void child.ended.then(async () => {
      if (stopping || held.has(component) || running.get(component) !== child) return;
      options.onRestart?.(component);
      await pause(restartPauseMs);
      if (!stopping && !held.has(component)) launch(component);
    });
  }

  async function stop(): Promise<void> {
    stopping = true;
    for (const component of [...wanted].reverse()) await running.get(component)?.stop();
    keeper.close();
  }

  try {
    // kube-apiserver waits for etcd; the others wait for kube-apiserver.
    launch('etcd');
    launch('kube-apiserver');
    await untilReady(plan, running);
    for (const component of wanted.slice(2)) launch(component);
  } catch (thrown) {
    await stop();
    throw thrown;
  }
  return {
    kubeconfig: join(folder, 'kubeconfig'),
    url: `https://127.0.0.1:${plan.apiPort}`,
    etcdSocket: join(socketFolder, etcdClients),
    async stopApiServer() {
      held.add('kube-apiserver');
      // Open watches delay its end as long as possible.
      await running.get('kube-apiserver')?.stop(1_000);
    },
    async startApiServer() {
      held.delete('kube-apiserver');
      launch('kube-apiserver');
      await untilReady(plan, running);
    },
    stop,
  };
}

function keeperStart(
  keeper: ProcessKeeper,
  component: Component,
  plan: ControlPlaneLayout,
): Supervised {
  return keeper.start(component, plan.options.binaries[component], {
    args: argumentsOf[component](plan),
    cwd: plan.socketFolder,
    // Inherits nothing from the user's environment: a proxy or GOFLAGS must not affect these programs.
    env: {
      HOME: plan.folder,
      ...(plan.options.disposable === true ? disposableMemory : memory[component]),
    },
  });
}

const argumentsOf: Readonly<Record<Component, (plan: ControlPlaneLayout) => readonly string[]>> = {
  etcd: ({ folder, options }) => [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=unix://${etcdClients}`,
    `--advertise-client-urls=unix://${etcdClients}`,
    `--listen-peer-urls=unix://${etcdPeers}`,
    `--initial-advertise-peer-urls=unix://${etcdPeers}`,
    `--initial-cluster=default=unix://${etcdPeers}`,
    ...(options.disposable === true ? ['--unsafe-no-fsync'] : []),
  ],
  'kube-apiserver': ({ folder, apiPort }) => [
    `--etcd-servers=unix://${etcdClients}`,
    `--cert-dir=${join(folder, 'certs')}`,
    `--secure-port=${apiPort}`,
    '--bind-address=127.0.0.1',
    // The endpoint of the `kubernetes` Service, which nothing reaches: without the reconciler nothing is published.
    '--advertise-address=127.0.0.1',
    '--endpoint-reconciler-type=none',
    `--service-account-key-file=${join(folder, 'service-account.pub')}`,
    `--service-account-signing-key-file=${join(folder, 'service-account.key')}`,
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--token-auth-file=${join(folder, 'tokens.csv')}`,
    '--authorization-mode=Node,RBAC',
    // Rejects clients without a token: a page in a browser, or another user of this machine.
    '--anonymous-auth=false',
    '--service-cluster-ip-range=10.96.0.0/16',
  ],
  'kube-controller-manager': ({ folder }) => [
    `--kubeconfig=${join(folder, 'kubeconfig')}`,
    `--service-account-private-key-file=${join(folder, 'service-account.key')}`,
    `--root-ca-file=${join(folder, 'certs', 'apiserver.crt')}`,
    '--use-service-account-credentials=true',
    '--leader-elect=false',
    '--bind-address=127.0.0.1',
    '--secure-port=0',
  ],
  'kube-scheduler': ({ folder }) => [
    `--kubeconfig=${join(folder, 'kubeconfig')}`,
    '--leader-elect=false',
    '--bind-address=127.0.0.1',
    '--secure-port=0',
  ],
};

async function writeKeys({ folder, apiPort }: ControlPlaneLayout): Promise<void> {
  await writeServingCertificate(join(folder, 'certs'));
  const privatePath = join(folder, 'service-account.key');
  if (!existsSync(privatePath)) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    writeFileSync(
      join(folder, 'service-account.pub'),
      publicKey.export({ type: 'spki', format: 'pem' }),
    );
    writeFileSync(privatePath, privateKey.export({ type: 'pkcs8', format: 'pem' }), {
      mode: 0o600,
    });
  }
  const token = randomBytes(24).toString('base64url');
  writeFileSync(
    join(folder, 'tokens.csv'),
    `${token},fairlead-admin,fairlead-admin,system:masters\n`,
    { mode: 0o600 },
  );
  writeFileSync(join(folder, 'kubeconfig'), kubeconfig(folder, apiPort, token), { mode: 0o600 });
}

const serverName = 'kubernetes.default.svc';

/**
 * kube-apiserver takes the files of its `--cert-dir` that are there. It would make two RSA keys, which is a fifth of the CPU time of
 * its start, and sign each TLS handshake with one.
 */
async function writeServingCertificate(certs: string): Promise<void> {
  const [certificatePath, keyPath] = [join(certs, 'apiserver.crt'), join(certs, 'apiserver.key')];
  if (existsSync(certificatePath)) return;
  const now = new Date();
  const authority = await makeAuthority(now);
  const expiresAt = new Date(8.64e15);
  const wanted = { name: serverName, address: '127.0.0.1', expiresAt };
  const { certificate, key } = await issueCertificate(authority, wanted, now);
  writeFileSync(keyPath, key, { mode: 0o600 });
  writeFileSync(certificatePath, certificate + authority.certificate);
}

/** JSON is valid YAML. */
function kubeconfig(folder: string, port: number, token: string): string {
  const name = 'fairlead-local';
  return JSON.stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name,
          cluster: {
            server: `https://127.0.0.1:${port}`,
            'tls-server-name': serverName,
            'certificate-authority': join(folder, 'certs', 'apiserver.crt'),
          },
        },
      ],
      users: [{ name, user: { token } }],
      contexts: [{ name, context: { cluster: name, user: name } }],
      'current-context': name,
    },
    undefined,
    2,
  );
}

async function untilReady(
  plan: ControlPlaneLayout,
  running: ReadonlyMap<Component, Supervised>,
): Promise<void> {
  const etcd = running.get('etcd');
  let etcdEnded = false;
  void etcd?.ended.then(() => {
    etcdEnded = true;
  });
  for (const end = performance.now() + readyMs; performance.now() < end; await pause(100)) {
    if (etcdEnded) throw new StartError(etcdSentence(plan.folder));
    if (await answersReady(plan)) return;
  }
  throw new StartError(
    `kube-apiserver did not become ready within ${readyMs / 1_000} s. Its log is ${join(plan.folder, 'logs', 'kube-apiserver.log')}.`,
  );
}

async function answersReady({ folder }: ControlPlaneLayout): Promise<boolean> {
  if (!existsSync(join(folder, 'certs', 'apiserver.crt'))) return false;
  const transport = createTransport(loadCluster({ kubeconfig: join(folder, 'kubeconfig') }), {
    connections: 1,
  });
  try {
    return (await transport.request({ method: 'GET', path: '/readyz', timeoutMs: 2_000 })) === 'ok';
  } catch {
    return false;
  } finally {
    await transport.close();
  }
}

function etcdSentence(folder: string): string {
  const data = join(folder, 'etcd');
  const log = join(folder, 'logs', 'etcd.log');
  const logText = existsSync(log) ? readFileSync(log, 'utf8') : '';
  if (/no space left/i.test(logText)) return `etcd stopped because the disk of ${data} is full.`;
  return `etcd cannot read its data in ${data}: it is corrupt, or from another version. Move that folder away to start empty, or restore a backup. Its log is ${log}.`;
}
