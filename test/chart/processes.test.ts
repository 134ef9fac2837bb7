// The two programs as the chart starts them, with its environment, its accounts, its rights and its policies, on a real API
// server. There is no kubelet: they are processes here, and ports and folders are their own.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chartFolder, type Helm } from '../../packaging/helm.ts';
import { eventually } from '../support/runner/eventually.ts';
import { freePort } from '../support/runner/free-port.ts';
import { type OwnControlPlane, ownControlPlane } from '../support/servers/control-plane.ts';
import { type Rendered, rendered, requireHelm, set } from '../support/tools/chart.ts';
import { type Kubectl, kubectlFor } from '../support/tools/kubectl.ts';

const namespace = 'fairlead-system';
const main = join(import.meta.dirname, '../../src/main.ts');
const run = promisify(execFile);

interface Program {
  readonly part: 'api' | 'controller';
  readonly url: string;
  readonly probes: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly child: ChildProcess;
}

let folder: string;
let controlPlane: OwnControlPlane;
let kubectl: Kubectl;
let helm: Helm;
let chart: Rendered;
let output = '';
const started: Program[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-chart-'));
  helm = await requireHelm();
  controlPlane = await ownControlPlane();
  kubectl = kubectlFor(controlPlane.kubeconfig, namespace);
  const place = ['--namespace', namespace, '--create-namespace'];
  await helm(
    ...['install', 'fairlead', chartFolder, ...place],
    ...['--kubeconfig', controlPlane.kubeconfig],
  );
  chart = await rendered(helm);
});

async function ended(part: 'api' | 'controller'): Promise<void> {
  for (const { child } of started.filter((each) => each.part === part)) {
    if (child.exitCode !== null) continue;
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  }
}

afterAll(async () => {
  await ended('api');
  await ended('controller');
  await controlPlane?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** With a token of the account, as a pod has one. */
async function kubeconfigOf(account: string): Promise<string> {
  const token = (await kubectl('create', 'token', account)).trim();
  const text = await readFile(controlPlane.kubeconfig, 'utf8');
  const config = JSON.parse(text) as { users: { user: object }[] };
  for (const each of config.users) each.user = { token };
  const file = join(folder, `kubeconfig-${account}`);
  await writeFile(file, JSON.stringify(config), { mode: 0o600 });
  return file;
}

async function start(part: 'api' | 'controller'): Promise<Program> {
  const name = `fairlead-${part}`;
  const { args = [] } = chart.pod(name).containers[0] ?? {};
  const port = await freePort();
  const probePort = await freePort();
  const environment = {
    ...chart.environment(name),
    PATH: process.env['PATH'] ?? '',
    // Values from the fields of the pod.
    FAIRLEAD_NAMESPACE: namespace,
    FAIRLEAD_IDENTITY: `${name}-0`,
    ...(part === 'controller' && { FAIRLEAD_SERVICE_ACCOUNT: name }),
    // Values that are private to a pod.
    FAIRLEAD_HOST: '127.0.0.1',
    FAIRLEAD_DATA: join(folder, part),
    FAIRLEAD_PORT: String(port),
    FAIRLEAD_ISSUER_PORT: String(await freePort()),
    FAIRLEAD_INTERNAL_PORT: String(await freePort()),
    FAIRLEAD_METRICS_PORT: String(await freePort()),
    FAIRLEAD_PROBE_PORT: String(probePort),
  };
  const command = [main, ...args, '--kubeconfig', await kubeconfigOf(name)];
  const child = spawn(process.execPath, command, { env: environment });
  const note = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-20_000);
  };
  child.stdout?.on('data', note);
  child.stderr?.on('data', note);
  // The kubelet probes the API on a separate port, and the controller on its only port.
  const probes = `http://127.0.0.1:${part === 'api' ? probePort : port}`;
  const program = { part, url: `http://127.0.0.1:${port}`, probes, environment, child };
  started.push(program);
  return program;
}

async function ready({ probes, child }: Program): Promise<void> {
  await eventually(async () => {
    if (child.exitCode !== null) return;
    const { status } = await fetch(`${probes}/readyz`);
    if (status !== 200) throw new Error(`/readyz answered ${status}: ${output.slice(-2_000)}`);
  }, 60_000);
  if (child.exitCode !== null) throw new Error(`It ended: ${output.slice(-2_000)}`);
}

it('becomes ready without values and passes helm test', async () => {
  const api = await start('api');
  const controller = await start('controller');
  await Promise.all([ready(api), ready(controller)]);
  const token = join(folder, 'token');
  const ofIssuer = ['token', '--org', 'check'];
  // As with `kubectl exec`.
  const env = { ...api.environment, KUBERNETES_SERVICE_HOST: '127.0.0.1' };
  const { stdout } = await run(process.execPath, [main, ...ofIssuer], { env });
  await writeFile(token, stdout);
  const check = ['check', '--url', api.url, '--token-file', token];
  const checked = await run(process.execPath, [main, ...check]).catch((thrown: Error) => thrown);
  expect(checked, output).not.toBeInstanceOf(Error);
  expect(checked).toMatchObject({ stdout: expect.stringMatching(/a draft was applied/) });
});

it("signs events with an administrator's key in a Secret of any name", async () => {
  const kid = 'of-the-administrator';
  const { privateKey } = generateKeyPairSync('ed25519');
  const key = { ...privateKey.export({ format: 'jwk' }), alg: 'EdDSA', use: 'sig', kid };
  const file = join(folder, 'key.json');
  await writeFile(file, JSON.stringify(key));
  await kubectl('create', 'secret', 'generic', 'own-key', `--from-file=${file}`);
  const flags = set('keys.existingSecret', 'own-key');
  await helm(
    ...['upgrade', 'fairlead', chartFolder, '--namespace', namespace],
    ...['--kubeconfig', controlPlane.kubeconfig, ...flags],
  );
  chart = await rendered(helm, ...flags);
  // It leads once the one before it has ended, as in a rolling update.
  await ended('controller');
  await start('controller');
  const api = await start('api');
  await ready(api);
  await eventually(async () => {
    const published = await fetch(`${api.url}/.well-known/jwks.json`);
    // And the one with which the API signs what it asks providers.
    expect(await published.json()).toMatchObject({ keys: [{ kid }, { alg: 'EdDSA' }] });
  });
});

it('gets no forbidden response', () => {
  expect(output).toContain('Serving');
  expect(output.match(/.*(?:forbidden|denied).*/gi) ?? []).toEqual([]);
});
