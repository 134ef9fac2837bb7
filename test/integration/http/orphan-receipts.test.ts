// Orphan receipts over HTTP against a real API server, also of an organization whose namespace is going away.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Organization, organizationOf } from '../../../src/domain/identity.ts';
import type { KubeClient, KubeObject } from '../../../src/kube/api.ts';
import { createKubeClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import {
  createReceiptStore,
  type Receipt,
  type ReceiptStore,
} from '../../../src/store/dead-letters/orphan-receipts.ts';
import { configMapKind, label, namespaceKind } from '../../../src/store/kinds.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';
import { type ApiCaller, type ServedApi, serveApi } from '../../support/servers/served-api.ts';

let api: ServedApi;
let client: KubeClient;
let receipts: ReceiptStore;

beforeAll(async () => {
  api = await serveApi();
  client = createKubeClient(loadCluster(sharedControlPlane()));
  receipts = createReceiptStore({ client, systemNamespace: api.systemNamespace });
});

afterAll(async () => {
  await api?.close();
  await client?.close();
});

async function tenant(): Promise<{ organization: Organization; admin: ApiCaller }> {
  const id = `receipts-${randomUUID().slice(0, 8)}`;
  const admin = await api.caller(id);
  await admin.get('/ops/orphan-receipts');
  return { organization: organizationOf(api.issuer.url, id), admin };
}

function aReceipt({ namespace, id }: Organization, changes: Partial<Receipt> = {}): Receipt {
  return {
    uid: randomUUID(),
    namespace,
    organizationId: id,
    provider: 'box',
    resourceType: 'crate',
    resourceName: 'orders',
    projectId: 'default-0123456789ab',
    config: { password: '[masked]' },
    outputs: { host: 'db1' },
    error: null,
    reason: 'Forced',
    eventId: undefined,
    at: new Date('2026-01-01T00:00:00.000Z'),
    protected: false,
    terminating: false,
    ...changes,
  };
}

const listed = async (admin: ApiCaller) => {
  const { status, body } = await admin.get('/ops/orphan-receipts');
  expect(status).toBe(200);
  return body as readonly { id: string }[];
};

describe('a receipt', () => {
  it('is listed once, however often it is written', async () => {
    const { organization, admin } = await tenant();
    const receipt = aReceipt(organization, { exists: true });
    await receipts.write(receipt);
    await receipts.write({ ...receipt, error: 'later' });
    expect(await listed(admin)).toStrictEqual([
      {
        id: `receipt-${receipt.uid}`,
        provider: 'box',
        resource_type: 'crate',
        resource_name: 'orders',
        project_id: 'default-0123456789ab',
        project_name: 'default-0123456789ab',
        organization_id: organization.id,
        reason: 'Forced',
        kind: 'Abandoned',
        protected: false,
        error: null,
        exists: true,
        event_id: null,
        config: { password: '[masked]' },
        outputs: { host: 'db1' },
        omitted: [],
        created_at: '2026-01-01T00:00:00.000Z',
      },
    ]);
  });

  it('of a deleted namespace is kept in the system namespace, and listed with the others', async () => {
    const { organization, admin } = await tenant();
    const at = new Date('2025-01-01T00:00:00.000Z');
    const early = aReceipt(organization, { terminating: true, reason: 'NamespaceDeleted', at });
    const late = aReceipt(organization);
    await receipts.write(late);
    await receipts.write(early);
    const ids = (await listed(admin)).map(({ id }) => id);
    expect(ids).toEqual([`receipt-${early.uid}`, `receipt-${late.uid}`]);
    const ref = { namespace: api.systemNamespace, name: `receipt-${early.uid}` };
    const { metadata } = await client.get<KubeObject>(configMapKind, ref);
    expect(metadata.labels?.[label.organizationNamespace]).toBe(organization.namespace);
    for (const id of ids) {
      expect((await admin.delete(`/ops/orphan-receipts/${id}`)).status).toBe(204);
    }
    expect(await listed(admin)).toEqual([]);
  });

  it('can be written while its namespace terminates', async () => {
    const organization = organizationOf('https://issuer.test', randomUUID());
    const { namespace } = organization;
    const metadata = { name: namespace, finalizers: [] };
    await client.create<KubeObject>(namespaceKind, { metadata });
    await client.delete(namespaceKind, { name: namespace });
    await receipts.write(aReceipt(organization, { terminating: true }));
    expect((await receipts.list(organization)).length).toBe(1);
  });

  it('of another organization is neither visible nor deletable, wherever it is kept', async () => {
    const [mine, theirs] = [await tenant(), await tenant()];
    const there = aReceipt(theirs.organization);
    const central = aReceipt(theirs.organization, { terminating: true });
    await receipts.write(there);
    await receipts.write(central);
    expect(await listed(mine.admin)).toEqual([]);
    for (const { uid } of [there, central]) {
      expect((await mine.admin.delete(`/ops/orphan-receipts/receipt-${uid}`)).status).toBe(404);
    }
    expect((await listed(theirs.admin)).length).toBe(2);
  });

  it('is not confused with another object of the same name', async () => {
    const { organization, admin } = await tenant();
    const name = `receipt-${randomUUID()}`;
    const { namespace } = organization;
    const labels = { [label.orphanReceipt]: 'true' };
    await client.create<KubeObject>(configMapKind, { metadata: { name, namespace, labels } });
    expect(await listed(admin)).toEqual([]);
    expect((await admin.delete(`/ops/orphan-receipts/${name}`)).status).toBe(404);
    expect((await client.get(configMapKind, { namespace, name })).metadata.name).toBe(name);
  });

  it('replaces an unrelated object of its name', async () => {
    const { organization, admin } = await tenant();
    const receipt = aReceipt(organization);
    const { namespace } = organization;
    const metadata = { name: `receipt-${receipt.uid}`, namespace };
    await client.create<KubeObject>(configMapKind, { metadata });
    await receipts.write(receipt);
    expect((await listed(admin)).length).toBe(1);
  });

  it('with outputs of the maximum size is stored completely', async () => {
    const { organization, admin } = await tenant();
    const text = 'x'.repeat(250 * 1_024);
    await receipts.write(aReceipt(organization, { config: { text }, outputs: { text } }));
    expect(await listed(admin)).toMatchObject([{ outputs: { text }, omitted: [] }]);
  });

  it.each(['receipt-', 'kube-root-ca.crt', 'receipt-..%2fx'])(
    'with an impossible id is not found: %s',
    async (id) => {
      const { admin } = await tenant();
      expect(await admin.delete(`/ops/orphan-receipts/${id}`)).toMatchObject({
        status: 404,
        body: { code: 'receipt_not_found' },
      });
    },
  );
});
