// The gate in front of deliveries: what a request takes, keeps and gives back.
import { beforeEach, expect, it } from 'vitest';
import {
  createGate,
  type DeliveryLimit,
  type LimitEntry,
} from '../../../../../src/reconcilers/resource/delivery/gate.ts';
import { aDelivery } from '../../../../support/fixtures/a-delivery.ts';

const request = aDelivery('acme/box', 'acme/a');
let done: string[] = [];

beforeEach(() => {
  done = [];
});

/** A limit that writes down what it is asked. */
function limit(name: string, entry: LimitEntry<string>, isKept = false): DeliveryLimit<string> {
  return {
    enter() {
      done.push(`${name} ${entry.enter}`);
      return entry;
    },
    leave: (_request, outcome) => void done.push(`${name} left ${JSON.stringify(outcome)}`),
    forget: () => void done.push(`${name} forgets`),
    alive: () => void done.push(`${name} alive`),
    ...(isKept && { isKept: true }),
  };
}

const go = { enter: 'go' } as const;
const queued = { enter: 'queued' } as const;

it('passes the limits in order, and gives back with the outcome in the other order', () => {
  const gate = createGate({
    a: limit('a', go),
    b: limit('b', { enter: 'free' }),
    c: limit('c', go),
  });
  const passage = gate.enter(request);
  if (passage.enter !== 'go') throw new Error(passage.enter);
  passage.lease.ended({ silence: 'TIMEOUT' });
  passage.lease.release();
  expect(done).toEqual([
    ...['a go', 'b free', 'c go'],
    ...['c left {"silence":"TIMEOUT"}', 'a left {"silence":"TIMEOUT"}'],
  ]);
});

it('gives back a lease as aborted when nothing is known of its delivery', () => {
  const passage = createGate({ a: limit('a', go) }).enter(request);
  if (passage.enter === 'go') passage.lease.release();
  expect(done).toEqual(['a go', 'a left "nothing"']);
});

it('keeps no place while it waits for a later limit, except where others could not pass either', () => {
  const gate = createGate({
    a: limit('a', go),
    kept: limit('kept', go, true),
    b: limit('b', queued),
    c: limit('c', go),
  });
  expect(gate.enter(request)).toEqual(queued);
  expect(done).toEqual(['a go', 'kept go', 'b queued', 'c forgets', 'a left "nothing"']);
  done = [];
  gate.forget(request.key);
  gate.forget(request.key);
  expect(done).toEqual(['a forgets', 'kept forgets', 'b forgets', 'c forgets']);
});

it.each<LimitEntry<string>>([{ enter: 'refused', silence: 'TIMEOUT' }, { enter: 'busy' }])(
  'keeps nothing at all after %o',
  (entry) => {
    const gate = createGate({ kept: limit('kept', go, true), b: limit('b', entry) });
    expect(gate.enter(request)).toEqual(entry);
    expect(done.slice(2)).toEqual(['kept left "nothing"']);
    gate.forget(request.key);
    expect(done).toHaveLength(3);
  },
);

it('tells every limit that the provider works on an event', () => {
  const passage = createGate({ a: limit('a', { enter: 'free' }) }).enter(request);
  if (passage.enter === 'go') passage.lease.alive();
  expect(done).toEqual(['a free', 'a alive']);
});
