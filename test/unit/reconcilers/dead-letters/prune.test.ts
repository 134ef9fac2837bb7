// Passes over superseded dead letters: whatever happens beside a removal, none stays beyond the limit.
import { expect, it } from 'vitest';
import type { KubeClient } from '../../../../src/kube/api.ts';
import { KubeError } from '../../../../src/kube/errors.ts';
import { createDeadLetterIndex } from '../../../../src/reconcilers/dead-letters/by-resource.ts';
import { createDeadLettersReconciler } from '../../../../src/reconcilers/dead-letters/index.ts';
import { createDeadLetterReader } from '../../../../src/reconcilers/dead-letters/reader.ts';
import type { DeadLetterObject } from '../../../../src/store/dead-letters/object.ts';
import {
  aDeadLetter,
  deadLetterObject,
  eventIdOf,
} from '../../../support/fixtures/dead-letters/dead-letter-builders.ts';

const { namespace } = aDeadLetter(1).resource;
const key = (number: number) => `${namespace}/${eventIdOf(number)}` as const;

it('removes what was marked during the removal of the last dead letter of a pass', async () => {
  const cached = new Map<string, DeadLetterObject>();
  const removed: string[] = [];
  const removing = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const index = createDeadLetterIndex();
  const mark = (number: number) => {
    const object = deadLetterObject(aDeadLetter(number, { marked: true }));
    cached.set(key(number), object);
    index.heard(key(number), object);
  };
  const client = {
    // Their resources are gone.
    get: () => Promise.reject(new KubeError({ reason: 'notFound', message: 'gone' })),
    async delete(_kind: unknown, { name }: { name: string }) {
      removing.resolve();
      await goOn.promise;
      removed.push(name);
      cached.delete(`${namespace}/${name}`);
    },
  } as unknown as KubeClient;
  const reconciler = createDeadLettersReconciler({
    client,
    deadLetters: { get: (each) => cached.get(each), remember: () => undefined },
    resources: { get: () => undefined },
    reader: createDeadLetterReader(),
    index,
    supersededKept: 1,
  });
  const { signal } = new AbortController();
  mark(1);
  mark(2);
  // The first one is the oldest: its pass removes its own dead letter.
  const pass = reconciler.reconcile(key(1), signal);
  await removing.promise;
  mark(3);
  await reconciler.reconcile(key(3), signal);
  goOn.resolve();
  for (let next = await pass; next.kind === 'again'; ) {
    next = await reconciler.reconcile(key(1), signal);
  }
  expect(removed).toEqual([eventIdOf(1), eventIdOf(2)]);
});
