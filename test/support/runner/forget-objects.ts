// Removes all custom resources and all namespaces of tenants from the shared control plane of this worker after each test
// file. A service of a later file would reconcile the organizations and dead letters of all files before it, and this takes
// longer than its own tests.
import { Client } from 'undici';
import { afterAll } from 'vitest';
import { group } from '../../../src/crds/define.ts';
import { sharedControlPlane } from '../servers/control-plane.ts';

/** Prefixes of keys in etcd, `/registry/<kind>/<namespace>/<name>`; the namespaces of tenants begin with `fl-`. */
const prefixes = [
  `/registry/${group}/`,
  ...[
    'configmaps',
    'deployments',
    'events',
    'jobs',
    'limitranges',
    'namespaces',
    'networkpolicies',
    'poddisruptionbudgets',
    'pods',
    'resourcequotas',
    'rolebindings',
    'secrets',
    'serviceaccounts',
    'services/specs',
  ].map((kind) => `/registry/${kind}/fl-`),
];

// Registered before the hooks of the file, and so called after them: nothing of the file runs any more. Directly in etcd,
// because finalizers wait for a controller.
afterAll(async () => {
  const etcd = new Client('http://localhost', { socketPath: sharedControlPlane().etcdSocket });
  const success = prefixes.map((prefix) => ({ requestDeleteRange: rangeOf(prefix) }));
  const body = JSON.stringify({ success });
  const answer = await etcd.request({ method: 'POST', path: '/v3/kv/txn', body });
  const text = await answer.body.text();
  await etcd.close();
  if (answer.statusCode !== 200) throw new Error(`etcd answered ${answer.statusCode}: ${text}`);
});

/** @returns the keys with a prefix, as a half-open range: it ends where the last character is the next one */
function rangeOf(prefix: string) {
  const last = prefix.charCodeAt(prefix.length - 1);
  const end = `${prefix.slice(0, -1)}${String.fromCharCode(last + 1)}`;
  return { key: base64(prefix), range_end: base64(end) };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
