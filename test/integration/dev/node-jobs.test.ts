// Jobs, pods that end, and the volumes of pods, on the local node: real processes, the real controllers, and kubectl as a
// person uses it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../support/runner/eventually.ts';
import {
  jobObject,
  mainStatus,
  type NodeUnderTest,
  nodeUnderTest,
  podObject,
  podSpec,
  shell,
  testImage,
} from '../../support/servers/local-node.ts';

let node: NodeUnderTest;

beforeAll(async () => {
  node = await nodeUnderTest();
});
afterAll(() => node.stop());

async function ended(pod: string, phase: 'Succeeded' | 'Failed') {
  return await eventually(async () => {
    const found = await node.pod(pod);
    expect(found.status?.phase).toBe(phase);
    return found;
  });
}

test('a Job runs to completion, and kubectl logs shows what it printed', async () => {
  await node.create(jobObject('hello', { script: 'echo hello; echo trouble >&2; printf unended' }));
  await node.kubectl('wait', 'job/hello', '--for=condition=complete', '--timeout=30s');
  const printed = await node.kubectl('logs', 'job/hello');
  expect(printed.split('\n').filter(Boolean).sort()).toEqual(['hello', 'trouble', 'unended']);
  const { status } = await node.podWith('app=hello');
  expect(status?.phase).toBe('Succeeded');
  expect(status?.podIP).toMatch(/^127\.\d+\.\d+\.\d+$/);
});

test('a Job that fails tells its exit code, and the end of its log when it asks for that', async () => {
  const container = { terminationMessagePolicy: 'FallbackToLogsOnError' };
  await node.create(jobObject('broken', { script: 'echo no such module; exit 3', container }));
  await node.kubectl('wait', 'job/broken', '--for=condition=failed', '--timeout=30s');
  const pod = await node.podWith('app=broken');
  expect(pod.status?.phase).toBe('Failed');
  expect(mainStatus(pod).state.terminated).toMatchObject({
    exitCode: 3,
    reason: 'Error',
    message: 'no such module\n',
  });
});

test('a process that is killed by a signal exits with 128 and its number', async () => {
  await node.create(podObject('killed', { script: 'kill -9 $$$$' }));
  const pod = await ended('killed', 'Failed');
  expect(mainStatus(pod).state.terminated?.exitCode).toBe(137);
});

test('a command that is no program is told as an error of starting it', async () => {
  const container = { command: ['no-such-program'] };
  await node.create(podObject('no-program', { container }));
  const pod = await ended('no-program', 'Failed');
  expect(mainStatus(pod).state.terminated).toMatchObject({ exitCode: 128, reason: 'StartError' });
});

test('init containers run in order before the container, and share an emptyDir with it', async () => {
  const mounted = { volumeMounts: [{ name: 'work', mountPath: '/data' }] };
  const spec = {
    volumes: [{ name: 'work', emptyDir: {} }],
    initContainers: [
      shell('first', 'sleep 0.3; echo first >> /data/order', mounted),
      shell('second', 'echo second >> /data/order', mounted),
    ],
    containers: [
      shell('main', 'echo main >> order; cat /data/order', { ...mounted, workingDir: '/data' }),
    ],
  };
  await node.create(podObject('ordered', { spec }));
  const { status } = await ended('ordered', 'Succeeded');
  expect(await node.kubectl('logs', 'ordered')).toBe('first\nsecond\nmain\n');
  expect(status?.initContainerStatuses?.map(({ ready }) => ready)).toEqual([true, true]);
});

test('an init container that fails permanently keeps the container from running', async () => {
  const spec = { initContainers: [shell('first', 'exit 4')] };
  await node.create(podObject('stuck', { spec, script: 'echo ran' }));
  const { status } = await ended('stuck', 'Failed');
  expect(status?.initContainerStatuses?.[0]?.state.terminated?.exitCode).toBe(4);
  expect(status?.containerStatuses?.[0]?.state.waiting?.reason).toBe('PodInitializing');
});

test('a container gets its environment and files from config maps, secrets and the downward API', async () => {
  await node.kubectl(
    'create',
    'configmap',
    'settings',
    '--from-literal=COLOR=green',
    '--from-literal=size=9',
  );
  await node.kubectl('create', 'secret', 'generic', 'keys', '--from-literal=token=s3cret');
  const container = {
    resources: { limits: { cpu: '500m', memory: '64Mi' } },
    envFrom: [{ configMapRef: { name: 'settings' } }],
    env: [
      { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'keys', key: 'token' } } },
      { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
      { name: 'MEMORY', valueFrom: { resourceFieldRef: { resource: 'limits.memory' } } },
      { name: 'WHO', value: '$(POD)-$(COLOR)-$$(COLOR)' },
    ],
    volumeMounts: [
      { name: 'config', mountPath: '/etc/config' },
      { name: 'all', mountPath: '/etc/all' },
    ],
  };
  const spec = {
    volumes: [
      {
        name: 'config',
        configMap: { name: 'settings', items: [{ key: 'size', path: 'deep/size' }] },
      },
      {
        name: 'all',
        projected: {
          sources: [
            { secret: { name: 'keys' } },
            {
              downwardAPI: {
                items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }],
              },
            },
          ],
        },
      },
    ],
  };
  const script =
    'echo $COLOR $TOKEN $MEMORY $WHO; cat /etc/config/deep/size /etc/all/token /etc/all/labels; echo; echo $IP';
  const wanted = podObject('informed', { script });
  await node.create({
    ...wanted,
    spec: { ...wanted.spec, ...spec, containers: [{ ...wanted.spec.containers[0], ...container }] },
  });
  const { status } = await ended('informed', 'Succeeded');
  expect(await node.kubectl('logs', 'informed')).toBe(
    `green s3cret 67108864 informed-green-$(COLOR)\n9s3cretapp="informed"\n${status?.podIP}\n`,
  );
});

/** Prints the files and their contents whenever they change. */
const watcher = `
const { readdirSync, readFileSync } = require('node:fs');
let last = '';
setInterval(() => {
  const files = readdirSync(process.argv[1]).filter((name) => !name.endsWith('.new'));
  const now = JSON.stringify(files.map((name) => [name, readFileSync(process.argv[1] + '/' + name, 'utf8')]));
  if (now !== last) console.log(now);
  last = now;
}, 100);
`;

test('a running container gets the keys of its Secret, their changes and their removal', async () => {
  const secret = (stringData: object) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'turning' },
    stringData,
  });
  const items = ['one', 'two'].map((key) => ({ key, path: key }));
  const spec = podSpec({
    spec: {
      volumes: [{ name: 'keys', secret: { secretName: 'turning', optional: true, items } }],
      containers: [
        {
          name: 'main',
          image: testImage,
          command: ['node', '-e', watcher, '/run/keys'],
          volumeMounts: [{ name: 'keys', mountPath: '/run/keys' }],
        },
      ],
    },
  });
  await node.create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'watcher' }, spec });
  const printed = (line: unknown) =>
    eventually(async () => {
      expect(await node.log('watcher')).toContain(JSON.stringify(line));
    }, 30_000);
  await printed([]);
  await node.create(secret({ one: 'a', other: 'hidden' }));
  await printed([['one', 'a']]);
  await node.kubectl('patch', 'secret', 'turning', '-p', '{"stringData":{"one":"b","two":"c"}}');
  await printed([
    ['one', 'b'],
    ['two', 'c'],
  ]);
  await node.kubectl('patch', 'secret', 'turning', '-p', '{"data":{"one":null}}');
  await printed([['two', 'c']]);
  expect(await node.kubectl('logs', 'watcher')).not.toContain('hidden');
});

test('a token of the service account is mounted for who may talk to the API server', async () => {
  const container = { volumeMounts: [{ name: 'identity', mountPath: '/identity' }] };
  const sources = [{ serviceAccountToken: { path: 'token', audience: 'somebody' } }];
  const spec = {
    volumes: [{ name: 'identity', projected: { sources } }],
    containers: [shell('main', 'cut -d. -f2 /identity/token', container)],
  };
  await node.create(podObject('identified', { spec }));
  await ended('identified', 'Succeeded');
  const claims = Buffer.from(await node.kubectl('logs', 'identified'), 'base64url').toString();
  expect(claims).toContain('"aud":["somebody"]');
});

test.each([
  {
    what: 'an image that is not on this machine',
    name: 'foreign',
    container: { image: 'postgres:18' },
    waiting: { reason: 'ErrImageNeverPull', message: expect.stringContaining(testImage) },
  },
  {
    what: 'a container without a command',
    name: 'wordless',
    container: { command: null },
    waiting: { reason: 'CreateContainerConfigError', message: expect.stringContaining('command') },
  },
  {
    what: 'a config map that is missing',
    name: 'lacking',
    container: { envFrom: [{ configMapRef: { name: 'nowhere' } }] },
    waiting: { reason: 'CreateContainerConfigError', message: 'configmap "nowhere" not found' },
  },
])('$what is told as the reason to wait', async ({ name, container, waiting }) => {
  await node.create(podObject(name, { container }));
  await eventually(async () => {
    expect(mainStatus(await node.pod(name)).state.waiting).toEqual(waiting);
  });
});

test('a container whose config map comes later is started then', async () => {
  const container = { envFrom: [{ configMapRef: { name: 'late' } }] };
  await node.create(podObject('patient', { script: 'echo $WORD', container }));
  await eventually(async () => {
    expect(mainStatus(await node.pod('patient')).state.waiting?.reason).toBe(
      'CreateContainerConfigError',
    );
  });
  await node.kubectl('create', 'configmap', 'late', '--from-literal=WORD=here');
  await ended('patient', 'Succeeded');
  expect(await node.kubectl('logs', 'patient')).toBe('here\n');
});

test('a pod that outlasts its deadline is ended and says so', async () => {
  await node.create(podObject('slow', { script: 'sleep 600', spec: { activeDeadlineSeconds: 1 } }));
  const { status } = await ended('slow', 'Failed');
  expect(status?.reason).toBe('DeadlineExceeded');
});

test('a Job that outlasts its deadline leaves no process', async () => {
  await node.create(
    jobObject('endless', { script: 'echo $$$$; exec sleep 600' }, { activeDeadlineSeconds: 2 }),
  );
  const pid = await eventually(async () => {
    const printed = Number(await node.kubectl('logs', 'job/endless'));
    expect(printed).toBeGreaterThan(1);
    return printed;
  });
  await node.kubectl('wait', 'job/endless', '--for=condition=failed', '--timeout=30s');
  await eventually(() => expect(existsSync(`/proc/${pid}/cmdline`)).toBe(false));
});

test('nothing is left in the folder of a pod that was deleted', async () => {
  await node.create(podObject('tidy', { script: 'echo here' }));
  const { metadata } = await ended('tidy', 'Succeeded');
  const folder = join(node.podsFolder, metadata.uid ?? '');
  expect(existsSync(folder)).toBe(true);
  await node.kubectl('delete', 'pod', 'tidy', '--timeout=20s');
  await eventually(() => expect(existsSync(folder)).toBe(false));
});
