// A provider with settings on a real cluster: from SettingsMissing to ready, rolled by a changed setting, and by a Secret that
// something else keeps.
import { expect, it } from 'vitest';
import type { Tenant } from '../support/cluster/installation.ts';
import { becomes, built, crates, declare, serves } from '../support/cluster/provider-code.ts';
import type { Stage } from '../support/cluster/stage.ts';
import { eventually } from '../support/runner/eventually.ts';

const password = 'a password that nobody may see';
const code = crates('plain')
  .replace(
    'const made',
    `const settings = z.object({ label: z.string(), password: z.string().min(8).meta({ sensitive: true }) });\nconst made`,
  )
  .replace("provider('crates')", "provider('crates', { settings })")
  .replace('return made(call);', 'return { ...made(call), label: call.settings.label };');

export function credentials(stage: Stage): void {
  it('serves with its settings, and rolls its pods when one changes', async () => {
    const { at } = stage;
    const tenant = await at.tenant('vault');
    const version = await built(at, tenant, code);
    expect((await tenant.post('/providers/crates/deploy', { version })).status).toBe(200);
    await eventually(async () => {
      const { body } = await tenant.get('/providers/crates/deployment');
      expect(body).toMatchObject({ status: 'failed' });
      expect(JSON.stringify(body)).toMatch(/label.*password|SettingsMissing/);
    });
    const values = { label: 'first', password };
    expect((await tenant.send('PUT', '/providers/crates/settings', { values })).status).toBe(200);
    await serves(tenant, version);
    await expectLabel(tenant, 'one', 'first');
    const [before] = await podsOf(stage, tenant);
    const changed = { values: { label: 'second' } };
    expect((await tenant.send('PATCH', '/providers/crates/settings', changed)).status).toBe(200);
    await eventually(() => expectLabel(tenant, 'two', 'second'), 120_000);
    await eventually(async () => {
      expect(await podsOf(stage, tenant)).not.toContain(before);
    }, 60_000);
    const { body } = await tenant.get('/providers/crates/settings');
    expect(JSON.stringify(body)).not.toContain(password);
    const objects = ['providers.fairlead.dev,builds,deployments,pods,configmaps,events'];
    const all = ['get', ...objects, '--namespace', tenant.namespace, '-o', 'yaml'];
    expect(await at.kubectl(...all)).not.toContain(password);
  });

  it('takes its settings from a Secret of an administrator, and follows its changes', async () => {
    const { at } = stage;
    const tenant = await at.tenant('vault');
    await at.apply(secretOf(tenant, 'third'));
    const where = ['--namespace', tenant.namespace, '--type=merge'];
    const named = JSON.stringify({ spec: { settingsSecret: 'from-elsewhere' } });
    await at.kubectl('patch', 'providers.fairlead.dev', 'crates', ...where, '-p', named);
    await eventually(() => expectLabel(tenant, 'three', 'third'), 120_000);
    await at.apply(secretOf(tenant, 'fourth'));
    // The kubelet renews the files within two minutes, and the pod waits for up to half a minute more.
    await eventually(() => expectLabel(tenant, 'four', 'fourth'), 240_000);
    const refused = await tenant.send('PATCH', '/providers/crates/settings', {
      values: { label: 'x' },
    });
    expect(refused.status).toBe(409);
  });
}

function secretOf({ namespace }: Tenant, label: string) {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'from-elsewhere', namespace },
    stringData: { label, password: 'another one' },
  };
}

/** Deletes the resource first, so that its provider is asked again. */
async function expectLabel(tenant: Tenant, name: string, label: string): Promise<void> {
  await tenant.delete(`/resources/crates:crate:${name}`);
  await eventually(async () => {
    expect((await tenant.get(`/resources/crates:crate:${name}`)).status).toBe(404);
  });
  await declare(tenant, name);
  expect((await becomes(tenant, name, 'ready')).outputs.label).toBe(label);
}

async function podsOf({ at }: Stage, { namespace }: Tenant): Promise<readonly string[]> {
  const running = ['pods', '--namespace', namespace, '--selector', 'fairlead.dev/provider'];
  const template =
    '{{range .items}}{{if not .metadata.deletionTimestamp}}{{.metadata.name}} {{end}}{{end}}';
  const text = await at.kubectl('get', ...running, '-o', `go-template=${template}`);
  return text.split(' ').filter((name) => name.startsWith('provider-'));
}
