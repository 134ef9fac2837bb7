// One installation that is upgraded from the release before, and rolled back: the real programs of both, one after the other, on an
// API server of its own, with one organization and its provider.
import { expect } from 'vitest';
import { crdManifests } from '../../../src/crds/manifest.ts';
import { createKubeClient, type StreamingClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { installCrds } from '../../../src/kube/crd-installer.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { apiVersion, kinds } from '../../../src/store/kinds.ts';
import { quickRetries } from '../faults/fault-fixture.ts';
import {
  type Script,
  type ScriptedProvider,
  scriptedProvider,
} from '../faults/history/provider.ts';
import { eventually } from '../runner/eventually.ts';
import { ownControlPlane } from '../servers/control-plane.ts';
import { keysPath, startLoopbackIssuer } from '../servers/issuers/loopback-issuer.ts';
import { artifactsFolder, createReplica, type Replica } from '../servers/replica.ts';
import { hasReleaseBefore, releaseBefore, restoreDefinitions } from './release-before.ts';

const nextRelease = '0.2.0';
/** Constant, because the namespace of the organization is made of it. */
const issuerName = 'http://127.0.0.1:1';

export interface StoredRecord {
  readonly name: string;
  readonly lifecycle_state: string;
  readonly [field: string]: unknown;
}

export interface Response_ {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests compare it
  readonly body: any;
}

export interface Installation extends AsyncDisposable {
  readonly client: StreamingClient;
  readonly provider: ScriptedProvider;
  readonly etcdSocket: string;
  /** Starts a release; its definitions are there. */
  begin(release: 'past' | 'present'): Promise<void>;
  /** Ends the release that runs. */
  end(): Promise<void>;
  /** Installs the definitions of this release. */
  install(): Promise<void>;
  /** Ends the release that runs, and installs the definitions of the other one. */
  replaceBy(release: 'past' | 'present'): Promise<void>;
  /** Registers the type `box/crate`, and its provider. @returns the namespace */
  found(): Promise<string>;
  ask(method: string, path: string, body?: unknown, headers?: object): Promise<Response_>;
  /** Applies a resource of the type. */
  apply(name: string, config: object, more?: ApplyOptions): Promise<void>;
  records(): Promise<ReadonlyMap<string, StoredRecord>>;
  /** Waits for states of resources. */
  become(wanted: Readonly<Record<string, string>>): Promise<void>;
}

export interface ApplyOptions {
  readonly state?: 'draft' | 'pending';
  readonly headers?: object;
  readonly options?: object;
}

export async function anInstallation(script: Script): Promise<Installation> {
  const stack = new AsyncDisposableStack();
  const past = (await hasReleaseBefore()) ? stack.use(await releaseBefore()) : undefined;
  const controlPlane = await ownControlPlane();
  stack.defer(() => controlPlane.stop());
  const client = createKubeClient(loadCluster({ kubeconfig: controlPlane.kubeconfig }));
  stack.defer(() => client.close());
  const issuer = await startLoopbackIssuer();
  stack.defer(() => issuer.close());
  const provider = await scriptedProvider(script);
  stack.defer(() => provider.close());
  const token = await issuer.token({
    iss: issuerName,
    ...{ org_id: 'upgraded', sub: 's-1', preferred_username: 'Ada' },
  });
  let replica: Replica;
  const requirePast = () => {
    if (past === undefined) throw new Error('the history lacks the release before');
    return past;
  };

  const installation: Installation = {
    client,
    provider,
    etcdSocket: controlPlane.etcdSocket,
    async begin(release) {
      const folder = stack.use(await artifactsFolder());
      const settings = {
        kubeconfig: controlPlane.kubeconfig,
        issuers: [{ ...issuer.settings, issuer: issuerName, jwksUrl: `${issuer.url}${keysPath}` }],
        systemNamespace: 'fairlead-system',
        identity: `replica-of-${release}`,
        artifactsFolder: folder.path,
        policy: quickRetries,
        eventTimeoutMs: 2_000,
        workers: 8,
        port: 0,
      };
      replica =
        release === 'past'
          ? createReplica(settings, requirePast().main)
          : createReplica({ ...settings, shards: 2 });
      stack.defer(() => replica.kill());
      await replica.start();
    },
    async end() {
      await replica.drain();
    },
    install: () => installCrds(client, crdManifests(nextRelease), { log: silentLog }),
    async replaceBy(release) {
      await installation.end();
      if (release === 'past') await restoreDefinitions(client, requirePast());
      else await installation.install();
      await installation.begin(release);
    },
    async found() {
      await eventually(async () => {
        const type = { provider: 'box', resource: 'crate', description: 'A crate' };
        const { status } = await installation.ask('POST', '/resources/register', type);
        expect(status).toBe(200);
      });
      const { namespace } = (await installation.ask('GET', '/auth/me')).body;
      await client.create(kinds.provider, {
        apiVersion,
        kind: 'Provider',
        metadata: { name: 'box', namespace },
        spec: { provider: 'box', endpoint: provider.url },
      } as never);
      return namespace;
    },
    async ask(method, path, body, headers = {}) {
      const answer = await fetch(`${replica.url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      return {
        status: answer.status,
        headers: answer.headers,
        body: text === '' ? null : JSON.parse(text),
      };
    },
    async apply(name, config, { state = 'pending', headers = {}, options = {} } = {}) {
      const tuple = { provider: 'box', resource: 'crate', name };
      const body = { ...tuple, config, lifecycle_state: state, ...options };
      // A new release answers 503 until it leads.
      await eventually(async () => {
        const said = await installation.ask('POST', '/resources/apply', body, headers);
        expect(said.status, JSON.stringify(said.body)).toBe(200);
      });
    },
    async records() {
      const { status, body } = await installation.ask('GET', '/resources/');
      expect(status, JSON.stringify(body)).toBe(200);
      return new Map((body as readonly StoredRecord[]).map((each) => [each.name, each]));
    },
    async become(wanted) {
      await eventually(async () => {
        const all = await installation.records();
        const states = Object.keys(wanted).map((name) => [name, all.get(name)?.lifecycle_state]);
        expect(Object.fromEntries(states)).toEqual(wanted);
      }, 30_000);
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
  return installation;
}
