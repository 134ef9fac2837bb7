// Provides a client whose process dies at a write: the n-th write happens, but its response and everything after it do not.
import type { KubeClient } from '../../../src/kube/api.ts';
import type { StreamingClient } from '../../../src/kube/client.ts';

/** Rejects every call after the death. */
export class Dead extends Error {}

export interface DyingClient {
  readonly client: StreamingClient;
  /** Requested writes in order: verb and kind. */
  readonly writes: readonly string[];
  /** Those that the API server has accepted. */
  readonly accepted: readonly string[];
  readonly isDead: boolean;
}

/**
 * @param lastWrite the write that happens and is never answered; 0: it lives
 * @param isStep selects the writes that are counted for it
 */
export function dyingClient(
  real: StreamingClient,
  lastWrite: number,
  isStep: (what: string) => boolean = () => true,
): DyingClient {
  const writes: string[] = [];
  const accepted: string[] = [];
  let isDead = false;

  async function write<T>(what: string, perform: () => Promise<T>): Promise<T> {
    if (isDead) throw new Dead();
    writes.push(what);
    const answer = await perform();
    if (isDead) throw new Dead();
    accepted.push(what);
    isDead = isStep(what) && accepted.filter(isStep).length === lastWrite;
    if (isDead) throw new Dead();
    return answer;
  }

  function read<T>(perform: () => Promise<T>): Promise<T> {
    return isDead ? Promise.reject(new Dead()) : perform();
  }

  const client: KubeClient = {
    get: (kind, ref, options) => read(() => real.get(kind, ref, options)),
    list: (kind, options) => read(() => real.list(kind, options)),
    raw: (path, options) => read(() => real.raw(path, options)),
    create: (kind, object, options) =>
      write(`create ${kind.kind}`, () => real.create(kind, object, options)),
    replace: (kind, object, options) =>
      write(`replace ${kind.kind}`, () => real.replace(kind, object, options)),
    replaceStatus: (kind, object, options) =>
      write(`status ${kind.kind}`, () => real.replaceStatus(kind, object, options)),
    patch: (kind, ref, patch, options) =>
      write(`patch ${kind.kind}`, () => real.patch(kind, ref, patch, options)),
    apply: (kind, object, options) =>
      write(`apply ${kind.kind}`, () => real.apply(kind, object, options)),
    delete: (kind, ref, options) =>
      write(`delete ${kind.kind}`, () => real.delete(kind, ref, options)),
    close: () => Promise.resolve(),
  };
  return {
    client: { ...real, ...client },
    writes,
    accepted,
    get isDead() {
      return isDead;
    },
  };
}
