// Simulates a node that has only logs: a Node object, and a kubelet endpoint that serves /containerLogs. The test decides
// what its containers print, when they end and when their streams abort.
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import type { KindRef, KubeObject } from '../../../src/kube/api.ts';
import { podKind, type StreamingClient } from '../../../src/kube/client.ts';

const nodeKind: KindRef = {
  group: '',
  version: 'v1',
  kind: 'Node',
  plural: 'nodes',
  namespaced: false,
};

interface Printed {
  /** Nanoseconds since the epoch. */
  readonly time: bigint;
  readonly text: string;
}

export interface ContainerUnderTest {
  /** One line each; lines of one call have the same time. */
  print(...lines: readonly string[]): void;
  /** Text without a newline, like the last output of a container. */
  printUnended(text: string): void;
  /** Ends following streams, as a kubelet sometimes does; `broken` in the middle of a line. */
  cut(how: 'ended' | 'broken'): void;
  start(): Promise<void>;
  exit(): Promise<void>;
}

export interface PodUnderTest {
  readonly containers: Readonly<Record<'unpack' | 'build' | 'publish', ContainerUnderTest>>;
  delete(): Promise<void>;
}

export interface ProviderPodUnderTest {
  readonly provider: ContainerUnderTest;
  /** Begins another run of the container. */
  restart(): Promise<void>;
  delete(): Promise<void>;
}

export interface LogNode {
  /** Streams opened in total, and currently open. */
  readonly streams: { readonly opened: number; readonly open: number };
  pod(namespace: string, name: string, labels: Record<string, string>): Promise<PodUnderTest>;
  /** A pod of a provider, with its container running. */
  providerPod(
    namespace: string,
    name: string,
    labels: Record<string, string>,
  ): Promise<ProviderPodUnderTest>;
  close(): Promise<void>;
}

interface ContainerState {
  readonly printed: Printed[];
  /** Of the run before; undefined before the first restart. */
  previous?: readonly Printed[];
  readonly followers: Set<(printed: Printed) => void>;
  readonly open: Set<ServerResponse>;
  unended: string;
  state: 'waiting' | 'running' | 'terminated';
}

const names = ['unpack', 'build', 'publish'] as const;

export async function startLogNode(
  client: StreamingClient,
  { kubeconfig, name }: { kubeconfig: string; name: string },
): Promise<LogNode> {
  const containers = new Map<string, ContainerState>();
  const streams = { opened: 0, open: 0 };
  const certificates = join(dirname(kubeconfig), 'certs');
  const tls = {
    key: readFileSync(join(certificates, 'apiserver.key')),
    cert: readFileSync(join(certificates, 'apiserver.crt')),
  };
  const server = createServer(tls, (request, response) => {
    const url = new URL(request.url ?? '/', 'https://node');
    const container = containers.get(url.pathname);
    if (container === undefined || container.state === 'waiting') {
      response.writeHead(400).end('container is waiting to start');
      return;
    }
    if (url.searchParams.get('previous') === 'true' && container.previous === undefined) {
      response.writeHead(400).end('previous terminated container not found');
      return;
    }
    streams.opened += 1;
    streams.open += 1;
    response.once('close', () => {
      streams.open -= 1;
    });
    serve({ request, response, container, asked: url.searchParams });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  await registerNode(client, name, (server.address() as AddressInfo).port);

  function stateAt(path: string): ContainerState {
    const state: ContainerState = {
      printed: [],
      followers: new Set(),
      open: new Set(),
      unended: '',
      state: 'waiting',
    };
    containers.set(`/containerLogs/${path}`, state);
    return state;
  }

  return {
    streams,
    async providerPod(namespace, pod, labels) {
      const state = stateAt(`${namespace}/${pod}/provider`);
      const ref = { namespace, name: pod };
      const whole = podObject({ ...ref, labels }, name);
      const spec = { nodeName: name, containers: [{ name: 'provider', image: 'none' }] };
      await client.create(podKind, { ...whole, spec } as KubeObject);
      state.state = 'running';
      return {
        provider: controlOf(state, () => Promise.resolve()),
        async restart() {
          state.previous = state.printed.splice(0);
          await reportRestart(client, ref);
        },
        async delete() {
          await client.delete(podKind, ref, { gracePeriodSeconds: 0 });
        },
      };
    },
    async pod(namespace, pod, labels) {
      const states = names.map((container) => stateAt(`${namespace}/${pod}/${container}`));
      const ref = { namespace, name: pod };
      await client.create(podKind, podObject({ ...ref, labels }, name));
      const report = () => reportStatus(client, ref, states);
      await report();
      const [unpack, build, publish] = states.map((state) => controlOf(state, report));
      if (unpack === undefined || build === undefined || publish === undefined) {
        throw new Error('three containers make three controls');
      }
      return {
        containers: { unpack, build, publish },
        async delete() {
          await client.delete(podKind, ref, { gracePeriodSeconds: 0 });
        },
      };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function podObject(
  metadata: { name: string; namespace: string; labels: Record<string, string> },
  nodeName: string,
): KubeObject {
  const container = (name: string) => ({ name, image: 'none' });
  const spec = {
    nodeName,
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    initContainers: [container('unpack'), container('build')],
    containers: [container('publish')],
  };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec } as KubeObject;
}

async function registerNode(client: StreamingClient, name: string, Port: number): Promise<void> {
  const object = { apiVersion: 'v1', kind: 'Node', metadata: { name } };
  const created = await client.create<KubeObject>(nodeKind, object);
  const status = {
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port } },
  };
  await client.replaceStatus(nodeKind, { ...created, status });
}

async function reportRestart(
  client: StreamingClient,
  ref: { name: string; namespace: string },
): Promise<void> {
  const pod = await client.get<KubeObject>(podKind, ref);
  const common = { name: 'provider', image: 'none', imageID: '', restartCount: 1, ready: true };
  const [startedAt, finishedAt] = ['2026-01-31T11:00:00Z', '2026-01-31T12:00:00Z'];
  const terminated = { exitCode: 1, reason: 'Error', startedAt, finishedAt };
  const state = { running: { startedAt: finishedAt } };
  const containerStatuses = [{ ...common, state, lastState: { terminated } }];
  await client.replaceStatus(podKind, { ...pod, status: { phase: 'Running', containerStatuses } });
}

async function reportStatus(
  client: StreamingClient,
  ref: { name: string; namespace: string },
  states: readonly ContainerState[],
): Promise<void> {
  const pod = await client.get<KubeObject>(podKind, ref);
  const statuses = states.map(({ state }, index) => ({
    name: names[index],
    image: 'none',
    imageID: '',
    restartCount: 0,
    ready: false,
    state: {
      waiting: { waiting: { reason: 'PodInitializing' } },
      running: { running: { startedAt: '2026-01-31T12:00:00Z' } },
      terminated: { terminated: { exitCode: 0, reason: 'Completed' } },
    }[state],
  }));
  const over = states.every(({ state }) => state === 'terminated');
  const status = {
    phase: over ? 'Succeeded' : 'Pending',
    initContainerStatuses: statuses.slice(0, 2),
    containerStatuses: statuses.slice(2),
  };
  await client.replaceStatus(podKind, { ...pod, status });
}

function controlOf(state: ContainerState, report: () => Promise<void>): ContainerUnderTest {
  return {
    print(...lines) {
      const time = BigInt(Date.now()) * 1_000_000n;
      for (const text of lines) {
        const printed = { time, text };
        state.printed.push(printed);
        for (const each of state.followers) each(printed);
      }
    },
    printUnended(text) {
      state.unended = text;
    },
    cut(how) {
      state.followers.clear();
      for (const each of state.open) {
        if (how === 'ended') each.end();
        else each.write('2026-01-31T12:00:00.5Z half of a li', () => each.destroy());
      }
    },
    async start() {
      state.state = 'running';
      await report();
    },
    async exit() {
      state.state = 'terminated';
      state.followers.clear();
      for (const each of state.open) each.end(terminationMessage(state, true));
      await report();
    },
  };
}

interface Serving {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly container: ContainerState;
  readonly asked: URLSearchParams;
}

function serve({ response, container, asked }: Serving): void {
  const timestamps = asked.get('timestamps') === 'true';
  const since = BigInt(Date.parse(asked.get('sinceTime') ?? '1970-01-01T00:00:00Z')) * 1_000_000n;
  const write = (printed: Printed) => void response.write(rendered(printed, timestamps));
  response.writeHead(200, { 'content-type': 'text/plain' });
  response.flushHeaders();
  const isPrevious = asked.get('previous') === 'true';
  const printed = isPrevious ? (container.previous ?? []) : container.printed;
  const tail = Number(asked.get('tailLines') ?? printed.length);
  const old = printed.slice(Math.max(0, printed.length - tail)).filter(({ time }) => time >= since);
  response.write(old.map((each) => rendered(each, timestamps)).join(''));
  if (asked.get('follow') !== 'true' || container.state === 'terminated') {
    response.end(terminationMessage(container, timestamps));
    return;
  }
  container.followers.add(write);
  container.open.add(response);
  response.once('close', () => {
    container.followers.delete(write);
    container.open.delete(response);
  });
}

function terminationMessage({ unended }: ContainerState, timestamps: boolean): string {
  const time = BigInt(Date.now()) * 1_000_000n;
  return unended === '' ? '' : rendered({ time, text: unended }, timestamps).slice(0, -1);
}

function rendered({ time, text }: Printed, timestamps: boolean): string {
  if (!timestamps) return `${text}\n`;
  const date = new Date(Number(time / 1_000_000n)).toISOString().slice(0, -1);
  return `${date}${String(time % 1_000_000n).padStart(6, '0')}Z ${text}\n`;
}
