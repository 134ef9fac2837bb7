// Records the history of one organization: its clients' requests and responses, the versions in the API server, the
// deliveries to its provider, and the faults injected meanwhile.
import type { JsonObject } from '../../../../src/lib/json.ts';
import { eventually } from '../../runner/eventually.ts';
import type { Call, DeadLetter, History, Injected, Outcome, ReadRecord, Version } from './model.ts';
import type { ScriptedProvider } from './provider.ts';
import { startRawWatch } from './raw-watch.ts';

export interface Told {
  readonly outcome: Outcome;
  readonly status?: number | undefined;
  readonly body?: unknown;
}

/** Calls never throw: an unknown outcome is `info`. */
export interface RecordedClient {
  apply(name: string, config: JsonObject, lifecycle?: 'draft' | 'pending'): Promise<Told>;
  /** An apply with `replace=true`. */
  replace(name: string, config: JsonObject): Promise<Told>;
  /** An apply with `adopt`, or with options. */
  applyWith(name: string, config: JsonObject, more: JsonObject): Promise<Told>;
  delete(
    name: string,
    how?: { readonly force?: boolean; readonly orphan?: boolean },
  ): Promise<Told>;
  read(name: string): Promise<Told>;
  retry(name: string, eventId: string): Promise<Told>;
  /** Not recorded: for queries of the test itself. */
  get(path: string): Promise<Told>;
  post(path: string, body: unknown): Promise<Told>;
  put(path: string, body: unknown): Promise<Told>;
}

export interface Recorder {
  client(target: { readonly url: string }, token: string): RecordedClient;
  /** Records a fault for the duration of a function. */
  during<T>(what: string, fault: () => Promise<T>): Promise<T>;
  /** Records a fault that starts now and may have effects for a while. */
  fault(what: string, lastsMs?: number): void;
  /** From here on any write is a violation. */
  quietFromNow(): void;
  /** The history up to now. */
  history(): Promise<History>;
  stop(): Promise<void>;
}

export interface RecorderOptions {
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly provider: ScriptedProvider;
}

const callTimeoutMs = 5_000;

export async function startRecorder(options: RecorderOptions): Promise<Recorder> {
  const { kubeconfig, namespace, provider } = options;
  const calls: Call[] = [];
  const faults: Injected[] = [];
  let quietSince: number | undefined;
  const resources = await startRawWatch(
    kubeconfig,
    `/apis/fairlead.dev/v1alpha1/namespaces/${namespace}/resources`,
  );
  const deadLetters = await startRawWatch(
    kubeconfig,
    `/api/v1/namespaces/${namespace}/configmaps`,
    {
      labelSelector: 'fairlead.dev/dead-letter=true',
    },
  );

  function versions(): readonly Version[] {
    return [
      ...resources.versions.map((each) => ({ ...each, kind: 'Resource' }) as Version),
      ...deadLetters.versions.map((each) => ({
        ...each,
        object: each.object as DeadLetter,
        kind: 'Letter' as const,
      })),
    ].sort((left, right) => revisionOf(left) - revisionOf(right));
  }

  return {
    client: (target, token) => clientOf(target, token, calls),
    async during(what, fault) {
      const from = performance.now();
      try {
        return await fault();
      } finally {
        faults.push({ what, from, to: performance.now() });
      }
    },
    fault(what, lastsMs = 0) {
      const from = performance.now();
      faults.push({ what, from, to: from + lastsMs });
    },
    quietFromNow() {
      quietSince = performance.now();
    },
    async history() {
      await eventually(async () => {
        const caughtUp = (await resources.caughtUp()) && (await deadLetters.caughtUp());
        if (!caughtUp) throw new Error('The raw watch has not seen everything yet');
      });
      return {
        calls: [...calls],
        versions: versions(),
        deliveries: [...provider.deliveries],
        faults: [...faults],
        quietSince,
      };
    },
    async stop() {
      await Promise.all([resources.stop(), deadLetters.stop()]);
    },
  };
}

function revisionOf({ object }: Version): number {
  return Number(object.metadata.resourceVersion ?? 0);
}

function clientOf(target: { readonly url: string }, token: string, calls: Call[]): RecordedClient {
  async function ask(method: string, path: string, body?: unknown): Promise<Told> {
    const headers = {
      authorization: `Bearer ${token}`,
      connection: 'close',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const signal = AbortSignal.timeout(callTimeoutMs);
    try {
      const answer = await fetch(`${target.url}${path}`, {
        method,
        headers,
        signal,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const responseText = await answer.text();
      const outcome = outcomeOf(answer.status);
      return {
        outcome,
        status: answer.status,
        body: responseText === '' ? undefined : JSON.parse(responseText),
      };
    } catch {
      return { outcome: 'info' };
    }
  }

  async function recorded(
    asked: DistributiveOmit<Call, 'invokedAt' | 'endedAt' | 'outcome'>,
    perform: () => Promise<Told>,
  ): Promise<Told> {
    const invokedAt = performance.now();
    const response = await perform();
    const { outcome, status } = response;
    const endedAt = outcome === 'info' ? Infinity : performance.now();
    const shown =
      asked.action === 'read' && status === 200 ? { record: response.body as ReadRecord } : {};
    calls.push({ ...asked, ...shown, invokedAt, endedAt, outcome, status });
    return response;
  }

  function applied(
    asked: { name: string; config: JsonObject; lifecycle: 'draft' | 'pending' },
    { query = '', more = {} }: { query?: string; more?: JsonObject } = {},
  ): Promise<Told> {
    const { name, config, lifecycle } = asked;
    const [provider, resource, last] = name.split('/');
    const tuple = { provider, resource, name: last };
    const body = { ...tuple, config, lifecycle_state: lifecycle, ...more };
    return recorded({ action: 'apply', ...asked }, () =>
      ask('POST', `/resources/apply${query}`, body),
    );
  }

  const path = (name: string) => `/resources/${encodeURIComponent(name)}`;
  return {
    get: (where) => ask('GET', where),
    post: (where, body) => ask('POST', where, body),
    put: (where, body) => ask('PUT', where, body),
    apply: (name, config, lifecycle = 'pending') => applied({ name, config, lifecycle }),
    replace: (name, config) =>
      applied({ name, config, lifecycle: 'pending' }, { query: '?replace=true' }),
    applyWith: (name, config, more) => applied({ name, config, lifecycle: 'pending' }, { more }),
    delete: (name, how = {}) =>
      recorded({ action: 'delete', name }, () => ask('DELETE', `${path(name)}${queryOf(how)}`)),
    async read(name) {
      return await recorded({ action: 'read', name }, async () => {
        const response = await ask('GET', path(name));
        // A 404 is a valid response too.
        return response.status === 404 ? { ...response, outcome: 'ok' } : response;
      });
    },
    retry: (name, eventId) =>
      recorded({ action: 'retry', name, eventId }, () =>
        ask('POST', `/ops/dead-letter/${eventId}/retry`),
      ),
  };
}

function queryOf(how: Readonly<Record<string, boolean>>): string {
  const query = Object.entries(how).map(([option, value]) => `${option}=${value}`);
  return query.length === 0 ? '' : `?${query.join('&')}`;
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** After a server error or a timeout, the request may still have succeeded. */
function outcomeOf(status: number): Outcome {
  if (status < 400) return 'ok';
  return status >= 500 ? 'info' : 'fail';
}
