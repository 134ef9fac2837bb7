// What ends an observation without a record: the answer is about what was there before a change.
import { describe, expect, it } from 'vitest';
import type { Resource } from '../../../../src/crds/resource.ts';
import { keyFor } from '../../../../src/kube/api.ts';
import { aClaim } from '../../../support/fixtures/builders.ts';
import { notThere } from '../../../support/fixtures/observation/observed-subjects.ts';
import {
  named,
  observingWorld,
  slowProvider,
} from '../../../support/fixtures/observation/observing-world.ts';

describe('an answer is dropped', () => {
  const changes: Record<string, (resource: Resource) => Partial<Resource>> = {
    'when the config changed meanwhile': ({ spec }) => ({ spec: { ...spec, config: { size: 3 } } }),
    'when a retry was requested meanwhile': ({ spec }) => ({ spec: { ...spec, retry: 1 } }),
    'when an event was sent and ended meanwhile': ({ status }) =>
      status ? { status: { ...status, event: aClaim({ id: 'evt-2' }) } } : {},
    'when an event is under way': ({ status }) =>
      status ? { status: { ...status, state: 'processing' } } : {},
    'when it is being deleted': ({ metadata }) => ({
      metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
    }),
    'when it was made anew': ({ metadata }) => ({ metadata: { ...metadata, uid: 'another' } }),
    'when it is only observed from now on': ({ spec }) => ({
      spec: { ...spec, management: 'Observed' },
    }),
  };
  it.each(Object.entries(changes))('%s', async (_name, changeOf) => {
    const slow = slowProvider();
    const world = await observingWorld({ of: [named('db')], answer: slow.answer });
    await world.request('db', 'r-1');
    expect(world.observed()).toEqual(['db']);
    world.change('db', changeOf(world.get('db')));
    slow.gives(notThere);
    await world.settle();
    expect(world.outcomes[0]).toBe('dropped');
    const isObservedAgain = world.observed().length > 1;
    expect(world.get('db').status?.drift?.kind).toBe(isObservedAgain ? 'Gone' : undefined);
  });

  it('when an event ends the observation', async () => {
    const slow = slowProvider();
    const world = await observingWorld({
      of: [named('db', { spec: { observe: { every: 'never' } } })],
      answer: slow.answer,
    });
    await world.request('db', 'r-1');
    expect(slow.signals.map(({ aborted }) => aborted)).toEqual([false]);
    world.runs.abort(keyFor(world.get('db').metadata));
    expect(slow.signals.map(({ aborted }) => aborted)).toEqual([true]);
    slow.gives(notThere);
    await world.settle();
    expect(world.outcomes[0]).toBe('dropped');
  });

  it('and not when something else changed: tags, or another resource', async () => {
    const slow = slowProvider();
    const world = await observingWorld({ of: [named('db'), named('other')], answer: slow.answer });
    await world.request('db', 'r-1');
    world.change('other', { spec: { ...world.get('other').spec, config: { size: 9 } } });
    world.change('db', { spec: { ...world.get('db').spec, tags: ['new'] } });
    slow.gives(notThere);
    await world.settle();
    expect(world.outcomes).toEqual(['gone']);
    expect(world.get('db')).toMatchObject({ spec: { tags: ['new'] }, status: { reason: 'Gone' } });
  });

  it('and not recorded when the process ends', async () => {
    const slow = slowProvider();
    const world = await observingWorld({ of: [named('db')], answer: slow.answer });
    await world.request('db', 'r-1');
    const stopped = world.stop();
    slow.gives(notThere);
    await stopped;
    expect([world.writes, world.outcomes]).toEqual([[], []]);
  });
});
