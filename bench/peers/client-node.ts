// A controller with the informer and the generated client of @kubernetes/client-node that does the work of Fairlead's lifecycle:
// status processing, a POST to the provider, status ready. Usage: client-node.ts GROUP NAMESPACE ENDPOINT, with KUBECONFIG.
import { Agent, request } from 'node:http';
import { json } from 'node:stream/consumers';
import {
  CustomObjectsApi,
  KubeConfig,
  type KubernetesListObject,
  type KubernetesObject,
  makeInformer,
} from '@kubernetes/client-node';

interface Resource extends KubernetesObject {
  readonly spec: { readonly config: unknown };
  status?: Record<string, unknown>;
}

const [group = '', namespace = '', endpoint = ''] = process.argv.slice(2);
const statuses = JSON.parse(process.env['STATUSES'] ?? '{}') as Record<
  'processing' | 'ready',
  Record<string, unknown>
>;
const kind = { group, version: 'v1alpha1', namespace, plural: 'resources' };

const config = new KubeConfig();
config.loadFromDefault();
const api = config.makeApiClient(CustomObjectsApi);
const informer = makeInformer<Resource>(
  config,
  `/apis/${group}/v1alpha1/namespaces/${namespace}/resources`,
  async () =>
    (await api.listNamespacedCustomObject(kind)) as Promise<KubernetesListObject<Resource>>,
);
const agent = new Agent({ keepAlive: true, maxSockets: 32 });

async function reconcile(resource: Resource): Promise<void> {
  if (resource.status?.['state'] !== undefined) return;
  const claimed = await writeStatus(resource, statuses.processing);
  const outputs = await deliver(resource);
  await writeStatus(claimed, {
    ...statuses.ready,
    outputs,
    appliedConfig: resource.spec.config,
  });
}

async function writeStatus(resource: Resource, status: Record<string, unknown>): Promise<Resource> {
  const name = resource.metadata?.name ?? '';
  const body = { ...resource, status };
  return (await api.replaceNamespacedCustomObjectStatus({ ...kind, name, body })) as Resource;
}

function deliver({ spec }: Resource): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const sent = request(endpoint, { agent, method: 'POST' }, (answer) => {
    json(answer).then((result) => resolve((result as { outputs: unknown }).outputs), reject);
  });
  sent.once('error', reject);
  sent.end(JSON.stringify(spec));
  return promise;
}

const failed = (thrown: unknown) => {
  console.error(thrown);
  process.exitCode = 1;
};
for (const event of ['add', 'update'] as const) {
  informer.on(event, (resource) => void reconcile(resource).catch(failed));
}
informer.on('error', failed);
await informer.start();
