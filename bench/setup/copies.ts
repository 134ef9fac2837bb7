// Fills an installation with ready resources: copies of one that Fairlead has made, written to etcd. Twenty thousand take
// seconds there, and minutes through the API server, whose writes are not what is measured beside them.
import { randomUUID } from 'node:crypto';
import type { Pool } from 'undici';
import type { Resource } from '../../src/crds/resource.ts';
import { eventId } from '../../src/domain/event.ts';
import { keyOf, objectNameOf, type ResourceTuple } from '../../src/domain/identity.ts';
import { contentHashOf } from '../../src/store/resources/content.ts';
import { eventually } from '../../test/support/runner/eventually.ts';
import { inParallel } from '../measure.ts';
import type { RawClient } from './raw.ts';
import { configOf } from './subject.ts';

const width = 64;

export interface Original {
  readonly etcd: Pool;
  readonly raw: RawClient;
  readonly namespace: string;
  /** Name of a ready resource. */
  readonly tuple: ResourceTuple;
}

/** Copies the original under the names `copy-FROM` … `copy-(TO - 1)`, and waits until the API server serves them. */
export async function copyResource(
  { etcd, raw, namespace, tuple }: Original,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  const folder = `/registry/fairlead.dev/resources/${namespace}`;
  const original = await read(etcd, `${folder}/${objectNameOf(keyOf(tuple))}`);
  let last = '';
  await inParallel(to - from, width, async (index) => {
    const copy = copyOf(JSON.parse(original) as Resource, from + index);
    await storeInEtcd(etcd, `${folder}/${copy.metadata.name}`, copy);
    last = copy.metadata.name;
  });
  await eventually(() =>
    raw.send('GET', `/apis/fairlead.dev/v1alpha1/namespaces/${namespace}/resources/${last}`),
  );
}

/** With a config of its own: equal ones would share memory, and be validated once. */
function copyOf(original: Resource, index: number): Resource {
  const name = `copy-${String(index).padStart(6, '0')}`;
  const config = configOf(name);
  const spec = { ...original.spec, name, config };
  const uid = randomUUID();
  const content = contentHashOf(spec);
  const { generation = 1 } = original.metadata;
  const { status } = original;
  if (status?.event === undefined) throw new Error('the original has never been delivered');
  const id = eventId({ uid, generation, content }, status.event.type);
  return {
    ...original,
    metadata: { ...original.metadata, name: objectNameOf(keyOf(spec)), uid },
    spec,
    status: {
      ...status,
      content,
      event: { ...status.event, id, content },
      appliedConfig: config,
    },
  };
}

export async function storeInEtcd(etcd: Pool, key: string, object: object): Promise<void> {
  await call(etcd, 'put', { key: encoded(key), value: encoded(JSON.stringify(object)) });
}

async function read(etcd: Pool, key: string): Promise<string> {
  const { kvs } = (await call(etcd, 'range', { key: encoded(key) })) as {
    readonly kvs?: readonly { readonly value: string }[];
  };
  const [stored] = kvs ?? [];
  if (stored === undefined) throw new Error(`etcd has no ${key}`);
  return Buffer.from(stored.value, 'base64').toString();
}

async function call(etcd: Pool, method: 'range' | 'put', body: unknown): Promise<unknown> {
  const path = `/v3/kv/${method}`;
  const answer = await etcd.request({ method: 'POST', path, body: JSON.stringify(body) });
  if (answer.statusCode !== 200)
    throw new Error(`etcd answers ${answer.statusCode}: ${await answer.body.text()}`);
  return await answer.body.json();
}

function encoded(content: string): string {
  return Buffer.from(content).toString('base64');
}
