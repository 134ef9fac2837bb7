// Settings of a growing installation: limits of an organization, and storage for code.
import { expect, it } from 'vitest';
import { objectNameOf } from '../../src/domain/identity.ts';
import { makeDisk, onDisk } from '../support/cluster/disk.ts';
import { systemNamespace, type Tenant } from '../support/cluster/installation.ts';
import { becomes, built, crates, declare, deployed } from '../support/cluster/provider-code.ts';
import type { Stage } from '../support/cluster/stage.ts';
import { eventually } from '../support/runner/eventually.ts';

const counted = 'count/resources.fairlead.dev';

export function limitsAndDisk(stage: Stage): void {
  it('lets an organization have as many resources as it may, whoever makes them', async () => {
    const { at, south } = stage;
    await limit(stage, south, 2);
    // The quota controller of Kubernetes counts asynchronously.
    const used = `{.status.used.${counted.replaceAll('.', String.raw`\.`)}}`;
    const quota = ['resourcequota', 'fairlead', '--namespace', south.namespace];
    await eventually(async () => expect(await at.read(used, ...quota)).toBe('1'), 120_000);
    await declare(south, 'second');
    await becomes(south, 'second', 'ready');
    const third = { provider: 'crates', resource: 'crate', name: 'third', config: {} };
    const refused = await south.post('/resources/apply', third);
    expect(refused).toMatchObject({ status: 403, body: { code: 'limit_reached' } });
    await expect(at.apply(manifestOf(south, 'third'))).rejects.toThrow(
      /exceeded quota: fairlead, requested: .*limited: count\/resources\.fairlead\.dev=2/,
    );
    await limit(stage, south, null);
    await eventually(async () => {
      expect((await south.post('/resources/apply', third)).status).toBe(200);
    });
  });

  it('keeps code and builds on a volume, when its pod goes', async () => {
    const { at, north } = stage;
    await makeDisk(at, await imageOf(stage));
    expect(await at.release('upgrade', ...onDisk)).not.toContain('emptyDir');
    await at.reachable();
    const version = await built(at, north, crates('north'));
    const [api] = await at.pods('api');
    await at.kubectl('delete', 'pod', `${api}`, '--namespace', systemNamespace, '--wait');
    await at.reachable();
    // Its pods fetch the code from the new pod of the API.
    await deployed(north, version);
    await declare(north, 'from-the-volume');
    await becomes(north, 'from-the-volume', 'ready');
  });
}

export function imageOf({ at }: Stage): Promise<string> {
  const path = '{.spec.template.spec.containers[0].image}';
  return at.read(path, 'deployment', 'fairlead-api', '--namespace', systemNamespace);
}

async function limit({ at }: Stage, { namespace }: Tenant, resources: number | null) {
  const patch = JSON.stringify({ spec: { limits: { resources } } });
  await at.kubectl('patch', 'organization', namespace, '--type=merge', '--patch', patch);
}

function manifestOf({ namespace, project }: Tenant, name: string) {
  const tuple = { provider: 'crates', resource: 'crate', name };
  return {
    apiVersion: 'fairlead.dev/v1alpha1',
    kind: 'Resource',
    metadata: { name: objectNameOf(`crates_crate_${name}`), namespace },
    spec: { ...tuple, project, lifecycle: 'Draft', config: {} },
  };
}
