// Deploys the code of a provider `crates` to a real cluster: push, build Job, deployment, and a query of its received
// events.
import { expect } from 'vitest';
import { tarOf } from '../fixtures/code/archives.ts';
import { eventually } from '../runner/eventually.ts';
import type { Installation, Tenant } from './installation.ts';

const manifest = JSON.stringify({
  name: 'crates',
  version: '1.0.0',
  type: 'module',
  exports: './index.ts',
});

/**
 * Crates `many-…` take a while, so that an interruption hits work in progress. @param create lines at the beginning of its
 * handler
 */
export function crates(label: string, create = ''): string {
  return `import { fail, provider, z } from 'fairlead/provider';
import { setTimeout as pause } from 'node:timers/promises';
const made = ({ config, name, key }: { config: { size: number }; name: string; key: string }) =>
  ({ label: '${label}', url: \`crate://\${name}/\${config.size}\`, key });
const crates = provider('crates');
const crate = crates.resource('crate', {
  description: 'A crate',
  config: z.strictObject({ size: z.int().min(1).default(3) }),
  outputs: z.object({ label: z.string(), url: z.string(), key: z.string() }),
  async create(call) {
    call.log.info('create', { crate: call.name, key: call.key });
    ${create}
    await pause(call.name.startsWith('many-') ? 5000 : 0);
    return made(call);
  },
  update: async (call) => made(call),
  async delete(call) {
    call.log.info('delete', { crate: call.name, key: call.key });
  },
});
export default crates.types(crate);
`;
}

/** @returns the version, once its build succeeded */
export async function built(at: Installation, tenant: Tenant, source: string): Promise<string> {
  const form = new FormData();
  const archive = tarOf(
    { path: 'package.json', body: manifest },
    { path: 'index.ts', body: source },
  );
  form.set('code', new Blob([new Uint8Array(archive)]), 'code.tar');
  const answer = await fetch(`${at.url}/providers/crates/push`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tenant.token}` },
    body: form,
  });
  expect(answer.status).toBe(200);
  const { version, job_name } = (await answer.json()) as Record<'version' | 'job_name', string>;
  await eventually(async () => {
    const { body } = await tenant.get(`/providers/crates/builds/${job_name}`);
    expect(body).toMatchObject({ status: 'success' });
  }, 180_000);
  return version;
}

export async function serves(tenant: Tenant, version: string): Promise<void> {
  await eventually(async () => {
    const { body } = await tenant.get('/providers/crates/deployment');
    expect(body).toMatchObject({ status: 'available', version });
  }, 120_000);
}

export async function deployed(tenant: Tenant, version: string): Promise<void> {
  expect((await tenant.post('/providers/crates/deploy', { version })).status).toBe(200);
  await serves(tenant, version);
}

export interface Crate {
  readonly lifecycle_state: string;
  readonly reason: string;
  readonly outputs: { readonly label: string; readonly url: string; readonly key: string };
}

export async function declare(tenant: Tenant, name: string, size = 1): Promise<void> {
  const body = { provider: 'crates', resource: 'crate', name, config: { size } };
  const { status } = await tenant.post('/resources/apply', { ...body, lifecycle_state: 'pending' });
  expect(status).toBe(200);
}

export function becomes(
  tenant: Tenant,
  name: string,
  state: string,
  timeoutMs = 60_000,
): Promise<Crate> {
  return eventually(async () => {
    const { body } = await tenant.get(`/resources/crates:crate:${name}`);
    expect(body).toMatchObject({ lifecycle_state: state });
    return body as Crate;
  }, timeoutMs);
}

export interface Call {
  readonly message: 'create' | 'delete';
  readonly crate: string;
  readonly key: string;
}

/** The calls that the provider's pods logged. */
export async function calls(at: Installation, { namespace }: Tenant): Promise<Call[]> {
  const names = await at.kubectl('get', 'pods', '--namespace', namespace, '-o', 'name');
  const pods = names.split('\n').filter((name) => name.startsWith('pod/provider-'));
  const logs = await Promise.all(
    pods.map((pod) => at.kubectl('logs', '--namespace', namespace, pod, '--tail=-1')),
  );
  return logs.flatMap((log) => log.split('\n')).flatMap(callIn);
}

function callIn(line: string): Call[] {
  if (!/"message":"(create|delete)"/.test(line)) return [];
  return [JSON.parse(line) as Call];
}
