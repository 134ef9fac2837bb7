// The Leases of the modelled cluster, with the version checks of the API server. Each replica has a client of its own, which goes
// silent when the replica is killed.
import type { KubeClient, KubeObject, ListOptions, ObjectRef } from '../../src/kube/api.ts';
import type { StreamingClient } from '../../src/kube/client.ts';
import { KubeError } from '../../src/kube/errors.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface LeaseStore {
  /** @param signal aborted when the replica is killed: nothing is answered any more */
  client(signal: AbortSignal): StreamingClient;
  readonly requests: number;
}

/** The time of a request to an API server that has little to do. */
const answerMs = 5;

export function createLeaseStore(time: VirtualTime): LeaseStore {
  const stored = new Map<string, KubeObject>();
  let version = 0;
  let requests = 0;

  function put(object: KubeObject): KubeObject {
    version += 1;
    const { name } = object.metadata;
    const uid = object.metadata.uid ?? `uid-${version}`;
    const next = {
      ...object,
      metadata: { ...object.metadata, uid, resourceVersion: `${version}` },
    };
    stored.set(name, next);
    return next;
  }

  function found(name: string): KubeObject {
    const object = stored.get(name);
    if (object === undefined) throw refusal('notFound', `There is no Lease ${name}`);
    return object;
  }

  function create(object: KubeObject): KubeObject {
    const { name } = object.metadata;
    if (stored.has(name)) throw refusal('alreadyExists', `There is a Lease ${name}`);
    return put(object);
  }

  function replace(object: KubeObject): KubeObject {
    const { name, resourceVersion } = object.metadata;
    if (found(name).metadata.resourceVersion !== resourceVersion) {
      throw refusal('conflict', `The Lease ${name} has changed`);
    }
    return put(object);
  }

  function list({ labelSelector = '' }: ListOptions) {
    const [label = '', value] = labelSelector.split('=');
    const items = [...stored.values()].filter(
      ({ metadata }) => value === undefined || metadata.labels?.[label] === value,
    );
    return { items, resourceVersion: `${version}`, characters: 0 };
  }

  return {
    client(signal) {
      const answered = <T>(handle: () => T) =>
        new Promise<T>((resolve, reject) => {
          if (signal.aborted) return;
          requests += 1;
          time.after(answerMs, () => {
            if (signal.aborted) return;
            try {
              resolve(handle());
            } catch (thrown) {
              reject(thrown);
            }
          });
        });
      const client: Pick<KubeClient, 'get' | 'list' | 'create' | 'replace' | 'delete'> = {
        get: <T>(_kind: unknown, { name }: ObjectRef) => answered(() => found(name) as T),
        list: <T>(_kind: unknown, options: ListOptions = {}) =>
          answered(() => list(options) as { items: T[] } & ReturnType<typeof list>),
        create: <T>(_kind: unknown, object: T) => answered(() => create(object as KubeObject) as T),
        replace: <T>(_kind: unknown, object: T) =>
          answered(() => replace(object as KubeObject) as T),
        delete: (_kind, { name }) => answered(() => stored.delete(name)),
      };
      return client as StreamingClient;
    },
    get requests() {
      return requests;
    },
  };
}

function refusal(reason: 'notFound' | 'alreadyExists' | 'conflict', message: string): KubeError {
  return new KubeError({ reason, message, outcome: 'refused' });
}
