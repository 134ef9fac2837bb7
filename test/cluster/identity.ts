// Who receives events on a real cluster: pods that prove with a certificate that they are of this provider and organization.
import { expect, it } from 'vitest';
import { certificateAnnotation } from '../../src/providers/workloads/serving-certificate.ts';
import { label } from '../../src/store/kinds.ts';
import { systemNamespace, type Tenant } from '../support/cluster/installation.ts';
import { becomes, declare, serves } from '../support/cluster/provider-code.ts';
import type { Stage } from '../support/cluster/stage.ts';
import { eventually } from '../support/runner/eventually.ts';

const system = ['--namespace', systemNamespace];
const port = 8443;

interface HandshakeResult {
  readonly protocol?: string;
  readonly names?: string;
  readonly error?: string;
}

export function identity(stage: Stage): void {
  it('sends events over TLS 1.3, to pods with a certificate of their organization and provider', async () => {
    const { at, north, south } = stage;
    const [{ address }] = await providerPods(stage, north);
    const name = `crates.${north.namespace}.fairlead.internal`;
    const accepted = await tlsHandshake(stage, { address, name });
    expect(accepted).toEqual({ protocol: 'TLSv1.3', names: `DNS:${name}` });
    const old = await tlsHandshake(stage, { address, name, maxVersion: 'TLSv1.2' });
    expect(old.error).toMatch(/protocol version/i);
    const other = `crates.${south.namespace}.fairlead.internal`;
    const refused = await tlsHandshake(stage, { address, name: other });
    expect(refused.error).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
    const provider = ['providers.fairlead.dev', 'crates', '--namespace', north.namespace];
    const expiry = Date.parse(await at.read('{.status.certificateExpiresAt}', ...provider));
    expect(expiry).toBeGreaterThan(Date.now() + 88 * 86_400_000);
  });

  it("sends nothing to an address of a provider at which another organization's pod answers", async () => {
    const { at, north } = stage;
    const impostor = await startImpostor(stage);
    // The pod that is less busy is chosen, and this one keeps the other busy.
    await declare(north, 'many-before');
    await declare(north, 'intercepted');
    await eventually(async () => {
      const log = await at.kubectl('logs', '--namespace', north.namespace, impostor);
      expect(log).toContain('handshake');
    }, 60_000);
    const log = await at.kubectl('logs', '--namespace', north.namespace, impostor);
    expect(log).not.toContain('received');
    await at.kubectl('delete', 'pod', impostor, '--namespace', north.namespace, '--now');
    await becomes(north, 'intercepted', 'ready', 120_000);
  });

  it('replaces its authority when the Secret is deleted, and loses no event meanwhile', async () => {
    const { at, north, south } = stage;
    const [{ authority }] = await providerPods(stage, north);
    await at.kubectl('delete', 'secret', 'fairlead-provider-authority', ...system);
    let round = 0;
    await eventually(async () => {
      round += 1;
      await declare(north, `replaced-${round}`);
      await becomes(north, `replaced-${round}`, 'ready', 60_000);
      const pods = await Promise.all([north, south].map((tenant) => providerPods(stage, tenant)));
      for (const each of pods.flat()) expect(each.authority).not.toBe(authority);
    }, 180_000);
    await serves(north, await wantedVersion(stage, north));
    const trusted = ['configmap', 'fairlead-provider-authorities', ...system];
    await eventually(async () => {
      const text = await at.read('{.data}', ...trusted);
      expect(text.match(/BEGIN CERTIFICATE/g)).toHaveLength(1);
    }, 180_000);
  });
}

interface ProviderPod {
  readonly address: string;
  readonly authority: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly certificate: string;
  readonly image: string;
}

/** @returns those that are not on their way out, at least one */
async function providerPods(
  { at }: Stage,
  { namespace }: Tenant,
): Promise<[ProviderPod, ...ProviderPod[]]> {
  const selector = 'fairlead.dev/provider,fairlead.dev/version';
  const text = await at.kubectl(
    ...['get', 'pods', '--namespace', namespace, '--selector', selector, '-o', 'json'],
  );
  const { items } = JSON.parse(text) as {
    readonly items: readonly {
      readonly metadata: {
        readonly labels: Record<string, string>;
        readonly annotations: Record<string, string>;
        readonly deletionTimestamp?: string;
      };
      readonly spec: {
        readonly containers: readonly { readonly image: string }[];
        readonly volumes: readonly {
          readonly name: string;
          readonly secret?: { secretName: string };
        }[];
      };
      readonly status: { readonly podIP?: string };
    }[];
  };
  const found = items
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata: { labels, annotations }, spec, status }) => ({
      address: status.podIP ?? '',
      authority: annotations[certificateAnnotation.authority],
      labels,
      annotations,
      certificate:
        spec.volumes.find(({ name }) => name === 'certificate')?.secret?.secretName ?? '',
      image: spec.containers[0]?.image ?? '',
    }));
  const [first, ...others] = found;
  if (first === undefined) throw new Error(`${namespace} has no pod of a provider`);
  return [first, ...others];
}

interface Handshake {
  readonly address: string;
  readonly name: string;
  readonly maxVersion?: string;
}

/** From the controller's pod, with the authorities that it trusts. */
async function tlsHandshake({ at }: Stage, handshake: Handshake): Promise<HandshakeResult> {
  const trusted = ['configmap', 'fairlead-provider-authorities', ...system];
  const ca = await at.kubectl(
    ...['get', ...trusted],
    ...['-o', 'go-template={{range $key, $value := .data}}{{$value}}{{end}}'],
  );
  const options = { ...handshake, ca, port };
  const script = `
    const { address: host, name: servername, ...rest } = ${JSON.stringify(options)};
    const socket = require('node:tls').connect({ host, servername, ...rest }, () => {
      console.log(JSON.stringify({ protocol: socket.getProtocol(), names: socket.getPeerCertificate().subjectaltname }));
      socket.destroy();
    });
    socket.on('error', (error) => {
      console.log(JSON.stringify({ error: error.code === undefined || error.code.startsWith('ERR_SSL') ? error.message : error.code }));
    });`;
  const pod = ['exec', ...system, 'deploy/fairlead-controller', '--'];
  return JSON.parse(await at.kubectl(...pod, 'node', '-e', script)) as HandshakeResult;
}

/** A pod with the labels of north's provider that serves with the certificate of south's, and logs what reaches it. */
async function startImpostor(stage: Stage): Promise<string> {
  const { at, north, south } = stage;
  const version = await wantedVersion(stage, north);
  const pods = await providerPods(stage, north);
  // A pod of the version before may still be there, and one with its labels gets no event.
  const present = pods.find(({ labels }) => labels[label.version] === version);
  if (present === undefined) throw new Error(`No pod of ${north.namespace} runs ${version}`);
  const { labels: all, annotations, image } = present;
  // With its hash, the ReplicaSet would adopt the pod.
  const { 'pod-template-hash': _hash, ...labels } = all;
  const [{ certificate }] = await providerPods(stage, south);
  const where = ['--namespace', south.namespace];
  const { data } = JSON.parse(
    await at.kubectl('get', 'secret', certificate, ...where, '-o', 'json'),
  ) as { readonly data: unknown };
  const [name, namespace] = ['impostor', north.namespace];
  await at.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, data });
  const script = `
    const { readFileSync } = require('node:fs');
    const [cert, key] = ['crt', 'key'].map((end) => readFileSync('/certificate/tls.' + end));
    const server = require('node:tls').createServer({ cert, key }, (socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (data) => console.log('received ' + data.length));
    });
    server.on('connection', () => console.log('handshake'));
    server.on('tlsClientError', () => undefined);
    server.listen(${port});`;
  await at.apply({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels, annotations },
    spec: {
      automountServiceAccountToken: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 65532,
        runAsGroup: 65532,
        fsGroup: 65532,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      volumes: [{ name: 'certificate', secret: { secretName: name } }],
      containers: [
        {
          name: 'impostor',
          image,
          command: ['node', '-e', script],
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
          volumeMounts: [{ name: 'certificate', mountPath: '/certificate' }],
        },
      ],
    },
  });
  await at.kubectl(
    ...['wait', '--for=condition=Ready', 'pod', name, '--namespace', namespace, '--timeout=60s'],
  );
  return name;
}

async function wantedVersion({ at }: Stage, { namespace }: Tenant): Promise<string> {
  return await at.read(
    '{.spec.version}',
    'providers.fairlead.dev',
    'crates',
    '--namespace',
    namespace,
  );
}
