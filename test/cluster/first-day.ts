// The first day of an installation: installed without values, two organizations, kubectl, and a version that fails.
import { expect, it } from 'vitest';
import { objectNameOf } from '../../src/domain/identity.ts';
import { systemNamespace, type Tenant } from '../support/cluster/installation.ts';
import {
  becomes,
  built,
  calls,
  crates,
  declare,
  deployed,
  serves,
} from '../support/cluster/provider-code.ts';
import type { Stage } from '../support/cluster/stage.ts';
import { eventually } from '../support/runner/eventually.ts';

export function firstDay(stage: Stage): void {
  it('installs without values, and is ready', async () => {
    const { at, report } = stage;
    const begun = performance.now();
    expect(await at.release('install')).toContain('EVALUATION');
    const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
    report.fact('From `helm install` to Ready', `${seconds} s`);
    await at.reachable();
  });

  it('has pods that Pod Security `restricted` lets in', async () => {
    const label = ['label', '--overwrite', 'namespace', systemNamespace];
    const level = 'pod-security.kubernetes.io/enforce=restricted';
    // The API server judges the pods that are there, and warns; from here on it also enforces.
    const { output, complaint } = await stage.at.kubectlSaid([...label, level]);
    expect(output).toContain('labeled');
    expect(complaint).not.toMatch(/violate|Warning: existing pods/i);
  });

  it('builds and runs providers of one name for two organizations, and their resources become ready', async () => {
    const { at } = stage;
    const [north, south] = [await at.tenant('north'), await at.tenant('south')];
    Object.assign(stage, { north, south });
    expect(north.namespace).not.toBe(south.namespace);
    await Promise.all(
      [north, south].map(async (tenant, size) => {
        const version = await built(at, tenant, crates(tenant.organization));
        await deployed(tenant, version);
        await declare(tenant, 'first', size + 1);
        const { outputs } = await becomes(tenant, 'first', 'ready');
        expect(outputs).toMatchObject({
          label: tenant.organization,
          url: `crate://first/${size + 1}`,
        });
      }),
    );
  });

  it('shows an organization nothing of another one, and gives its code no token', async () => {
    const { at, north, south } = stage;
    await declare(north, 'secret');
    await becomes(north, 'secret', 'ready');
    expect((await south.get('/resources/crates:crate:secret')).status).toBe(404);
    const { body } = await south.get('/resources/');
    expect(body).toEqual([expect.objectContaining({ name: 'first' })]);
    const account = '/var/run/secrets/kubernetes.io/serviceaccount';
    const look = `console.log(require('node:fs').existsSync('${account}'))`;
    const pod = await providerPod(stage, north);
    const words = ['exec', '--namespace', north.namespace, pod, '--', 'node', '-e', look];
    expect((await at.kubectl(...words)).trim()).toBe('false');
    const volumes = ['pod', pod, '--namespace', north.namespace];
    expect(await at.read('{.spec.volumes[*].projected}', ...volumes)).toBe('');
  });

  it('takes resources from kubectl apply, shows them, and tears them down after kubectl delete', async () => {
    const { at, north } = stage;
    const object = manifestOf(north, 'by-hand', 7);
    const where = ['--namespace', north.namespace];
    const name = `resource.fairlead.dev/${object.metadata.name}`;
    await at.apply(object);
    const ready = await at.kubectl(
      'wait',
      ...where,
      '--for=condition=Ready',
      name,
      '--timeout=60s',
    );
    expect(ready).toContain('condition met');
    expect(await at.kubectl('get', 'resources', ...where)).toMatch(/by-hand\s+ready\s+True/);
    await at.apply(manifestOf(north, 'by-hand', 8));
    await eventually(async () => {
      expect((await becomes(north, 'by-hand', 'ready')).outputs.url).toBe('crate://by-hand/8');
    });
    const story = await at.kubectl('describe', ...where, name);
    expect(story).toMatch(/Finalizers:\s+fairlead.dev\/provider-cleanup/);
    expect(story).toMatch(/UPDATE succeeded[\s\S]*Reason:\s+Processed/);
    await at.kubectl('delete', ...where, name, '--timeout=60s');
    const asked = await calls(at, north);
    expect(asked.filter(({ crate }) => crate === 'by-hand').map(({ message }) => message)).toEqual([
      'create',
      'delete',
    ]);
  });

  it('refuses kubectl what its rules forbid, and says the rule', async () => {
    const { at, north } = stage;
    const first = manifestOf(north, 'first', 1);
    const draft = { ...first, spec: { ...first.spec, lifecycle: 'Draft' } };
    await expect(at.apply(draft)).rejects.toThrow(
      /a committed resource cannot become a draft again/,
    );
    const slash = { ...first, spec: { ...first.spec, name: 'a/b' } };
    await expect(at.apply(slash)).rejects.toThrow(/spec\.name/);
  });

  it('keeps what a failing version could not do as a dead letter, and does it after a rollback', async () => {
    const { at, north } = stage;
    const good = await deployedVersion(north);
    const bad = await built(at, north, crates('bad', "fail('broken', 'This version cannot');"));
    await deployed(north, bad);
    await declare(north, 'unlucky');
    await becomes(north, 'unlucky', 'failed');
    const story = ['describe', 'resource.fairlead.dev', '--namespace', north.namespace];
    expect(await at.kubectl(...story)).toMatch(/Events:[\s\S]*Warning[\s\S]*This version cannot/);
    const deadLetters = ['get', 'configmaps', '--namespace', north.namespace];
    const selector = ['--selector', 'fairlead.dev/dead-letter', '-o', 'name'];
    const deadLetter = (await at.kubectl(...deadLetters, ...selector)).trim();
    expect(deadLetter).toMatch(/^configmap\/\S+$/);
    expect((await north.post('/providers/crates/rollback', {})).status).toBe(200);
    await serves(north, good);
    const found = (await north.get('/ops/dead-letter')).body as { readonly event_id: string }[];
    expect(found).toHaveLength(1);
    expect(
      (await north.post(`/ops/dead-letter/${found[0]?.event_id}/retry`, {})).status,
    ).toBeLessThan(300);
    const { outputs } = await becomes(north, 'unlucky', 'ready');
    expect(outputs).toMatchObject({ label: 'north', key: found[0]?.event_id });
    await eventually(async () => expect(await at.kubectl(...deadLetters, ...selector)).toBe(''));
  });
}

function manifestOf({ namespace, project }: Tenant, name: string, size: number) {
  const tuple = { provider: 'crates', resource: 'crate', name };
  return {
    apiVersion: 'fairlead.dev/v1alpha1',
    kind: 'Resource',
    metadata: { name: objectNameOf(`crates_crate_${name}`), namespace },
    spec: { ...tuple, project, lifecycle: 'Committed', config: { size } },
  };
}

async function providerPod({ at }: Stage, { namespace }: Tenant): Promise<string> {
  const names = await at.read('{.items[*].metadata.name}', 'pods', '--namespace', namespace);
  return names.split(' ').find((name) => name.startsWith('provider-')) ?? 'none';
}

async function deployedVersion(tenant: Tenant): Promise<string> {
  const { body } = await tenant.get('/providers/crates/deployment');
  return (body as { readonly version: string }).version;
}
