// Deployments on the local node: probes, rollouts, restarts, and the end of the node itself.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Pod } from '../../../src/dev/node/pod.ts';
import { isAlive } from '../../../src/dev/processes.ts';
import { eventually } from '../../support/runner/eventually.ts';
import {
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

const quick = { periodSeconds: 1, failureThreshold: 1 };

// Reports its identity, becomes ready after a while, and ends two seconds after SIGTERM: kubectl has to be there by then.
const server = `
const { createServer } = require('node:http');
const begun = Date.now();
const server = createServer((request, response) => {
  response.statusCode = request.url === '/ready' && Date.now() - begun < 1500 ? 503 : 200;
  response.end(process.env.VERSION);
}).listen(8080, process.env.IP, () => console.log('listening'));
process.on('SIGTERM', () => setTimeout(() => { console.log('drained'); process.exit(0); }, 2000));
`;

function deployment(name: string, version: string) {
  const main = {
    name: 'main',
    image: testImage,
    command: ['node', '-e', server],
    env: [
      { name: 'VERSION', value: version },
      { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
    ],
    readinessProbe: { ...quick, httpGet: { path: '/ready', port: 8080 } },
    terminationMessagePolicy: 'FallbackToLogsOnError',
  };
  const spec = podSpec({ spec: { restartPolicy: 'Always', containers: [main] } });
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name, version } }, spec },
    },
  };
}

async function answerOf({ status }: Pod): Promise<string> {
  return (await fetch(`http://${status?.podIP}:8080/`)).text();
}

test('a Deployment becomes available through its readiness probe, and a roll drains the old pod', async () => {
  await node.create(deployment('carts', 'one'));
  await node.kubectl('wait', 'deployment/carts', '--for=condition=available', '--timeout=60s');
  const old = await node.podWith('app=carts,version=one');
  expect(await answerOf(old)).toBe('one');
  const ready = old.status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime;
  const started = mainStatus(old).state.running?.startedAt;
  expect(Date.parse(ready ?? '')).toBeGreaterThan(Date.parse(started ?? ''));

  await node.kubectl.with(deployment('carts', 'two'), 'apply', '-f', '-');
  await eventually(async () => {
    expect((await node.pod(old.metadata.name)).metadata.deletionTimestamp).toBeDefined();
  });
  const following = node.kubectl('logs', '-f', old.metadata.name);
  // It still answers while it drains, and its successor does already.
  const successor = await node.podWith('app=carts,version=two');
  expect(await answerOf(successor)).toBe('two');
  expect(await following).toBe('listening\ndrained\n');
  await node.kubectl('wait', `pod/${old.metadata.name}`, '--for=delete', '--timeout=30s');
  await node.kubectl('rollout', 'status', 'deployment/carts', '--timeout=30s');
});

test('a process that does not heed SIGTERM is killed after the grace period, with all it started', async () => {
  const script = `trap '' TERM; sleep 601 & echo $$$$ $!; while :; do sleep 1; done`;
  const spec = { terminationGracePeriodSeconds: 1 };
  await node.create(podObject('stubborn', { script, spec }));
  const pids = await eventually(async () => {
    const printed = (await node.log('stubborn')).trim().split(' ').map(Number);
    expect(printed).toHaveLength(2);
    return printed;
  });
  await node.kubectl('delete', 'pod', 'stubborn', '--timeout=20s');
  await eventually(() => expect(pids.filter(isAlive)).toEqual([]));
});

test('a process that left its group ends with its pod all the same', async () => {
  // Found by its arguments among all processes of the machine, where another run of this test may be.
  const nap = `sleep ${600_000 + process.pid}`;
  const script = `setsid ${nap} & sleep 0.2; pgrep -f "^${nap}$"; exec sleep 604`;
  await node.create(podObject('daemon', { script }));
  const pid = await pidOf('daemon');
  await node.kubectl('delete', 'pod', 'daemon', '--timeout=20s');
  // It is killed before the pod is gone; its end is seen once init has reaped it.
  await eventually(() => expect(isAlive(pid)).toBe(false));
});

test('a process that prints without end keeps neither the node nor its log from others', async () => {
  await node.create(podObject('noisy', { script: 'yes' }));
  await eventually(async () => expect(await node.kubectl('logs', 'noisy', '--tail=1')).toBe('y\n'));
  await node.create(podObject('quiet', { script: 'echo here' }));
  const done = '--for=jsonpath={.status.phase}=Succeeded';
  await node.kubectl('wait', 'pod/quiet', done, '--timeout=20s');
  const following = node.kubectl('logs', '-f', 'noisy', '--tail=1', '--limit-bytes=1000000');
  expect(await following).toHaveLength(1_000_000);
  await node.kubectl('delete', 'pod', 'noisy', 'quiet', '--timeout=20s');
});

test('a crash loop backs off, counts its restarts, and keeps the log of the run before', async () => {
  const spec = { restartPolicy: 'Always' };
  const script = 'echo run >> $HOME/runs; wc -l < $HOME/runs; exit 7';
  await node.create(podObject('crashing', { script, spec }));
  await eventually(async () => {
    const status = mainStatus(await node.pod('crashing'));
    expect(status.restartCount).toBeGreaterThanOrEqual(2);
    expect(status.state.waiting?.reason).toBe('CrashLoopBackOff');
    expect(status.lastState.terminated).toMatchObject({ exitCode: 7, reason: 'Error' });
    // While it waits, the run that ended last is the one before.
    const run = `${status.restartCount + 1}\n`;
    expect([await node.log('crashing'), await node.log('crashing', true)]).toEqual([run, run]);
  });
  expect((await node.pod('crashing')).status?.phase).toBe('Running');
  await node.kubectl('delete', 'pod', 'crashing', '--timeout=20s');
});

// Answers well for a while, and in its second run for ever.
const sickly = `
const { existsSync, writeFileSync } = require('node:fs');
const again = existsSync('/state/again');
writeFileSync('/state/again', '');
const begun = Date.now();
require('node:http').createServer((request, response) => {
  response.statusCode = again || Date.now() - begun < 1500 ? 200 : 500;
  response.end();
}).listen(8081, process.env.IP);
`;

test('a container whose liveness probe fails is restarted', async () => {
  const main = shell('main', '', {
    command: ['node', '-e', sickly.replaceAll('/state', '$(STATE)')],
    env: [
      { name: 'STATE', value: '/state' },
      { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
    ],
    volumeMounts: [{ name: 'state', mountPath: '/state' }],
    startupProbe: { periodSeconds: 1, httpGet: { path: '/', port: 8081 } },
    livenessProbe: { ...quick, httpGet: { path: '/', port: 8081 } },
  });
  const volumes = [{ name: 'state', emptyDir: {} }];
  const spec = { restartPolicy: 'Always', volumes, containers: [main] };
  await node.create(podObject('sickly', { spec }));
  const again = '--for=jsonpath={.status.containerStatuses[0].restartCount}=1';
  await node.kubectl('wait', 'pod/sickly', again, '--timeout=60s');
  await node.kubectl('wait', 'pod/sickly', '--for=condition=ready', '--timeout=60s');
  expect(mainStatus(await node.pod('sickly')).lastState.terminated).toMatchObject({
    exitCode: 143,
    message: 'Liveness probe failed: HTTP probe failed with statuscode: 500',
  });
  await node.kubectl('delete', 'pod', 'sickly', '--timeout=20s');
});

test('a container is not ready before its startup probe has succeeded', async () => {
  const nobody = { httpGet: { path: '/', port: 1 } };
  const container = {
    startupProbe: { periodSeconds: 1, ...nobody },
    readinessProbe: { ...quick, ...nobody },
  };
  await node.create(podObject('starting', { script: 'sleep 600', container }));
  // Nobody listens there: three failures end it.
  const failed = '--for=jsonpath={.status.phase}=Failed';
  await node.kubectl('wait', 'pod/starting', failed, '--timeout=60s');
  const { started, ready } = mainStatus(await node.pod('starting'));
  expect([started, ready]).toEqual([false, false]);
});

test('kubectl logs takes the end, the times, and what has just been printed', async () => {
  const spec = { restartPolicy: 'Never' };
  await node.create(
    podObject('talking', { script: 'for n in 1 2 3 4; do echo $n; done; sleep 600', spec }),
  );
  await eventually(async () =>
    expect(await node.kubectl('logs', 'talking', '--tail=2')).toBe('3\n4\n'),
  );
  expect(await node.kubectl('logs', 'talking', '--tail=1', '--timestamps')).toMatch(
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z 4\n$/,
  );
  expect(await node.kubectl('logs', 'talking', '--limit-bytes=3')).toBe('1\n2');
  expect(await node.kubectl('logs', 'talking', '--since=1h')).toBe('1\n2\n3\n4\n');
});

/** The node in a process of its own, so that it can be killed. */
async function nodeProcess(): Promise<ChildProcess> {
  const { kubeconfig, dataFolder } = node.controlPlane;
  const program = join(import.meta.dirname, '../../support/servers/local-node-process.ts');
  const child = spawn(process.execPath, [program, kubeconfig, dataFolder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

function pidOf(pod: string): Promise<number> {
  return eventually(async () => {
    const pid = Number((await node.log(pod)).trim());
    expect(pid).toBeGreaterThan(1);
    expect(isAlive(pid)).toBe(true);
    return pid;
  });
}

test('nothing outlives a node that is killed, and the next start goes on with its pods', async () => {
  await node.stopNode();
  const first = await nodeProcess();
  const script = 'echo $$$$; exec sleep 602';
  await node.create(podObject('lasting', { script, spec: { restartPolicy: 'Always' } }));
  await node.create(podObject('once', { script, spec: { restartPolicy: 'Never' } }));
  await node.create(podObject('deleted', { script, spec: { restartPolicy: 'Always' } }));
  const pids = await Promise.all(['lasting', 'once', 'deleted'].map(pidOf));
  const before = mainStatus(await node.pod('lasting'));
  expect(before.state.running).toBeDefined();
  first.kill('SIGKILL');
  await eventually(() => expect(pids.filter(isAlive)).toEqual([]));
  await node.kubectl('delete', 'pod', 'deleted', '--force', '--grace-period=0');

  await node.startNode();
  // Others would send to it.
  const state = mainStatus(await node.pod('lasting'));
  expect(state.state.running === undefined || state.containerID !== before.containerID).toBe(true);
  const again = await pidOf('lasting');
  expect(pids).not.toContain(again);
  const lasting = mainStatus(await node.pod('lasting'));
  expect(lasting.restartCount).toBe(1);
  expect(lasting.lastState.terminated?.reason).toBe('ContainerStatusUnknown');
  await node.kubectl('wait', 'pod/once', '--for=jsonpath={.status.phase}=Failed', '--timeout=20s');
  expect(mainStatus(await node.pod('once')).state.terminated).toMatchObject({
    exitCode: 137,
    reason: 'ContainerStatusUnknown',
  });
  const known = await node.kubectl('get', 'pods', '-o', 'jsonpath={.items[*].metadata.uid}');
  expect(known.split(' ')).toEqual(expect.arrayContaining(readdirSync(node.podsFolder)));
});

test('nothing runs any more after the node was stopped', async () => {
  const pid = await pidOf('lasting');
  await node.stopNode();
  expect(isAlive(pid)).toBe(false);
  expect(existsSync(join(node.controlPlane.dataFolder, 'node', 'processes'))).toBe(false);
});
