// Event ids identify repetitions to providers: equal for the same desired state, different for another one.
import { expect, it } from 'vitest';
import { type EventSource, type EventType, eventId } from '../../../src/domain/event.ts';
import { contentHash, Lifecycle } from '../../../src/domain/lifecycle.ts';

const lifecycle = Lifecycle.Committed;
const content = contentHash({ lifecycle, config: { size: 50 } });
const source = { uid: '96c00e02-7bce-454e-9998-1d3017c407b7', generation: 2, content };

it('gives an event the same id on each call', () => {
  expect(eventId(source, 'UPDATE')).toBe(eventId({ ...source }, 'UPDATE'));
  expect(eventId(source, 'UPDATE')).toMatch(/^evt-[0-9a-f]{32}$/);
});

const others: Readonly<Record<string, readonly [Partial<EventSource>, EventType]>> = {
  'of another object': [{ uid: 'another' }, 'UPDATE'],
  'of a later generation': [{ generation: 3 }, 'UPDATE'],
  'of another type': [{}, 'DELETE'],
  // Generation 2 was something else before etcd was restored from a snapshot of generation 1.
  'of a generation that is counted again after a restore': [
    { content: contentHash({ lifecycle, config: { size: 70 } }) },
    'UPDATE',
  ],
  'of a generation that only retries': [
    { content: contentHash({ lifecycle, config: { size: 50 }, retry: 1_795_280_000 }) },
    'UPDATE',
  ],
};

it.each(Object.entries(others))('gives another id to an event %s', (_name, [change, type]) => {
  expect(eventId({ ...source, ...change }, type)).not.toBe(eventId(source, 'UPDATE'));
});
