// Provides a disk for a volume of Fairlead: a folder of one node, as on a cluster without a provisioner.
import type { Installation } from './installation.ts';

const name = 'fairlead-test-disk';
const folder = `/var/tmp/${name}`;
/** The class of the volume: no other claim binds it. */
const storageClass = 'fairlead-test';

/** Chart values that put code and builds on the disk. */
export const onDisk = [
  '--set',
  `artifacts.volume.enabled=true,artifacts.volume.storageClass=${storageClass},artifacts.volume.size=1Gi`,
];

/** @param image any that has Node and is on the node */
export async function makeDisk(at: Installation, image: string): Promise<void> {
  const node = (await at.read('{.items[*].metadata.name}', 'nodes')).split(' ')[0] ?? '';
  // The user of the claim was unknown when the folder was made, and a kubelet leaves such folders to root.
  await onNode(at, { image, node, script: `fs.chmodSync('/disk', 0o777)` });
  const expressions = [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node] }];
  await at.apply({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      storageClassName: storageClass,
      hostPath: { path: folder },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: expressions }] } },
    },
  });
}

/** Includes its contents. Idempotent. */
export async function removeDisk(at: Installation, image: string): Promise<void> {
  const volume = ['persistentvolume', name, '--ignore-not-found'];
  const hosts = '{.spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].values[0]}';
  const node = await at.read(hosts, ...volume);
  if (node === '') return;
  const script = `for (const each of fs.readdirSync('/disk')) fs.rmSync('/disk/' + each, { recursive: true })`;
  await onNode(at, { image, node, script });
  await at.kubectl('delete', ...volume, '--timeout=90s');
}

interface Work {
  readonly image: string;
  readonly node: string;
  readonly script: string;
}

async function onNode(at: Installation, { image, node, script }: Work): Promise<void> {
  await at.apply({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: {
      nodeName: node,
      restartPolicy: 'Never',
      volumes: [{ name: 'disk', hostPath: { path: folder, type: 'DirectoryOrCreate' } }],
      containers: [
        {
          name: 'disk',
          image,
          command: ['node', '-e', `const fs = require('node:fs'); ${script}`],
          securityContext: { runAsUser: 0, runAsNonRoot: false },
          volumeMounts: [{ name: 'disk', mountPath: '/disk' }],
        },
      ],
    },
  });
  const pod = [`pod/${name}`, '--namespace', 'default', '--timeout=90s'];
  await at.kubectl('wait', '--for=jsonpath={.status.phase}=Succeeded', ...pod);
  await at.kubectl('delete', ...pod);
}
