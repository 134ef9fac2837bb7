// Maintains the Node object and its Lease: the scheduler assigns pods here, and the node controller does not evict them.
import { statfsSync } from 'node:fs';
import { arch, availableParallelism, platform, release, totalmem } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { KubeClient, KubeObject } from '../../kube/api.ts';
import { hasReason } from '../../kube/errors.ts';
import { createLeases, type Lease } from '../../kube/leader/lease-record.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { kubeTime, nodeKind } from './pod.ts';
import { hostAddress } from './status.ts';

const leaseNamespace = 'kube-node-lease';
const renewMs = 10_000;
const reportMs = 300_000;
/** After a longer silence the node controller may have marked the node unreachable. */
const longSilenceMs = 3 * renewMs;
const maxPods = 110;

interface Machine {
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly storageBytes: number;
}

interface NodeObject extends KubeObject {
  spec?: { readonly taints?: readonly { readonly key: string }[] };
  status?: {
    readonly conditions?: readonly { type: string; status: string; lastTransitionTime?: string }[];
  };
}

interface RegistrationOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly name: string;
  readonly machine: Machine;
  readonly logPort: number;
}

export function machineOf(folder: string): Machine {
  const { bsize, blocks } = statfsSync(folder);
  return {
    cpus: availableParallelism(),
    memoryBytes: totalmem(),
    storageBytes: bsize * blocks,
  };
}

/** Registers the node, and renews until stopped. @throws KubeError when it cannot be registered */
export async function registerNode(
  options: RegistrationOptions,
): Promise<{ stop(): Promise<void> }> {
  const { clock, log } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  await reportNode(options);
  const renew = leaseRenewal(options);
  await renew();

  async function beat(): Promise<void> {
    let beatAt = clock.monotonic();
    let reportedAt = beatAt;
    while (!signal.aborted) {
      await pause(renewMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      const now = clock.monotonic();
      try {
        await renew();
        if (now - beatAt > longSilenceMs || now - reportedAt > reportMs) {
          await reportNode(options);
          reportedAt = now;
        }
        beatAt = now;
      } catch (thrown) {
        log.warn({ error: thrown }, 'Renewing the lease of the local node failed; retrying');
      }
    }
  }

  const beating = beat();
  return {
    async stop() {
      stopping.abort();
      await beating;
    },
  };
}

function leaseRenewal({ client, clock, name }: RegistrationOptions): () => Promise<void> {
  const leases = createLeases(client, { namespace: leaseNamespace, name });
  let known: Lease | undefined;
  return async () => {
    const renewTime = clock.now().toISOString().replace('Z', '000Z');
    const spec = { holderIdentity: name, leaseDurationSeconds: 40, renewTime };
    try {
      known = await leases.write(known ?? (await leases.read()), spec);
    } catch (thrown) {
      known = undefined;
      throw thrown;
    }
  };
}

const attempts = 5;

/** The node controller writes the same object: a conflict leads to another read. */
async function reportNode(options: RegistrationOptions): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await reportOnce(options);
    } catch (thrown) {
      if (attempt === attempts || !hasReason(thrown, 'conflict', 'alreadyExists')) throw thrown;
    }
  }
}

async function reportOnce(options: RegistrationOptions): Promise<void> {
  const { client, name } = options;
  const known = await client.get<NodeObject>(nodeKind, { name }).catch((thrown: unknown) => {
    if (hasReason(thrown, 'notFound')) return undefined;
    throw thrown;
  });
  const present = known ?? (await client.create<NodeObject>(nodeKind, nodeObject(name)));
  const updated = await client.replaceStatus<NodeObject>(nodeKind, {
    ...present,
    status: { ...present.status, ...statusOfNode(options, present) },
  });
  const { taints = [] } = updated.spec ?? {};
  // The node controller would remove them too, but only after a noticeable delay.
  const kept = taints.filter(
    ({ key }) => !/^node\.kubernetes\.io\/(not-ready|unreachable)$/.test(key),
  );
  if (kept.length === taints.length) return;
  await client.replace(nodeKind, {
    ...updated,
    spec: { ...updated.spec, taints: kept },
  } as NodeObject);
}

function nodeObject(name: string): NodeObject {
  const labels = {
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': platform(),
    'kubernetes.io/arch': architecture(),
  };
  const annotations = {
    'fairlead.dev/isolation':
      'none: pods are processes on this machine with the permissions of the user who started Fairlead',
  };
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, labels, annotations } };
}

function architecture(): string {
  return arch() === 'x64' ? 'amd64' : arch();
}

function statusOfNode({ machine, logPort, clock }: RegistrationOptions, known: NodeObject) {
  const now = kubeTime(clock.now());
  const amounts = {
    cpu: String(machine.cpus),
    memory: String(machine.memoryBytes),
    'ephemeral-storage': String(machine.storageBytes),
    pods: String(maxPods),
  };
  const before = known.status?.conditions ?? [];
  const since = (type: string, status: string) =>
    before.find((each) => each.type === type && each.status === status)?.lastTransitionTime ?? now;
  const condition = (type: string, status: string, reason: string, message: string) => ({
    type,
    status,
    reason,
    message,
    lastHeartbeatTime: now,
    lastTransitionTime: since(type, status),
  });
  return {
    capacity: amounts,
    allocatable: amounts,
    conditions: [
      condition('MemoryPressure', 'False', 'NotMeasured', 'the local node does not measure memory'),
      condition('DiskPressure', 'False', 'NotMeasured', 'the local node does not measure the disk'),
      condition('PIDPressure', 'False', 'NotMeasured', 'the local node does not measure processes'),
      condition('Ready', 'True', 'LocalNodeReady', 'pods run as host processes without isolation'),
    ],
    // No Hostname: the API server would resolve the name before it tries the address.
    addresses: [{ type: 'InternalIP', address: hostAddress }],
    daemonEndpoints: { kubeletEndpoint: { Port: logPort } },
    nodeInfo: {
      architecture: architecture(),
      operatingSystem: platform(),
      kernelVersion: release(),
      osImage: 'host processes, not isolated',
      containerRuntimeVersion: `node://${process.versions.node}`,
      kubeletVersion: 'fairlead-local',
      kubeProxyVersion: '',
      machineID: '',
      systemUUID: '',
      bootID: '',
    },
  };
}
