// Reads the Secrets of a pod on demand: container starts are rare.
import type { KubeClient, KubeObject } from '../../kube/api.ts';
import { hasReason } from '../../kube/errors.ts';
import { secretKind } from './pod.ts';

/** @returns the values of a Secret; undefined when there is none. @throws KubeError */
export type Secrets = (name: string) => Promise<ReadonlyMap<string, Buffer> | undefined>;

interface Secret extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** Reads every Secret at most once: create a new one for every start. */
export function namespaceSecrets(client: Pick<KubeClient, 'get'>, namespace: string): Secrets {
  const known = new Map<string, ReturnType<Secrets>>();

  async function read(name: string): ReturnType<Secrets> {
    try {
      const { data = {} } = await client.get<Secret>(secretKind, { name, namespace });
      return new Map(
        Object.entries(data).map(([key, text]) => [key, Buffer.from(text, 'base64')] as const),
      );
    } catch (thrown) {
      if (hasReason(thrown, 'notFound')) return undefined;
      throw thrown;
    }
  }

  return (name) => {
    const reading = known.get(name) ?? read(name);
    known.set(name, reading);
    return reading;
  };
}
