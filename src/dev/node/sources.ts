// Reads the ConfigMaps and Secrets of a pod on demand: container starts are rare.
import type { KindRef, KubeClient, KubeObject } from '../../kube/api.ts';
import { hasReason } from '../../kube/errors.ts';
import { configMapKind, secretKind } from './pod.ts';

export type Values = ReadonlyMap<string, Buffer>;

export interface Sources {
  /** @returns undefined when there is no such object; throws KubeError */
  configMap(name: string): Promise<Values | undefined>;
  secret(name: string): Promise<Values | undefined>;
}

interface DataObject extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
  readonly binaryData?: Readonly<Record<string, string>>;
}

/** Reads every object at most once: create a new one for every start. */
export function sourcesIn(client: Pick<KubeClient, 'get'>, namespace: string): Sources {
  const known = new Map<string, Promise<Values | undefined>>();

  function read(kind: KindRef, name: string): Promise<Values | undefined> {
    const key = `${kind.kind}/${name}`;
    const reading = known.get(key) ?? fetch(kind, name);
    known.set(key, reading);
    return reading;
  }

  async function fetch(kind: KindRef, name: string): Promise<Values | undefined> {
    try {
      const object = await client.get<DataObject>(kind, { name, namespace });
      const encoding = kind === secretKind ? 'base64' : 'utf8';
      return new Map([
        ...Object.entries(object.data ?? {}).map(decoded(encoding)),
        ...Object.entries(object.binaryData ?? {}).map(decoded('base64')),
      ]);
    } catch (thrown) {
      if (hasReason(thrown, 'notFound')) return undefined;
      throw thrown;
    }
  }

  return {
    configMap: (name) => read(configMapKind, name),
    secret: (name) => read(secretKind, name),
  };
}

function decoded(encoding: BufferEncoding) {
  return ([key, text]: [string, string]): [string, Buffer] => [key, Buffer.from(text, encoding)];
}
