// The bare client for comparison: one undici pool with keep-alive and the same JSON.
import { readFileSync } from 'node:fs';
import { Pool } from 'undici';
import { parse } from 'yaml';

interface Kubeconfig {
  readonly clusters: readonly {
    cluster: {
      server: string;
      'certificate-authority'?: string;
      'certificate-authority-data'?: string;
      'tls-server-name'?: string;
      'insecure-skip-tls-verify'?: boolean;
    };
  }[];
  readonly users: readonly { user: { token?: string } }[];
}

export interface RawClient {
  send(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<unknown>;
  text(path: string): Promise<string>;
  /** Calls `onObject` for every object of a watch until `stop` is called. Resolves once the watch is open. */
  watch(path: string, onObject: (object: WatchedObject) => void): Promise<{ stop(): void }>;
  close(): Promise<void>;
}

interface Listed {
  readonly metadata: { readonly resourceVersion: string };
}

export interface WatchedObject {
  readonly metadata: { name: string; resourceVersion: string };
  readonly spec: { name: string };
  readonly status?: { state?: string; reason?: string };
}

export function rawClient(kubeconfigFile: string): RawClient {
  const config = parse(readFileSync(kubeconfigFile, 'utf8')) as Kubeconfig;
  const cluster = config.clusters[0]?.cluster;
  const token = config.users[0]?.user.token;
  if (cluster === undefined) throw new Error('the kubeconfig has no cluster');
  const data = cluster['certificate-authority-data'];
  const file = cluster['certificate-authority'];
  const ca =
    data !== undefined
      ? Buffer.from(data, 'base64')
      : file === undefined
        ? undefined
        : readFileSync(file);
  const connect = {
    ...(ca === undefined ? {} : { ca }),
    ...(cluster['tls-server-name'] === undefined ? {} : { servername: cluster['tls-server-name'] }),
    rejectUnauthorized: cluster['insecure-skip-tls-verify'] !== true,
  };
  const pool = new Pool(cluster.server, { connections: 32, pipelining: 1, connect });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };

  async function text(method: string, path: string, body?: unknown): Promise<string> {
    const answer = await pool.request({
      method: method as 'GET',
      path,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const responseText = await answer.body.text();
    if (answer.statusCode >= 300)
      throw new Error(`${method} ${path}: ${answer.statusCode} ${responseText.slice(0, 300)}`);
    return responseText;
  }

  return {
    send: async (method, path, body) => JSON.parse(await text(method, path, body)),
    text: (path) => text('GET', path),
    async watch(path, onObject) {
      const stopping = new AbortController();
      const { signal } = stopping;
      const open = async (version: string) => {
        const query = `?watch=1&resourceVersion=${version}`;
        const request = { method: 'GET', path: `${path}${query}`, headers, signal } as const;
        return (await pool.request({ ...request, bodyTimeout: 0 })).body;
      };
      const { metadata } = JSON.parse(await text('GET', `${path}?limit=1`)) as Listed;
      let version = metadata.resourceVersion;
      let body = await open(version);
      // The API server ends the watch of a slow reader; the watch resumes from the last received version.
      const follow = async () => {
        while (!signal.aborted) {
          await read(body, (object) => {
            version = object.metadata.resourceVersion;
            onObject(object);
          });
          body = await open(version);
        }
      };
      void follow().catch((thrown: unknown) => {
        if (!signal.aborted && !pool.closed) console.error(thrown);
      });
      return { stop: () => stopping.abort() };
    },
    close: () => pool.destroy(),
  };
}

async function read(
  body: AsyncIterable<Buffer>,
  onObject: (object: WatchedObject) => void,
): Promise<void> {
  let rest = '';
  for await (const chunk of body) {
    const lines = (rest + chunk.toString()).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onObject((JSON.parse(line) as { object: WatchedObject }).object);
  }
}
