// Keeps the labels of every dead letter consistent with its text and its resource, and the superseded ones within the limit.
import type { Resource } from '../../crds/resource.ts';
import {
  again,
  allow,
  type Informer,
  type Key,
  keyFor,
  type Reconciler,
  refOf,
  type ScopedRules,
  settled,
} from '../../kube/api.ts';
import { type ActDeps, correctLabels, prune } from './act.ts';
import type { DeadLetterIndex } from './by-resource.ts';
import { decideMark } from './decide.ts';

/** `npm run generate` generates roles from these. */
export const rules = {
  cluster: [
    allow(['list', 'watch'], '', ['configmaps']),
    allow(['get', 'list', 'watch'], 'fairlead.dev', ['resources']),
  ],
  tenant: [allow(['get', 'patch', 'delete'], '', ['configmaps'])],
} satisfies ScopedRules;

export const defaultSupersededKept = 1_000;

interface DeadLettersReconcilerDeps extends ActDeps {
  readonly resources: Pick<Informer<Resource>, 'get'>;
}

export function createDeadLettersReconciler(deps: DeadLettersReconcilerDeps): Reconciler {
  const { deadLetters, resources, reader } = deps;
  /** Namespaces being pruned: a second pass would remove the same dead letters. */
  const pruning = new Set<string>();
  /** Namespaces in which a dead letter was marked that the running pass may have missed. */
  const missed = new Set<string>();

  async function pruneOnce(namespace: string): Promise<boolean> {
    if (pruning.has(namespace)) {
      missed.add(namespace);
      return false;
    }
    pruning.add(namespace);
    try {
      for (;;) {
        const isLeft = await prune(namespace, deps);
        if (isLeft || !missed.delete(namespace)) return isLeft;
      }
    } finally {
      pruning.delete(namespace);
    }
  }

  return {
    name: 'dead_letters',
    async reconcile(key) {
      const object = deadLetters.get(key);
      const deadLetter = object && reader.read(object);
      if (deadLetter !== undefined) {
        const state = reader.state(deadLetter, resources.get(keyFor(deadLetter.resource)));
        const isMarkedWrong = decideMark(deadLetter.marked, state) !== undefined;
        if (isMarkedWrong || !deadLetter.hasCauseLabel) await correctLabels(deadLetter, deps);
      }
      // Also once it is gone: its pass may have removed it, and have been told to search for others again.
      return (await pruneOnce(refOf(key).namespace ?? '')) ? again : settled;
    },
  };
}

/** @returns the dead letters that a change of a Resource may affect: that of its last event, and those that name it */
export function deadLettersOf(
  { metadata, status }: Resource,
  index: DeadLetterIndex,
): readonly Key[] {
  const { namespace } = metadata;
  const last = status?.event?.id;
  const own = last === undefined ? [] : [keyFor({ namespace, name: last })];
  return [...new Set([...own, ...index.ofResource(keyFor(metadata))])];
}
