// Operation of an installation: pods die and move, releases change, the release is removed and installed again.
import { expect, it } from 'vitest';
import { onDisk } from '../support/cluster/disk.ts';
import { systemNamespace } from '../support/cluster/installation.ts';
import { run } from '../support/cluster/program.ts';
import { becomes, calls, declare } from '../support/cluster/provider-code.ts';
import type { Stage } from '../support/cluster/stage.ts';
import { eventually } from '../support/runner/eventually.ts';
import { kept } from './kept.ts';
import { limitsAndDisk } from './limits-and-disk.ts';
import { nextRelease } from './next-release.ts';

const system = ['--namespace', systemNamespace];

export function laterDays(stage: Stage): void {
  it('makes 30 resources ready, each under one event, though the controller is killed meanwhile', async () => {
    const { at, north, report } = stage;
    const names = Array.from({ length: 30 }, (_, index) => `many-${index}`);
    const [killed] = await at.pods('controller');
    await Promise.all(names.slice(0, 20).map((name) => declare(north, name)));
    const begun = performance.now();
    await at.kubectl('delete', 'pod', ...system, `${killed}`, '--grace-period=0', '--force');
    await Promise.all(names.slice(20).map((name) => declare(north, name)));
    for (const name of names) await becomes(north, name, 'ready', 120_000);
    const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
    const asked = (await calls(at, north)).filter(({ crate }) => names.includes(crate));
    report.fact(
      'From a controller deleted with no grace to 30 ready',
      `${seconds} s, ${asked.length} calls`,
    );
    // Something was under way, longer than a kubelet waits, and was asked for again.
    expect(asked.length).toBeGreaterThan(30);
    const keys = new Set(asked.map(({ key }) => key));
    expect(keys.size).toBe(30);
    const pairs = new Set(asked.map(({ crate, key }) => `${crate} ${key}`));
    expect(pairs.size).toBe(30);
  });

  it('hands over when the leader is deleted', async () => {
    const { at, north, report } = stage;
    await tokenSecret(stage);
    await at.release('upgrade', '--set', 'controller.replicas=2,tests.tokenSecret=fairlead-check');
    const leader = await at.leader();
    expect(await at.pods('controller')).toContain(leader);
    const begun = performance.now();
    await at.kubectl('delete', 'pod', ...system, leader, '--wait=false');
    await declare(north, 'handed-over');
    await becomes(north, 'handed-over', 'ready');
    const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
    report.fact('From a deleted leader to the next resource ready', `${seconds} s`);
    await eventually(async () => {
      expect(await at.pods('controller')).toContain(await at.leader());
    });
    expect(await at.leader()).not.toBe(leader);
  });

  it('lets its pods be evicted one at a time, and they come back', async () => {
    const { at, north } = stage;
    const rolledOut = ['rollout', 'status', ...system, '--timeout=120s'];
    await at.kubectl(...rolledOut, 'deployment/fairlead-controller');
    await budgetAllows(stage, '1');
    const [one, two] = await at.pods('controller');
    await evict(stage, `${one}`);
    await expect(evict(stage, `${two}`)).rejects.toThrow(/disruption budget/);
    await at.kubectl(...rolledOut, 'deployment/fairlead-controller');
    const [api] = await at.pods('api');
    await evict(stage, `${api}`);
    await eventually(async () => expect(await at.pods('api')).not.toContain(api), 60_000);
    await at.kubectl(...rolledOut, 'deployment/fairlead-api');
    await at.reachable();
    await declare(north, 'after-eviction');
    await becomes(north, 'after-eviction', 'ready');
  });

  nextRelease(stage);
  limitsAndDisk(stage);

  it('passes `helm test`, which applies and deletes a draft', async () => {
    const output = await stage.at.helm('test', 'fairlead', ...system, '--timeout', '2m');
    expect(output).toMatch(/Phase:\s+Succeeded/);
  });

  it('leaves definitions, namespaces, resources and keys when it is uninstalled', async () => {
    const { at } = stage;
    const before = await kept(stage);
    await at.helm('uninstall', 'fairlead', ...system, '--wait');
    expect(await at.kubectl('get', 'deployments', ...system, '-o', 'name')).toBe('');
    expect(await kept(stage)).toEqual(before);
  });

  it('takes over what it left when it is installed again, and can delete it', async () => {
    const { at, north } = stage;
    const before = await kept(stage);
    await at.release('install', ...onDisk);
    expect(await kept(stage)).toEqual(before);
    await at.reachable();
    // The volume came back with its code: a pod that is new fetches it.
    const pods = ['pods', '--namespace', north.namespace, '--selector', 'fairlead.dev/provider'];
    await at.kubectl('delete', ...pods, '--wait');
    await declare(north, 'after-all');
    await becomes(north, 'after-all', 'ready', 120_000);
    expect((await north.delete('/resources/crates:crate:first')).status).toBe(204);
    await eventually(async () => {
      const asked = await calls(at, north);
      expect(asked).toContainEqual(expect.objectContaining({ crate: 'first', message: 'delete' }));
      expect(await at.kubectl('get', 'resources', '--namespace', north.namespace)).not.toMatch(
        /crate\s+first\s/,
      );
    });
  });
}

async function tokenSecret({ at }: Stage): Promise<void> {
  const stringData = { token: await at.token('check') };
  const metadata = { name: 'fairlead-check', namespace: systemNamespace };
  await at.apply({ apiVersion: 'v1', kind: 'Secret', metadata, stringData });
}

function budgetAllows({ at }: Stage, wanted: string): Promise<void> {
  const budget = ['pdb', 'fairlead-controller', ...system];
  return eventually(async () => {
    expect(await at.read('{.status.disruptionsAllowed}', ...budget)).toBe(wanted);
  });
}

/** As `kubectl drain` does with each pod of a node. */
async function evict({ at }: Stage, pod: string): Promise<void> {
  const path = `/api/v1/namespaces/${systemNamespace}/pods/${pod}/eviction`;
  const metadata = { name: pod, namespace: systemNamespace };
  const input = JSON.stringify({ apiVersion: 'policy/v1', kind: 'Eviction', metadata });
  await run('kubectl', ['create', '--raw', path, '--filename', '-'], { env: at.env, input });
}
