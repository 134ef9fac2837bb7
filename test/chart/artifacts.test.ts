// The number of API pods that each store of artifacts allows, as docs/install.md lists them.
import { beforeAll, describe, expect, it } from 'vitest';
import { chartFolder, type Helm } from '../../packaging/helm.ts';
import { loadConfig } from '../../src/app/config/index.ts';
import { sharedControlPlane } from '../support/servers/control-plane.ts';
import { forUse, rendered, requireHelm, set, withBucket } from '../support/tools/chart.ts';

let helm: Helm;

beforeAll(async () => {
  helm = await requireHelm();
});

const volume = (accessMode: string, ...more: readonly string[]) => [
  ...set('artifacts.volume.enabled', true),
  ...set('artifacts.volume.accessMode', accessMode),
  ...more,
];
const existing = set('artifacts.volume.existingClaim', 'mine');

const stores = [
  { store: 'a bucket', flags: withBucket, isShared: true },
  { store: 'ReadWriteMany', flags: [...forUse, ...volume('ReadWriteMany')], isShared: true },
  {
    store: 'an existing claim with ReadWriteMany',
    flags: [...forUse, ...volume('ReadWriteMany', ...existing)],
    isShared: true,
  },
  { store: 'ReadWriteOnce', flags: [...forUse, ...volume('ReadWriteOnce')], isShared: false },
  { store: 'ReadWriteOncePod', flags: [...forUse, ...volume('ReadWriteOncePod')], isShared: false },
  {
    store: 'an existing claim of unknown access mode',
    flags: [...forUse, ...set('artifacts.volume.enabled', true), ...existing],
    isShared: false,
  },
  { store: 'neither, in evaluation mode', flags: [], isShared: false },
];

describe.each(stores)('with $store', ({ flags, isShared }) => {
  it('runs as many pods as can see the artifacts by default', async () => {
    const { get } = await rendered(helm, ...flags);
    expect(get('Deployment', 'fairlead-api').spec).toMatchObject({
      replicas: isShared ? 2 : 1,
      strategy: { type: isShared ? 'RollingUpdate' : 'Recreate' },
    });
  });

  it('accepts one pod, and several only when they share the artifacts', async () => {
    const one = await rendered(helm, ...flags, ...set('api.replicas', 1));
    expect(one.get('Deployment', 'fairlead-api').spec?.replicas).toBe(1);
    const three = rendered(helm, ...flags, ...set('api.replicas', 3));
    if (!isShared) {
      await expect(three).rejects.toThrow(/same artifacts: set artifacts\.s3\.bucket, or/);
      return;
    }
    expect((await three).get('Deployment', 'fairlead-api').spec?.replicas).toBe(3);
  });
});

it.each([
  { flags: withBucket, says: 'in the bucket fairlead, for any number of API pods' },
  {
    flags: [...forUse, ...volume('ReadWriteMany', ...existing)],
    says: 'in the claim mine (ReadWriteMany), for any',
  },
  {
    flags: [...forUse, ...volume('ReadWriteOnce')],
    says: 'in the claim fairlead-artifacts (ReadWriteOnce), for one',
  },
  { flags: [], says: 'in the API pod, for one API pod; lost with it' },
])('notes: code and builds are $says', async ({ flags, says }) => {
  const dryRun = [
    '--dry-run=client',
    '--take-ownership',
    '--kubeconfig',
    sharedControlPlane().kubeconfig,
  ];
  const command = ['install', 'fairlead', chartFolder, ...dryRun, ...flags];
  expect(await helm(...command)).toContain(`Code, builds:   ${says}`);
});

it('refuses neither a bucket nor a volume for production, whatever the number of pods', async () => {
  for (const replicas of [1, 2]) {
    const release = rendered(helm, ...forUse, ...set('api.replicas', replicas));
    await expect(release).rejects.toThrow(/need persistent storage/);
  }
});

it('refuses a volume in evaluation mode for two pods, and accepts a shared one', async () => {
  const two = set('api.replicas', 2);
  await expect(rendered(helm, ...volume('ReadWriteOnce'), ...two)).rejects.toThrow(
    /same artifacts/,
  );
  const { get } = await rendered(helm, ...volume('ReadWriteMany'), ...two);
  expect(get('Deployment', 'fairlead-api').spec?.replicas).toBe(2);
});

it('passes the removal of unreferenced artifacts to the controller', async () => {
  const collectionOf = async (...flags: readonly string[]) => {
    const { environment } = await rendered(helm, ...withBucket, ...flags);
    expect(environment('fairlead-api')).not.toHaveProperty('FAIRLEAD_ARTIFACT_GRACE_DAYS');
    const written = Object.entries(environment('fairlead-controller'));
    const given = Object.fromEntries(written.filter(([, value]) => value !== ''));
    return loadConfig([], given, 'cluster').collection;
  };
  expect(await collectionOf()).toEqual({ graceDays: 7, dryRun: false });
  const dryRun = [...set('artifacts.unreferenced', 'dry-run'), ...set('artifacts.graceDays', 30)];
  expect(await collectionOf(...dryRun)).toEqual({ graceDays: 30, dryRun: true });
  expect(await collectionOf(...set('artifacts.unreferenced', 'keep'))).toBeUndefined();
  await expect(collectionOf(...set('artifacts.graceDays', 0))).rejects.toThrow(/graceDays/);
});
