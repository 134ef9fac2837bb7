// The two programs, each with the account, the rights and the policies of an installation, on a real API server: what the API
// does before a controller has published the event key, and that it needs neither that key nor rights outside of tenants.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Service, type ServiceSettings, startService } from '../../../src/app/service.ts';
import { organizationOf } from '../../../src/domain/identity.ts';
import { defaultLimits } from '../../../src/domain/limits.ts';
import { defaultRetryPolicy } from '../../../src/domain/retry.ts';
import { generateEventKey } from '../../../src/events/sign.ts';
import type { KubeObject } from '../../../src/kube/api.ts';
import { createKubeClient, type StreamingClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { hasReason } from '../../../src/kube/errors.ts';
import { type Log, silentLog } from '../../../src/lib/log.ts';
import { accounts, systemNamespace as installedIn } from '../../../src/permissions/roles.ts';
import { guardKinds } from '../../../src/reconcilers/organization/guard-kinds.ts';
import { tenantApiRole } from '../../../src/reconcilers/organization/guards.ts';
import { publishedKeysName } from '../../../src/store/event-keys.ts';
import { configMapKind, secretKind } from '../../../src/store/kinds.ts';
import { keepKey, systemKeys } from '../../../src/store/system.ts';
import { installDefinitions } from '../../support/fixtures/install-definitions.ts';
import { unlimitedRates } from '../../support/fixtures/unlimited-rates.ts';
import { workloadSettings } from '../../support/fixtures/workloads/workload-settings.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { sharedControlPlane, sharedIdentities } from '../../support/servers/control-plane.ts';
import {
  type LoopbackIssuer,
  startLoopbackIssuer,
} from '../../support/servers/issuers/loopback-issuer.ts';
import { namespaceOfAnInstallation } from '../../support/servers/least-privilege.ts';

const namespace = `fairlead-${randomUUID().slice(0, 8)}`;
const key = await generateEventKey();

let folder: string;
let issuer: LoopbackIssuer;
let admin: StreamingClient;
let api: Service;
let controller: Service | undefined;
const complaints: string[] = [];

const note = (level: string) => (fields: object, message: string) => {
  complaints.push(
    `${level} ${message} ${JSON.stringify(fields)} ${String(Object.values(fields)[0])}`,
  );
};
const log: Log = {
  ...silentLog,
  warn: note('warn'),
  error: note('error'),
  child: () => log,
};

function settingsOf(part: 'api' | 'controller'): ServiceSettings {
  const accountOf = (name: string) => ({ namespace: installedIn, name });
  return {
    parts: [part],
    installed: true,
    rates: unlimitedRates,
    artifacts: { kind: 'filesystem', folder },
    workloads: { ...workloadSettings(), minReadySeconds: 0 },
    release: '0.0.0-test',
    host: '127.0.0.1',
    port: 0,
    metrics: { host: '127.0.0.1', port: 0 },
    issuers: [issuer.settings],
    systemNamespace: namespace,
    tenancy: {
      limits: defaultLimits,
      controllerAccount: accountOf(accounts.controller),
      apiAccount: accountOf(accounts.api),
    },
    identity: `${part}-0`,
    policy: defaultRetryPolicy,
    eventTimeoutMs: 1_000,
    workers: 4,
  };
}

const start = (part: 'api' | 'controller') =>
  startService(loadCluster({ kubeconfig: sharedIdentities()[part] }), settingsOf(part), log);

async function ask(path: string, token?: string) {
  const headers: Record<string, string> =
    token === undefined ? {} : { authorization: `Bearer ${token}` };
  const answer = await fetch(`http://127.0.0.1:${api.port}${path}`, { headers });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

const publishedHere = { namespace, name: publishedKeysName };
const publicHalf = ({ d: _private, ...rest }: typeof key) => rest;

/** With which the API signs its requests to providers. */
const ofReplica = {
  ...publicHalf(key),
  kid: expect.any(String),
  x: expect.any(String),
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-parts-'));
  issuer = await startLoopbackIssuer();
  admin = createKubeClient(loadCluster(sharedControlPlane()));
  // As in the chart; this file may be the first of a run.
  await installDefinitions(admin);
  await namespaceOfAnInstallation(sharedControlPlane().kubeconfig, namespace);
  // Only the private key: no controller has published the public one.
  await keepKey(admin, { namespace, name: systemKeys.events }, () => Promise.resolve(key));
  api = await start('api');
});

afterAll(async () => {
  await controller?.stop();
  await api?.stop();
  await admin?.close();
  await issuer?.close();
  await rm(folder, { recursive: true, force: true });
});

it('[K01] the API is not ready, with the reason, until a controller publishes the public key', async () => {
  expect(await ask('/readyz')).toMatchObject({
    status: 503,
    body: { checks: { event_keys: false } },
  });
  expect(await ask('/.well-known/jwks.json')).toMatchObject({
    status: 503,
    body: { code: 'unavailable' },
  });
  expect(complaints.join('\n')).toContain('no controller has published the public event key');
  controller = await start('controller');
  await eventually(async () => {
    expect(await ask('/readyz')).toMatchObject({
      status: 200,
      body: { checks: { event_keys: true } },
    });
  });
  const { body } = await ask('/.well-known/jwks.json');
  expect(body).toEqual({ keys: [publicHalf(key), ofReplica] });
  const { data } = await admin.get<KubeObject & { data: object }>(configMapKind, publishedHere);
  expect(JSON.stringify(data)).not.toContain(key.d);
});

it('[K01] the API serves an organization with permissions that are bound in its namespace', async () => {
  const token = await issuer.token({ org_id: 'parts' });
  const tenant = organizationOf(issuer.url, 'parts').namespace;
  expect((await ask('/resources/', token)).status).toBe(200);
  for (const path of ['/ops/dead-letter', '/ops/orphan-receipts']) {
    await eventually(async () => expect((await ask(path, token)).status, path).toBe(200));
  }
  // Twice, so that the watch of the index is open: it gets no forbidden response.
  for (const _ of [1, 2]) {
    expect(await ask('/ops/dead-letter?group_by=error', token)).toEqual({ status: 200, body: [] });
  }
  const binding = { namespace: tenant, name: tenantApiRole };
  const { subjects } = await admin.get<KubeObject & { subjects: object }>(
    guardKinds.roleBinding,
    binding,
  );
  expect(subjects).toEqual([
    { kind: 'ServiceAccount', name: accounts.api, namespace: installedIn },
  ]);
  await admin.delete(guardKinds.roleBinding, binding);
  await eventually(async () => {
    await admin.get(guardKinds.roleBinding, binding);
    expect((await ask('/ops/dead-letter', token)).status).toBe(200);
  });
});

it('[K01] a new key is published by its leader, and read by the API at once', async () => {
  await controller?.stop();
  await admin.delete(secretKind, { namespace, name: systemKeys.events });
  controller = await start('controller');
  await eventually(async () => {
    const { status, body } = await ask('/.well-known/jwks.json');
    expect(status).toBe(200);
    expect(body['keys']).toEqual([expect.not.objectContaining({ kid: key.kid }), ofReplica]);
  });
});

it('[K02] the account of the API reads no private key, and gets no forbidden response', async () => {
  const web = createKubeClient(loadCluster({ kubeconfig: sharedIdentities().api }));
  const refused = await web
    .get(secretKind, { namespace, name: systemKeys.events })
    .catch((thrown: unknown) => thrown);
  await web.close();
  expect(hasReason(refused, 'forbidden')).toBe(true);
  // Objects that other files left in this cluster may have no roles of Fairlead.
  const ours = complaints.filter((line) => !/"key":"(?!fl-parts-|fairlead-)/.test(line));
  expect(ours.filter((line) => /forbidden|denied/i.test(line))).toEqual([]);
});
