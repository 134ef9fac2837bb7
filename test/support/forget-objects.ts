// Removes all custom resources from the shared control plane of this worker after each test file. A service of a later file
// would reconcile the organizations of all files before it, and this takes longer than its own tests.
import { Client } from 'undici';
import { afterAll } from 'vitest';
import { group } from '../../src/crds/define.ts';
import { sharedControlPlane } from './control-plane.ts';

// Registered before the hooks of the file, and so called after them: nothing of the file runs any more. Directly in etcd,
// because finalizers wait for a controller.
afterAll(async () => {
  const etcd = new Client('http://localhost', { socketPath: sharedControlPlane().etcdSocket });
  const prefix = `/registry/${group}/`;
  // etcd deletes the half-open range; `0` follows `/`.
  const range = { key: prefix, range_end: `${prefix.slice(0, -1)}0` };
  const body = JSON.stringify(
    Object.fromEntries(
      Object.entries(range).map(([name, key]) => [name, Buffer.from(key).toString('base64')]),
    ),
  );
  const answer = await etcd.request({ method: 'POST', path: '/v3/kv/deleterange', body });
  await answer.body.dump();
  await etcd.close();
  if (answer.statusCode !== 200) throw new Error(`etcd answered ${answer.statusCode}`);
});
