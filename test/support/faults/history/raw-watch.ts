// Records every version of some objects directly from the API server: list, watch, resume, list again after 410. It shares
// no code with the informers that it checks.
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { get, type RequestOptions } from 'node:https';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { KubeObject } from '../../../../src/kube/api.ts';

export interface RawVersion {
  readonly at: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly gap: boolean;
  readonly object: KubeObject;
}

export interface RawWatch {
  readonly versions: readonly RawVersion[];
  /** Resolves when every currently stored version was seen; throws while the API server is unreachable. */
  caughtUp(): Promise<boolean>;
  stop(): Promise<void>;
}

interface Kubeconfig {
  readonly clusters: readonly [
    { readonly cluster: { readonly server: string; readonly 'certificate-authority': string } },
  ];
  readonly users: readonly [{ readonly user: { readonly token: string } }];
}

interface Listed {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly KubeObject[];
}

const pauseMs = 100;

/** @param path of a collection, such as `/api/v1/namespaces/x/configmaps`  @param query of its selector */
export async function startRawWatch(
  kubeconfig: string,
  path: string,
  query: Readonly<Record<string, string>> = {},
): Promise<RawWatch> {
  const config = JSON.parse(readFileSync(kubeconfig, 'utf8')) as Kubeconfig;
  const { server, 'certificate-authority': authority } = config.clusters[0].cluster;
  const options: RequestOptions = {
    ca: readFileSync(authority),
    servername: 'kubernetes.default.svc',
    headers: { authorization: `Bearer ${config.users[0].user.token}` },
    agent: false,
  };
  const versions: RawVersion[] = [];
  const known = new Map<string, KubeObject>();
  const stopping = new AbortController();
  const { signal } = stopping;
  let resourceVersion: string | undefined;
  let listed = false;

  function open(extra: Readonly<Record<string, string>>) {
    const search = new URLSearchParams({ ...query, ...extra }).toString();
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    get(`${server}${path}?${search}`, { ...options, signal }, resolve).once('error', reject);
    return promise;
  }

  async function list(): Promise<Listed> {
    const answer = await open({});
    const body = await text(answer);
    if (answer.statusCode !== 200) throw new Error(`list answers ${answer.statusCode}`);
    return JSON.parse(body) as Listed;
  }

  function see(type: RawVersion['type'], object: KubeObject, gap = false): void {
    const { uid = '' } = object.metadata;
    versions.push({ at: performance.now(), type, gap, object });
    if (type === 'DELETED') known.delete(uid);
    else known.set(uid, object);
  }

  /** After the first list, a new version here may hide versions that were not observed. */
  async function relist(): Promise<void> {
    const { items, metadata } = await list();
    const there = new Set(items.map((item) => item.metadata.uid));
    for (const [uid, object] of [...known]) {
      const gone = { ...object, metadata: { ...object.metadata, ...metadata } };
      if (!there.has(uid)) see('DELETED', gone, listed);
    }
    const news = items.filter(
      ({ metadata: { uid = '', resourceVersion: version } }) =>
        known.get(uid)?.metadata.resourceVersion !== version,
    );
    for (const item of news) {
      see(known.has(item.metadata.uid ?? '') ? 'MODIFIED' : 'ADDED', item, listed);
    }
    listed = true;
    ({ resourceVersion } = metadata);
  }

  function handleLine(line: string): void {
    const { type, object } = JSON.parse(line) as { type: string; object: KubeObject };
    if (type === 'ERROR') {
      resourceVersion = undefined;
      throw new Error('the watch is too old');
    }
    ({ resourceVersion } = object.metadata);
    if (type !== 'BOOKMARK') see(type as RawVersion['type'], object);
  }

  async function watch(): Promise<void> {
    if (resourceVersion === undefined) await relist();
    const from = resourceVersion ?? '0';
    const body = await open({ watch: 'true', allowWatchBookmarks: 'true', resourceVersion: from });
    if (body.statusCode === 410) resourceVersion = undefined;
    if (body.statusCode !== 200) throw new Error(`watch answers ${body.statusCode}`);
    for await (const line of linesOf(body)) handleLine(line);
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      // The API server is down or the watch broke off: only the resume point matters.
      await watch().catch(() => undefined);
      await pause(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  await relist();
  const running = run();
  return {
    versions,
    async caughtUp() {
      const { items } = await list();
      const now = items.map(({ metadata }) => metadata.resourceVersion).sort();
      const seen = [...known.values()].map(({ metadata }) => metadata.resourceVersion).sort();
      return JSON.stringify(now) === JSON.stringify(seen);
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

async function* linesOf(body: AsyncIterable<Buffer>): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let held = '';
  for await (const chunk of body) {
    const lines = (held + decoder.decode(chunk, { stream: true })).split('\n');
    held = lines.pop() ?? '';
    yield* lines;
  }
}
