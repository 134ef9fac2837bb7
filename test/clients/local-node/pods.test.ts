// Pods of Jobs on the local node, as builds have them: real processes, the real controllers, and kubectl as a person uses it.
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

test('a Job that fails tells its exit code, and the end of its log', async () => {
  await node.create(jobObject('broken', { script: 'echo no such module; exit 3' }));
  await node.kubectl('wait', 'job/broken', '--for=condition=failed', '--timeout=30s');
  const pod = await node.podWith('app=broken');
  expect(pod.status?.phase).toBe('Failed');
  expect(mainStatus(pod).state.terminated).toMatchObject({
    exitCode: 3,
    reason: 'Error',
    message: 'no such module\n',
  });
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
    containers: [shell('main', 'echo main >> /data/order; cat /data/order', mounted)],
  };
  await node.create(podObject('ordered', { spec }));
  const { status } = await ended('ordered', 'Succeeded');
  expect(await node.kubectl('logs', 'ordered')).toBe('first\nsecond\nmain\n');
  expect(status?.initContainerStatuses?.map(({ ready }) => ready)).toEqual([true, true]);
});

test('a container gets its variables and files from Secrets, and the address of its pod', async () => {
  await node.kubectl('create', 'secret', 'generic', 'keys', '--from-literal=token=s3cret');
  const container = {
    env: [
      { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'keys', key: 'token' } } },
      { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
      { name: 'WHO', value: '$(TOKEN)-$$(TOKEN)' },
    ],
    volumeMounts: [{ name: 'keys', mountPath: '/run/keys' }],
  };
  const volumes = [{ name: 'keys', secret: { secretName: 'keys' } }];
  const script = 'echo $TOKEN $WHO $IP; cat /run/keys/token';
  await node.create(podObject('informed', { script, container, spec: { volumes } }));
  const { status } = await ended('informed', 'Succeeded');
  expect(await node.kubectl('logs', 'informed')).toBe(
    `s3cret s3cret-$(TOKEN) ${status?.podIP}\ns3cret\n`,
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
          terminationMessagePolicy: 'FallbackToLogsOnError',
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

test.each([
  {
    what: 'an image that is not on this machine',
    name: 'foreign',
    container: { image: 'postgres:18' },
    waiting: { reason: 'ErrImageNeverPull', message: expect.stringContaining(testImage) },
  },
  {
    what: 'what no pod of Fairlead has',
    name: 'unlike',
    container: { livenessProbe: { exec: { command: ['true'] } } },
    waiting: {
      reason: 'CreateContainerConfigError',
      message:
        'the local node runs pods as Fairlead makes them, and spec.containers[0].livenessProbe.exec is not supported; a cluster runs others (--kubeconfig)',
    },
  },
])('$what is told as the reason to wait', async ({ name, container, waiting }) => {
  await node.create(podObject(name, { container }));
  await eventually(async () => {
    expect(mainStatus(await node.pod(name)).state.waiting).toEqual(waiting);
  });
});

test('a container whose Secret comes later is started then', async () => {
  const env = [{ name: 'WORD', valueFrom: { secretKeyRef: { name: 'late', key: 'WORD' } } }];
  await node.create(podObject('patient', { script: 'echo $WORD', container: { env } }));
  await eventually(async () => {
    expect(mainStatus(await node.pod('patient')).state.waiting).toEqual({
      reason: 'CreateContainerConfigError',
      message: 'secret "late" not found',
    });
  });
  await node.kubectl('create', 'secret', 'generic', 'late', '--from-literal=WORD=here');
  await ended('patient', 'Succeeded');
  expect(await node.kubectl('logs', 'patient')).toBe('here\n');
});

test('a pod that outlasts its deadline is ended and says so', async () => {
  await node.create(podObject('slow', { script: 'sleep 600', spec: { activeDeadlineSeconds: 1 } }));
  const { status } = await ended('slow', 'Failed');
  expect(status?.reason).toBe('DeadlineExceeded');
});

test('nothing is left in the folder of a pod that was deleted', async () => {
  await node.create(podObject('tidy', { script: 'echo here' }));
  const { metadata } = await ended('tidy', 'Succeeded');
  const folder = join(node.podsFolder, metadata.uid ?? '');
  expect(existsSync(folder)).toBe(true);
  await node.kubectl('delete', 'pod', 'tidy', '--timeout=20s');
  await eventually(() => expect(existsSync(folder)).toBe(false));
});
