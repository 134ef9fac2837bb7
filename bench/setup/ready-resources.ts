// Fills an installation with resources as they are after a successful CREATE, each with values of its own, written to etcd.
import type { Pool } from 'undici';
import { type Resource, resourceFinalizer } from '../../src/crds/resource.ts';
import { eventId } from '../../src/domain/event.ts';
import {
  defaultProjectId,
  idOf,
  keyOf,
  objectNameOf,
  type ResourceTuple,
} from '../../src/domain/identity.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { claimed, succeeded } from '../../src/reconcilers/resource/status/status.ts';
import { annotation, apiVersion, kinds, label } from '../../src/store/kinds.ts';
import { contentHashOf } from '../../src/store/resources/content.ts';
import { inParallel } from '../measure.ts';
import { storeInEtcd } from './copies.ts';

const configBytes = 550;
const width = 64;

interface Place {
  readonly etcd: Pool;
  readonly namespace: string;
}

/** Writes those with the numbers from `from` to `to`, the latter excluded. Another time, it changes them. */
export async function writeReadyResources(
  { etcd, namespace }: Place,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  const folder = `/registry/fairlead.dev/resources/${namespace}`;
  await inParallel(to - from, width, async (at) => {
    const resource = readyResource(namespace, from + at);
    await storeInEtcd(etcd, `${folder}/${resource.metadata.name}`, resource);
  });
}

/** A config as people write it: about twenty values, half of which other resources have too. */
function configOf(index: number): JsonObject {
  const id = String(index).padStart(12, '0');
  const team = `team-${index % 40}`;
  const config = {
    name: `orders-${index}`,
    region: 'eu-central-1',
    engine: { kind: 'postgres', version: '17.2', class: 'db.r7g.large' },
    storage: { gib: 100 + (index % 900), type: 'gp3', encrypted: true },
    network: { subnets: [`subnet-a${id}`, `subnet-b${id}`], port: 5_432, public: false },
    owner: { team, mail: `${team}@example.com` },
  };
  const missing = configBytes - JSON.stringify({ ...config, description: '' }).length;
  return { ...config, description: `Database ${index} `.repeat(50).slice(0, missing) };
}

function readyResource(namespace: string, index: number): Resource {
  const tuple: ResourceTuple = {
    provider: 'postgres',
    resource: 'database',
    name: `orders-${index}`,
  };
  const now = new Date();
  const created: Resource = {
    apiVersion,
    kind: kinds.resource.kind,
    metadata: {
      name: objectNameOf(keyOf(tuple)),
      namespace,
      uid: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
      generation: 1,
      creationTimestamp: `${now.toISOString().slice(0, 19)}Z`,
      labels: { [label.provider]: tuple.provider },
      annotations: {
        [annotation.updatedAt]: now.toISOString(),
        [annotation.appliedBy]: 'alice@example.com',
      },
      finalizers: [resourceFinalizer],
    },
    spec: {
      ...tuple,
      project: defaultProjectId({ namespace }),
      lifecycle: 'Committed',
      config: configOf(index) as Resource['spec']['config'],
    },
  };
  const ready = { ...created, status: readyStatusOf(created, now) };
  const managedFields = [
    managedBy('fairlead', { metadata: created.metadata, spec: created.spec }),
    { ...managedBy('fairlead', { status: ready.status }), subresource: 'status' },
  ];
  return { ...ready, metadata: { ...ready.metadata, ...{ managedFields } } };
}

function readyStatusOf(resource: Resource, now: Date): NonNullable<Resource['status']> {
  const { metadata, spec } = resource;
  const { uid = '', generation = 1 } = metadata satisfies Resource['metadata'];
  const content = contentHashOf(spec);
  const event = {
    id: eventId({ uid, generation, content }, 'CREATE'),
    type: 'CREATE',
    generation,
    content,
    declared: content,
    attempt: 1,
    sequence: 1,
    startedAt: now.toISOString(),
  } as const;
  const sent = { ...resource, status: claimed(resource, event, now) };
  const outputs = { id: idOf(spec), host: `${spec.name}.db.example.com`, port: 5_432 };
  const config = spec.config as JsonObject;
  const providerVersion = '20261122-101500';
  return succeeded(sent, { event, outputs, config, content, providerVersion }, now);
}

function managedBy(manager: string, fields: object) {
  const fieldsV1 = fieldsOf(fields);
  return { manager, operation: 'Update', apiVersion, fieldsType: 'FieldsV1', fieldsV1 };
}

function fieldsOf(value: unknown): object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [`f:${name}`, fieldsOf(member)]),
  );
}
