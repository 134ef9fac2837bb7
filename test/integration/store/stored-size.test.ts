// The size of a custom resource in etcd, as a real API server stores it.
import { randomUUID } from 'node:crypto';
import { Client } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { group } from '../../../src/crds/define.ts';
import { keyOf, objectNameOf } from '../../../src/domain/identity.ts';
import { maxStoredBytes, storedBytes } from '../../../src/domain/stored-size.ts';
import type { KubeObject } from '../../../src/kube/api.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { apiVersion, configMapKind, kinds, namespaceKind } from '../../../src/store/kinds.ts';
import { clientWithCrds } from '../../support/clients/shared-client.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';

const client = clientWithCrds();
const namespace = `fl-size-${randomUUID()}`;
let etcd: Client;

beforeAll(async () => {
  etcd = new Client('http://localhost', { socketPath: sharedControlPlane().etcdSocket });
  const metadata = { name: namespace };
  await client.create(namespaceKind, { apiVersion: 'v1', kind: 'Namespace', metadata });
});
afterAll(() => etcd.close());

const nameOf = (name: string) => objectNameOf(keyOf({ provider: 'box', resource: 'crate', name }));

function stored(name: string, config: JsonObject): Promise<KubeObject> {
  const tuple = { provider: 'box', resource: 'crate', name };
  return client.create(kinds.resource, {
    apiVersion,
    kind: kinds.resource.kind,
    metadata: { name: nameOf(name), namespace },
    spec: { ...tuple, project: 'p', lifecycle: 'Draft', config },
  } as KubeObject);
}

function textInEtcd(name: string): Promise<Buffer> {
  return valueInEtcd(`${group}/resources/${namespace}/${nameOf(name)}`);
}

async function valueInEtcd(path: string): Promise<Buffer> {
  const key = `/registry/${path}`;
  const body = JSON.stringify({ key: Buffer.from(key).toString('base64') });
  const answer = await etcd.request({ method: 'POST', path: '/v3/kv/range', body });
  const { kvs } = (await answer.body.json()) as { kvs: readonly [{ value: string }] };
  return Buffer.from(kvs[0].value, 'base64');
}

interface Stored {
  readonly metadata: { readonly managedFields: readonly { readonly fieldsV1: JsonObject }[] };
}

describe('the size of a resource in etcd', () => {
  it('is the counted one, and the record of its owners does not grow with the config', async () => {
    let text = '';
    for (let code = 0; code < 0x250; code += 1) text += String.fromCharCode(code);
    const config = {
      text: `${text}\u2028\u2029\ufffd\uffff क😀`,
      lone: 'a\ud800b\udc00',
      numbers: [0, -1.5, 1e-7, 123456.789e3, 1e20, 1e21, 5e-324, Number.MAX_SAFE_INTEGER],
      deep: { '<&>"\\': { empty: {}, list: [{ a: null }, true, []] } },
    };
    await stored('nasty', config);
    const value = await textInEtcd('nasty');
    const object = JSON.parse(value.toString()) as Stored;
    // The encoder ends with a line feed.
    expect(storedBytes(object) + 1).toBe(value.length);
    const record = object.metadata.managedFields[0]?.fieldsV1['f:spec'] as JsonObject;
    expect(record['f:config']).toEqual({});
  });

  it('is that of UTF-8 in a ConfigMap', async () => {
    const text = '<क'.repeat(10_000);
    const metadata = { name: 'large', namespace };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text } };
    await client.create(configMapKind, object as KubeObject);
    const { length } = await valueInEtcd(`configmaps/${namespace}/large`);
    expect(length - Buffer.byteLength(text)).toBeLessThan(1_000);
  });

  it('is limited, and what exceeds the limit is refused as too large', async () => {
    const small = await stored('small', { text: '' });
    const record = (await textInEtcd('small')).length - storedBytes(small);
    const bytes = maxStoredBytes - storedBytes(small) - record;
    const text = `${'x'.repeat(bytes % 6)}${'<'.repeat(bytes / 6)}`;
    await stored('large', { text });
    const { length } = await textInEtcd('large');
    expect(maxStoredBytes - length).toBeLessThan(16);
    const refused = { reason: 'tooLarge', outcome: 'refused' };
    const beyond = [`${text}${'<'.repeat(1_000)}`, 'x'.repeat(2_200_000), 'x'.repeat(3_200_000)];
    for (const more of beyond) {
      await expect(stored('beyond', { text: more })).rejects.toMatchObject(refused);
    }
  });
});
