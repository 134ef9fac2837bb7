// Rendered objects of the chart by values.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };
import { chartFolder, type Helm, kubernetesVersion } from '../../packaging/helm.ts';
import { loadConfig } from '../../src/app/config/index.ts';
import { defaultLimits } from '../../src/domain/limits.ts';
import {
  forUse,
  type Rendered,
  rendered,
  requireHelm,
  set,
  withBucket,
} from '../support/tools/chart.ts';

let helm: Helm;
let plain: Rendered;
let inUse: Rendered;

beforeAll(async () => {
  helm = await requireHelm();
  plain = await rendered(helm);
  inUse = await rendered(helm, ...withBucket);
});

it('uses Helm 3 or 4', async () => {
  const output = await helm('version', '--template', '{{ .Version }}');
  process.stderr.write(`  Helm ${output}\n`);
  expect(output).toMatch(/^v[34]\./);
});

it('passes the linter of Helm', async () => {
  const output = await helm('lint', chartFolder, '--strict', '--kube-version', kubernetesVersion);
  expect(output).toMatch(/0 chart\(s\) failed/);
});

it('renders the same output twice, so that an upgrade rotates no key', async () => {
  expect((await rendered(helm)).text).toBe(plain.text);
});

it('has the version of the package, so that definitions do not look older', async () => {
  const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
  const chart = await readFile(join(chartFolder, 'Chart.yaml'), 'utf8');
  expect(chart).toContain(`\nappVersion: ${version}\n`);
});

it('lists its image and definitions for chart catalogues', async () => {
  const chart = parse(await readFile(join(chartFolder, 'Chart.yaml'), 'utf8')) as {
    readonly annotations: Readonly<Record<string, string>>;
  };
  const annotation = (name: string): unknown =>
    parse(chart.annotations[`artifacthub.io/${name}`] ?? '');
  const image = plain.pod('fairlead-api').containers[0]?.image;
  expect(annotation('images')).toEqual([{ name: 'fairlead', image }]);
  const definitions = plain.objects.filter(({ kind }) => kind === 'CustomResourceDefinition');
  const names = (annotation('crds') as readonly { readonly name: string }[]).map(
    ({ name }) => name,
  );
  expect(names.toSorted()).toEqual(definitions.map(({ metadata }) => metadata.name).toSorted());
});

it('keeps definitions on uninstall unless configured otherwise', async () => {
  const policy = (release: Rendered) =>
    release.objects
      .filter(({ kind }) => kind === 'CustomResourceDefinition')
      .map(({ metadata }) => metadata.annotations?.['helm.sh/resource-policy']);
  expect(policy(plain)).toEqual(Array.from({ length: 6 }, () => 'keep'));
  expect(policy(await rendered(helm, ...set('crds.keep', false)))).not.toContain('keep');
  expect(policy(await rendered(helm, ...set('crds.enabled', false)))).toEqual([]);
});

describe('without values', () => {
  it('is in evaluation mode: one pod each, artifacts in the pod, no issuer from outside', () => {
    expect(plain.environment('fairlead-api')).toMatchObject({
      FAIRLEAD_EVALUATION: 'true',
      FAIRLEAD_ARTIFACTS: 'folder',
    });
    expect(plain.environment('fairlead-api')).not.toHaveProperty('FAIRLEAD_ISSUERS_FILE');
    expect(plain.environment('fairlead-controller')).toMatchObject({
      FAIRLEAD_ARTIFACTS: 'remote',
    });
    expect(plain.get('Deployment', 'fairlead-api').spec).toMatchObject({
      replicas: 1,
      strategy: { type: 'Recreate' },
    });
    expect(plain.get('Deployment', 'fairlead-controller').spec).toMatchObject({ replicas: 1 });
    expect(plain.find('ConfigMap', 'fairlead-issuers')).toBeUndefined();
    expect(plain.find('PersistentVolumeClaim', 'fairlead-artifacts')).toBeUndefined();
  });

  it('creates no Secret: the program creates the event key once', () => {
    expect(plain.objects.filter(({ kind }) => kind === 'Secret')).toEqual([]);
    expect(inUse.objects.filter(({ kind }) => kind === 'Secret')).toEqual([]);
  });

  it('uses the image of its own release', () => {
    const image = `fairlead:${manifest.version}`;
    for (const name of ['fairlead-api', 'fairlead-controller']) {
      expect(plain.pod(name).containers.map((container) => container.image)).toEqual([image]);
      expect(plain.environment(name)['FAIRLEAD_IMAGE']).toBe(image);
    }
  });
});

const ingress = [...set('ingress.enabled', true), ...set('ingress.hosts[0]', 'a.example')];

describe('for production', () => {
  it('mounts the issuers, runs two replicas of both components, and limits disruption', () => {
    const { FAIRLEAD_ISSUERS_FILE: file, ...others } = inUse.environment('fairlead-api');
    expect(file).toBe('/etc/fairlead/issuers.json');
    expect(others).not.toHaveProperty('FAIRLEAD_EVALUATION');
    const issuers = inUse.get('ConfigMap', 'fairlead-issuers').data?.['issuers.json'] ?? '';
    expect(JSON.parse(issuers)).toEqual([
      {
        issuer: 'https://id.example.org',
        audience: 'fairlead',
        organization: 'acme',
        defaultRole: 'viewer',
      },
    ]);
    for (const name of ['fairlead-api', 'fairlead-controller']) {
      expect(inUse.get('Deployment', name).spec).toMatchObject({
        replicas: 2,
        strategy: { type: 'RollingUpdate' },
      });
      expect(inUse.get('PodDisruptionBudget', name).spec).toMatchObject({ maxUnavailable: 1 });
      expect(inUse.pod(name).topologySpreadConstraints).toHaveLength(2);
      expect(plain.find('PodDisruptionBudget', name)).toBeUndefined();
    }
  });

  it.each([
    { flags: [], url: undefined },
    { flags: set('api.publicUrl', 'https://b.example'), url: 'https://b.example' },
    { flags: [...ingress, ...set('ingress.tls[0].secretName', 's')], url: 'https://a.example' },
    { flags: ingress, url: undefined },
  ])('publishes the public URL $url', async ({ flags, url }) => {
    const release = await rendered(helm, ...withBucket, ...flags);
    expect(release.environment('fairlead-api')['FAIRLEAD_PUBLIC_URL']).toBe(url);
    expect(release.environment('fairlead-controller')).not.toHaveProperty('FAIRLEAD_PUBLIC_URL');
  });

  it('rolls the API when issuers change', async () => {
    const changed = await rendered(
      helm,
      ...withBucket,
      ...set('auth.issuers[0].audience', 'other'),
    );
    const hash = (release: Rendered) =>
      release.get('Deployment', 'fairlead-api').spec?.template?.metadata.annotations;
    expect(hash(changed)).not.toEqual(hash(inUse));
  });

  it('renders settings that the program accepts', () => {
    for (const name of ['fairlead-api', 'fairlead-controller']) {
      // Values from the fields of the pod are not rendered, and the file of issuers does not exist here.
      const elsewhere = ['FAIRLEAD_ISSUERS_FILE'];
      const written = Object.entries(inUse.environment(name));
      const here = written.filter(([key, value]) => value !== '' && !elsewhere.includes(key));
      const config = loadConfig([], Object.fromEntries(here), 'cluster');
      expect(config.retry).toMatchObject({ maxAttempts: 8, operationLimitMs: 7_200_000 });
      expect(config.limits).toEqual(defaultLimits);
      expect(config).toMatchObject({ host: '0.0.0.0', dataFolder: '/var/lib/fairlead' });
      expect(config.bucket?.name).toBe('fairlead');
    }
    expect(inUse.text).not.toMatch(/value: "?\d\.\d+e\+/);
  });

  it('passes the limits of organizations to the API and to the controller', async () => {
    const flags = [...set('tenancy.limits.resources', 5), ...set('tenancy.limits.internet', false)];
    const { environment } = await rendered(helm, ...withBucket, ...flags);
    for (const name of ['fairlead-api', 'fairlead-controller']) {
      const written = Object.entries(environment(name));
      const limits = written.filter(([key]) => key.startsWith('FAIRLEAD_LIMIT_'));
      expect(limits).toHaveLength(9);
      const config = loadConfig([], Object.fromEntries(limits), 'cluster');
      expect(config.limits).toEqual({ ...defaultLimits, resources: 5, internet: false });
    }
  });

  it('limits connections as configured, and separates probes', async () => {
    const flags = [...set('api.connectionsPerAddress', 500), ...set('tenancy.provision', false)];
    const { environment, text } = await rendered(helm, ...withBucket, ...flags);
    const { FAIRLEAD_ISSUERS_FILE: _elsewhere, ...api } = environment('fairlead-api');
    const written = Object.entries(api).filter(([, value]) => value !== '');
    const config = loadConfig([], Object.fromEntries(written), 'cluster');
    expect(config).toMatchObject({ connectionsPerAddress: 500, provision: false, probePort: 8003 });
    expect(text.match(/port: probes\b/g)).toHaveLength(3);
  });

  it('keeps one pod on a volume that only one can mount, and keeps the volume', async () => {
    const volume = await rendered(helm, ...forUse, ...set('artifacts.volume.enabled', true));
    expect(volume.get('Deployment', 'fairlead-api').spec).toMatchObject({
      replicas: 1,
      strategy: { type: 'Recreate' },
    });
    const { metadata } = volume.get('PersistentVolumeClaim', 'fairlead-artifacts');
    expect(metadata.annotations?.['helm.sh/resource-policy']).toBe('keep');
    expect(volume.environment('fairlead-controller')['FAIRLEAD_ARTIFACTS']).toBe('remote');
  });

  it('mounts an existing claim instead of creating one', async () => {
    const flags = [
      ...set('artifacts.volume.enabled', true),
      ...set('artifacts.volume.existingClaim', 'mine'),
    ];
    const volume = await rendered(helm, ...forUse, ...flags);
    expect(volume.find('PersistentVolumeClaim', 'fairlead-artifacts')).toBeUndefined();
    expect(volume.pod('fairlead-api').volumes).toContainEqual({
      name: 'artifacts',
      persistentVolumeClaim: { claimName: 'mine' },
    });
  });
});

describe('the image', () => {
  const digest = `sha256:${'0'.repeat(64)}`;
  it.each([
    { flags: set('image.tag', 'x'), image: 'fairlead:x' },
    { flags: set('image.digest', digest), image: `fairlead@${digest}` },
    {
      flags: set('global.imageRegistry', 'r.example/'),
      image: `r.example/fairlead:${manifest.version}`,
    },
    { flags: set('image.repository', 'r.example/a/b'), image: `r.example/a/b:${manifest.version}` },
  ])('is $image everywhere', async ({ flags, image }) => {
    const { text, pod, environment } = await rendered(helm, ...flags);
    expect(pod('fairlead-api').containers[0]?.image).toBe(image);
    expect(environment('fairlead-controller')['FAIRLEAD_IMAGE']).toBe(image);
    expect(text.match(/image: .*/g)?.every((line) => line.includes(image))).toBe(true);
  });
});

it('passes the CIDR blocks of the cluster to both processes, in settings that the program accepts', async () => {
  const { environment } = await rendered(
    helm,
    ...set('tenancy.clusterCidrs[0]', '203.0.113.0/24'),
    ...set('tenancy.clusterCidrs[1]', '2001:db8::/32'),
  );
  const written = environment('fairlead-controller');
  const here = Object.fromEntries(Object.entries(written).filter(([, value]) => value !== ''));
  expect(loadConfig([], here, 'cluster').clusterCidrs).toEqual(['203.0.113.0/24', '2001:db8::/32']);
  // Both send requests to providers.
  const { FAIRLEAD_CLUSTER_CIDRS: ofApi } = environment('fairlead-api');
  expect(ofApi).toBe('203.0.113.0/24,2001:db8::/32');
});

describe('registries of an installation', () => {
  const flags = [
    ...set('tenancy.imagePullSecret', 'pull'),
    ...set('tenancy.npmRegistry', 'https://npm.example/'),
    ...set('tenancy.npmRegistryCidrs[0]', '10.0.0.0/8'),
    ...set('tenancy.npmRegistryCidrs[1]', 'fd00::/8'),
  ];

  it('are passed to the controller, in settings that the program accepts', async () => {
    const { environment } = await rendered(helm, ...flags);
    const written = environment('fairlead-controller');
    const here = Object.fromEntries(Object.entries(written).filter(([, value]) => value !== ''));
    expect(loadConfig([], here, 'cluster').pods).toMatchObject({
      npmRegistry: 'https://npm.example/',
      npmRegistryCidrs: ['10.0.0.0/8', 'fd00::/8'],
      pullSecretFile: '/etc/fairlead-pull/config.json',
    });
    expect(environment('fairlead-api')).not.toHaveProperty('FAIRLEAD_PULL_SECRET_FILE');
  });

  it('have their credentials mounted, so that no permission to read Secrets is needed', async () => {
    const { pod } = await rendered(helm, ...flags);
    const [controller] = pod('fairlead-controller').containers;
    const mounts = [{ name: 'pull', mountPath: '/etc/fairlead-pull', readOnly: true }];
    expect(controller?.volumeMounts).toEqual(expect.arrayContaining(mounts));
    expect(pod('fairlead-controller').volumes).toContainEqual({
      name: 'pull',
      secret: { secretName: 'pull', items: [{ key: '.dockerconfigjson', path: 'config.json' }] },
    });
    expect(JSON.stringify(plain.pod('fairlead-controller'))).not.toContain('pull');
  });
});

describe('the heap of Node', () => {
  it.each([
    { limit: '512Mi', heap: 384 },
    { limit: '1Gi', heap: 768 },
    { limit: '1.5Gi', heap: 1_152 },
    { limit: '1G', heap: 715 },
    { limit: '1073741824', heap: 768 },
  ])('of a limit of $limit is $heap MiB', async ({ limit, heap }) => {
    const { environment } = await rendered(helm, ...set('api.resources.limits.memory', limit));
    const options = environment('fairlead-api')['NODE_OPTIONS'];
    expect(options).toBe(`--max-old-space-size=${heap} --max-semi-space-size=8`);
  });
});

it('adds extra environment variables after the built-in ones, for both components and for each', async () => {
  const flags = [
    ...[...set('extraEnv[0].name', 'A'), ...set('extraEnv[0].value', 'both')],
    ...[...set('api.extraEnv[0].name', 'B'), ...set('api.extraEnv[0].value', 'one')],
  ];
  const { environment } = await rendered(helm, ...flags);
  expect(environment('fairlead-api')).toMatchObject({ A: 'both', B: 'one' });
  expect(environment('fairlead-controller')).toMatchObject({ A: 'both' });
  expect(environment('fairlead-controller')).not.toHaveProperty('B');
});

it('renders extra objects as templates', async () => {
  const object =
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"{{ .Release.Name }}-x"}}';
  const { find } = await rendered(helm, '--set-json', `extraObjects=[${object}]`);
  expect(find('ConfigMap', 'fairlead-x')).toBeDefined();
});
