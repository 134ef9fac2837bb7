// Measures the memory of a cached resource in the controller and in the API, each a process as in a cluster. What a process takes
// with a thousand resources is subtracted.
import { join } from 'node:path';
import { organizationOf } from '../src/domain/identity.ts';
import { createKubeClient } from '../src/kube/client.ts';
import { loadCluster } from '../src/kube/config.ts';
import { apiVersion, kinds, namespaceKind } from '../src/store/kinds.ts';
import { eventually } from '../test/support/runner/eventually.ts';
import { freePort } from '../test/support/runner/free-port.ts';
import { type Inspected, type Memory, startInspected } from './setup/inspected.ts';
import { type Installation, openInstallation } from './setup/installation.ts';
import { writeReadyResources } from './setup/ready-resources.ts';
import { scrape, sumOf } from './setup/scrape.ts';

/** The controller first: the API is ready once a controller has published its key. */
export const processes = ['controller', 'api'] as const;
export type Process = (typeof processes)[number];

export const few = 1_000;
export const many = 11_000;
const waitMs = 300_000;
const main = join(import.meta.dirname, '../src/main.ts');

/** Bytes per resource, from a list at the start of the processes and after a watch event of each resource. */
export interface MemoryPerResource {
  readonly listed: Readonly<Record<Process, Memory>>;
  readonly watched: Readonly<Record<Process, Memory>>;
}

export async function measureMemory(say: (line: string) => void): Promise<MemoryPerResource> {
  await using stack = new AsyncDisposableStack();
  const installation = stack.use(await openInstallation());
  const { etcd } = installation;
  const namespace = await createOrganization(installation);
  await writeReadyResources({ etcd, namespace }, { from: 0, to: few });
  const small = await withProcesses(installation, (all) =>
    memoryWith(all, { resources: few, passes: few }),
  );
  say(`${few} resources are measured`);
  await writeReadyResources({ etcd, namespace }, { from: few, to: many });
  return await withProcesses(installation, async (all) => {
    const listed = await memoryWith(all, { resources: many, passes: many });
    say(`${many} resources are measured`);
    await writeReadyResources({ etcd, namespace }, { from: 0, to: many });
    const watched = await memoryWith(all, { resources: many, passes: 2 * many });
    return { listed: slopes(small, listed), watched: slopes(small, watched) };
  });
}

async function createOrganization(installation: Installation): Promise<string> {
  const { kubeconfig, issuer } = installation;
  const client = createKubeClient(loadCluster({ kubeconfig }));
  const { namespace: name, id } = organizationOf(issuer, 'memory');
  const spec = { issuer, externalId: id };
  const object = { apiVersion, kind: kinds.organization.kind, metadata: { name }, spec };
  await client.create(kinds.organization, object);
  await withProcesses(installation, () =>
    eventually(() => client.get(namespaceKind, { name }), waitMs),
  );
  await client.close();
  return name;
}

interface Running {
  readonly name: Process;
  readonly program: Inspected;
  readonly metricsUrl: string;
}

/** Starts both, and stops them at the end. */
async function withProcesses<T>(
  { kubeconfig, systemNamespace }: Installation,
  work: (all: readonly Running[]) => Promise<T>,
): Promise<T> {
  await using stack = new AsyncDisposableStack();
  const all: Running[] = [];
  for (const name of processes) {
    const port = await freePort();
    const metricsPort = await freePort();
    const env = {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      // As in the chart.
      NODE_OPTIONS: '--max-semi-space-size=8',
      MALLOC_MMAP_THRESHOLD_: '131072',
      FAIRLEAD_HOST: '127.0.0.1',
      FAIRLEAD_NAMESPACE: systemNamespace,
      FAIRLEAD_IDENTITY: name,
      FAIRLEAD_DATA: join(kubeconfig, `../of-${name}`),
      FAIRLEAD_PORT: String(port),
      FAIRLEAD_ISSUER_PORT: String(await freePort()),
      FAIRLEAD_INTERNAL_PORT: String(await freePort()),
      FAIRLEAD_METRICS_PORT: String(metricsPort),
      FAIRLEAD_LIMIT_RESOURCES: String(10 * many),
      FAIRLEAD_LIMIT_RESOURCE_BYTES: '1Gi',
      ...(name === 'api' ? { FAIRLEAD_EVALUATION: 'true' } : podAddresses),
    };
    const program = await startInspected([main, name, '--kubeconfig', kubeconfig], env);
    stack.defer(() => program.stop());
    await eventually(async () => {
      const { status } = await fetch(`http://127.0.0.1:${port}/readyz`);
      if (status !== 200) throw new Error(`${name}: /readyz answers ${status}: ${program.output}`);
    }, waitMs);
    all.push({ name, program, metricsUrl: `http://127.0.0.1:${metricsPort}/metrics` });
  }
  return await work(all);
}

/** Never used: no pod is made. */
const podAddresses = {
  FAIRLEAD_IMAGE: 'fairlead:bench',
  FAIRLEAD_ARTIFACTS_URL: 'http://127.0.0.1:9',
  FAIRLEAD_URL_FOR_PODS: 'http://127.0.0.1:9',
};

/** Measures each once it has all resources in its cache, as ready, and nothing to reconcile. */
async function memoryWith(
  all: readonly Running[],
  { resources, passes }: { readonly resources: number; readonly passes: number },
): Promise<Readonly<Record<Process, Memory>>> {
  const measured = all.map(async ({ name, program, metricsUrl }) => {
    await eventually(async () => {
      const samples = await scrape(metricsUrl);
      const ready = sumOf(samples, 'fairlead_resources', { state: 'ready' });
      if (ready !== resources) throw new Error(`${name}: ${ready} ready: ${program.output}`);
      if (name === 'controller') requirePassed(samples, passes);
    }, waitMs);
    return [name, await program.memory()] as const;
  });
  return Object.fromEntries(await Promise.all(measured)) as Record<Process, Memory>;
}

function requirePassed(samples: Awaited<ReturnType<typeof scrape>>, passes: number): void {
  const passed = sumOf(samples, 'fairlead_reconcile_duration_seconds_count', {
    reconciler: 'resource',
  });
  const queued = sumOf(samples, 'fairlead_queue_depth');
  if (passed < passes || queued > 0)
    throw new Error(`${passed} of ${passes} passes, ${queued} queued`);
}

function slopes(
  small: Readonly<Record<Process, Memory>>,
  large: Readonly<Record<Process, Memory>>,
): Readonly<Record<Process, Memory>> {
  const slope = (name: Process): Memory => {
    const per = (key: keyof Memory) => (large[name][key] - small[name][key]) / (many - few);
    const [heap, resident, uncollected] = [per('heap'), per('resident'), per('uncollected')];
    return { heap, resident, uncollected };
  };
  return { controller: slope('controller'), api: slope('api') };
}
