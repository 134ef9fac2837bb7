// Jobs of the real kube-controller-manager on the local node: real processes, real kubectl.
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Pod } from '../../../src/dev/node/pod.ts';
import { eventually } from '../../support/eventually.ts';
import { type NodeUnderTest, nodeUnderTest, testImage } from '../../support/local-node.ts';

let node: NodeUnderTest;

beforeAll(async () => {
  node = await nodeUnderTest({
    backoff: { baseMs: 300, capMs: 2_000, steadyMs: 60_000 },
    retryMs: 200,
  });
});
afterAll(() => node.stop());

interface Wanted {
  readonly script?: string;
  readonly spec?: object;
  readonly container?: object;
}

function podSpec({ script = 'true', spec = {}, container = {} }: Wanted) {
  return {
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    containers: [{ name: 'main', image: testImage, command: ['sh', '-c', script], ...container }],
    ...spec,
  };
}

async function createJob(name: string, wanted: Wanted, job: object = {}): Promise<void> {
  const spec = { backoffLimit: 0, template: { spec: podSpec(wanted) }, ...job };
  const object = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name }, spec };
  await node.kubectl.with(object, 'create', '-f', '-');
}

async function createPod(name: string, wanted: Wanted): Promise<void> {
  const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: podSpec(wanted) };
  await node.kubectl.with(object, 'create', '-f', '-');
}

async function podOf(name: string): Promise<Pod> {
  return JSON.parse(await node.kubectl('get', 'pod', name, '-o', 'json')) as Pod;
}

async function podOfJob(name: string): Promise<Pod> {
  const found = await node.kubectl('get', 'pods', '-l', `job-name=${name}`, '-o', 'json');
  const [pod] = (JSON.parse(found) as { items: Pod[] }).items;
  if (pod === undefined) throw new Error('no pod yet');
  return pod;
}

test('a Job runs to completion, and kubectl logs shows what it printed', async () => {
  await createJob('hello', { script: 'echo hello; echo trouble >&2; printf unended' });
  await node.kubectl('wait', 'job/hello', '--for=condition=complete', '--timeout=30s');
  const printed = await node.kubectl('logs', 'job/hello');
  expect(printed.split('\n').filter(Boolean).sort()).toEqual(['hello', 'trouble', 'unended']);
  const { status } = await podOfJob('hello');
  expect(status?.phase).toBe('Succeeded');
  expect(status?.podIP).toMatch(/^127\.\d+\.\d+\.\d+$/);
});
