// The observation after a failed CREATE counts among what a provider gets at a time.
import { expect, it } from 'vitest';
import type { Answer } from '../../../../src/events/protocol.ts';
import { createProcessEnds } from '../../../../src/reconcilers/crashes/process-ends.ts';
import { createLeakCheck } from '../../../../src/reconcilers/observation/leak-check.ts';
import { createGate } from '../../../../src/reconcilers/resource/delivery/gate.ts';
import { createDeclaredLimit } from '../../../../src/reconcilers/resource/delivery/limits/declared.ts';
import { aResource } from '../../../support/fixtures/builders.ts';

const resource = aResource();
const provider = `${resource.metadata.namespace}/postgres`;
const question = { resource, organizationId: 'acme', observe: true, config: {} };
const anEvent = (limit: number) => ({ key: 'event', provider, type: 'database', limit });

function checking() {
  const freed: string[] = [];
  const declared = createDeclaredLimit({
    onFree: (key) => freed.push(key),
    providerLimit: () => undefined,
  });
  const found = Promise.withResolvers<Answer>();
  const check = createLeakCheck({
    gate: createGate({ declared: declared.beside }),
    endpoints: { find: () => 'http://10.0.0.1:8080' },
    processEnds: createProcessEnds({ pods: { get: () => undefined } }),
    dispatch: () => found.promise,
  });
  return { check, declared, freed, answer: found.resolve };
}

const exists: Answer = { kind: 'observed', exists: true, config: {}, outputs: {} };

it('is not asked while the events of the type take all turns', async () => {
  const { check, declared, answer } = checking();
  declared.enter(anEvent(1));
  answer(exists);
  expect(await check({ ...question, concurrency: 1 })).toBeUndefined();
  expect(await check({ ...question, concurrency: 2 })).toBe(true);
});

it('keeps events of the type waiting for its turn', async () => {
  const { check, declared, freed, answer } = checking();
  const checked = check({ ...question, concurrency: 1 });
  expect(declared.enter(anEvent(1)).enter).toBe('queued');
  answer(exists);
  expect(await checked).toBe(true);
  expect(freed).toEqual(['event']);
});
